/**
 * An ordered key-value store with atomic batches.
 *
 * Laws, kept by every implementation (`@swarm/kv/contract`):
 * - Keys are non-empty well-formed strings, ordered by their UTF-8 bytes.
 * - A batch is applied whole or not at all, in the order of its writes: the last write of a key wins.
 * - When `batch(…, { sync: true })` resolves, that batch and every one before it survive a power loss
 *   (where `abilities.durable`). A batch without sync survives the process, not the machine.
 * - A read sees every batch that resolved before it began. An iterator sees the store as it was when made.
 * - Bytes that were read or given belong to the store: neither side changes them afterwards.
 * - After a failed batch the store may refuse all later ones until it is closed and opened again. Whether the
 *   failed batch was applied is then found by reading: its fate was unknown, it is never half applied.
 */
export interface KvStore {
  readonly abilities: KvAbilities;
  get(key: string): Promise<Uint8Array | undefined>;
  /** Answers on the calling thread: for hot paths that mostly miss (a miss costs a few µs) or hit what is warm. */
  getSync(key: string): Uint8Array | undefined;
  getMany(keys: readonly string[]): Promise<(Uint8Array | undefined)[]>;
  /** One page: at most `limit` entries of the range. */
  range(range: KvRange & { readonly limit: number }): Promise<KvEntry[]>;
  /** A snapshot, read in pieces. Close it. */
  iterate(range: KvRange): KvIterator;
  /** Rejects with an Error whose `code` is the errno where one is known (`ENOSPC`, `EIO`). */
  batch(writes: readonly KvWrite[], options: { readonly sync: boolean }): Promise<void>;
  /** Where the engine can: rewrites its files without what was overwritten or deleted. Long; for maintenance. */
  compact?(): Promise<void>;
  /** Waits for a running batch. Reads and batches after it reject. Closing twice is fine. */
  close(): Promise<void>;
}

export interface KvAbilities {
  /** A synced batch survives a power loss. */
  readonly durable: boolean;
  /** A second opener of the same place is refused, also from another process. */
  readonly exclusive: boolean;
}

export interface KvRange {
  readonly gt?: string;
  readonly gte?: string;
  readonly lt?: string;
  readonly lte?: string;
  readonly reverse?: boolean;
}

export interface KvEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** A string value is kept as its UTF-8 bytes. */
export type KvWrite =
  | { readonly type: "put"; readonly key: string; readonly value: string | Uint8Array }
  | { readonly type: "del"; readonly key: string };

export interface KvIterator extends AsyncDisposable {
  /** At most `count` further entries; an empty array is the end. One call at a time. */
  next(count: number): Promise<KvEntry[]>;
  close(): Promise<void>;
}

/** The place is held by another opener. */
export const KV_LOCKED = "KV_LOCKED";
/** The store was closed. */
export const KV_CLOSED = "KV_CLOSED";

/** What a store throws: `code` is an errno, `KV_LOCKED` or `KV_CLOSED`. */
export class KvError extends Error {
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "KvError";
    this.code = code;
  }
}
