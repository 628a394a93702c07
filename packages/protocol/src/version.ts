/**
 * Version of everything that crosses a process or reaches disk.
 * 1  first form: records, frames and API of the walking skeleton.
 */
export const PROTOCOL_VERSION = 1;
/** Oldest client that this daemon still serves. */
export const PROTOCOL_FLOOR = 1;
