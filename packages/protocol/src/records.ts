import type { Kind, Payloads } from "./kinds.ts";

/** One durable record. `seq` is global and gapless, `rev` is per session and contiguous from 1. */
export interface JournalRecord<K extends Kind = Kind> {
  readonly seq: number;
  readonly session: string;
  readonly rev: number;
  readonly kind: K;
  /** Wall ms, for display only. */
  readonly at: number;
  readonly actor: string;
  readonly payload: Payloads[K];
}

/** Discriminated by `kind`: narrow with `switch (record.kind)`. */
export type AnyRecord = { [K in Kind]: JournalRecord<K> }[Kind];

/** A place in the journal. Another `incarnation` means: take a new snapshot. */
export interface Cursor {
  readonly incarnation: string;
  readonly seq: number;
}
