/**
 * Where things lie in the ordered store. One letter names the space; numbers have a fixed width so that their
 * order is the order of the keys. Session ids hold neither "/" nor ","; actors and stream names hold no NUL.
 *
 *   m/format m/incarnation m/head          meta: see meta.ts
 *   r/<session>/<rev>                      record
 *   g/<first seq>                          group: the records of one commit, in seq order
 *   h/<session>                            head of a session
 *   i/<actor>\0<key>                       idempotency entry
 *   b/<sha256>  n/<sha256>  u/<session>/<rev>   blob, its number of uses, the blobs a record uses
 *   x/<index>/<key>                        index entry
 *   t/<stream>\0<offset>                   chunk of streamed text
 *   p/<session>/<projection>@<version>     checkpoint of a projection
 */
const REV_DIGITS = 8;
const SEQ_DIGITS = 12;
const OFFSET_DIGITS = 10;

const digits = (value: number, width: number): string => value.toString(16).padStart(width, "0");

export const META = { format: "m/format", incarnation: "m/incarnation", head: "m/head" } as const;
export const SPACE = {
  meta: "m/",
  records: "r/",
  groups: "g/",
  heads: "h/",
  idempotency: "i/",
  blobs: "b/",
  blobCounts: "n/",
  blobUses: "u/",
  indexes: "x/",
  chunks: "t/",
  checkpoints: "p/",
} as const;

export const recordKey = (session: string, rev: number): string => `r/${session}/${digits(rev, REV_DIGITS)}`;
/** Above every record key of the session: "g" follows the last hex digit. */
export const recordsEnd = (session: string): string => `r/${session}/g`;
export const revOfRecordKey = (key: string): number => Number.parseInt(key.slice(-REV_DIGITS), 16);
export const sessionOfRecordKey = (key: string): string => key.slice(2, -REV_DIGITS - 1);
export const groupKey = (first: number): string => `g/${digits(first, SEQ_DIGITS)}`;
export const firstOfGroupKey = (key: string): number => Number.parseInt(key.slice(2), 16);
export const headKey = (session: string): string => `h/${session}`;
export const idempotencyKey = (actor: string, key: string): string => `i/${actor}\u0000${key}`;
export const blobKey = (sha256: string): string => `b/${sha256}`;
export const blobCountKey = (sha256: string): string => `n/${sha256}`;
export const blobUseKey = (session: string, rev: number): string => `u/${session}/${digits(rev, REV_DIGITS)}`;
export const indexSpace = (index: string): string => `x/${index}/`;
export const indexKey = (index: string, key: string): string => `x/${index}/${key}`;
export const chunkKey = (stream: string, offset: number): string => `t/${stream}\u0000${digits(offset, OFFSET_DIGITS)}`;
export const streamEnd = (stream: string): string => `t/${stream}\u0001`;
export function chunkOfKey(key: string): { stream: string; offset: number } {
  return { stream: key.slice(2, -OFFSET_DIGITS - 1), offset: Number.parseInt(key.slice(-OFFSET_DIGITS), 16) };
}
export const checkpointKey = (session: string, projection: string, version: number): string =>
  `p/${session}/${projection}@${version}`;
/** Above every key that begins with a space's two characters: "0" follows "/". */
export const spaceEnd = (space: string): string => `${space.slice(0, -1)}0`;
