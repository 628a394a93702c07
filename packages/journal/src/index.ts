/**
 * journal: the one way durable state changes. Generic over registered kinds and projections. Refuses to know:
 * what any kind means, who may write it, how it is shown or sent.
 */
export { ChainKey } from "./chain.ts";
export type { StoreState } from "./committer.ts";
export { diskPlace } from "./disk/disk-place.ts";
export { FORMAT_VERSION } from "./engine.ts";
export type { CommittedRecord } from "./group.ts";
export { openJournal, type IndexRange, type Journal, type JournalOptions } from "./journal.ts";
export type { IndexWrite, KindDefinition, ProjectionDefinition } from "./kinds.ts";
export type { JournalPlace } from "./place.ts";
export type { Damage } from "./reader.ts";
export { verifyStore, type VerifyReport } from "./verify.ts";
