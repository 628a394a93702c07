/** Helpers for tests of what stands on the journal: plain kinds, a journal in memory, places that fail. */
export {
  GUARD_MAX,
  leaseOf,
  MESSAGE_INDEX,
  messageKey,
  messageOf,
  seenOf,
  tally,
  tallyKinds,
  tallyProjections,
  type Tally,
} from "./kinds.ts";
export { collectLogs, openTally, placeOver, withHome } from "./open.ts";
