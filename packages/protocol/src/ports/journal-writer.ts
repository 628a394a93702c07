import type { Kind, Payloads } from "../kinds.ts";
import type { BlobRef } from "../text.ts";

/**
 * The one way state changes. `apply` resolves when the batch is durable, all of it or nothing.
 * Order: validate, idempotency, fence, expected revision, reduce, commit, publish.
 */
export interface Mutation<K extends Kind = Kind> {
  readonly session: string;
  /** Idempotency key, unique per actor. Same key and payload: the first result. Other payload: `idempotency_conflict`. */
  readonly key: string;
  readonly kind: K;
  readonly payload: Payloads[K];
  readonly actor: string;
  /** Refused as `rev_conflict` unless the session's revision is this. 0: the session must not exist. */
  readonly expectedRev?: number;
  /** Lease epoch of the writer; refused as `fenced` when the session's epoch is higher. */
  readonly epoch?: number;
  /** Blobs named by the payload, written in the same batch. */
  readonly blobs?: readonly BlobWrite[];
  /** Streams (chunk key space) whose chunks are deleted in the same batch, after the puts. */
  readonly dropStreams?: readonly string[];
}

export type AnyMutation = { [K in Kind]: Mutation<K> }[Kind];

export interface BlobWrite {
  readonly ref: BlobRef;
  readonly bytes: Uint8Array;
}

export interface Applied {
  readonly seq: number;
  readonly rev: number;
  readonly replayed: boolean;
}

export interface JournalWriter {
  /** Rejects with AppError: rev_conflict, fenced, idempotency_conflict, bad_request, disk_full, storage_unavailable. */
  apply(mutations: AnyMutation | readonly AnyMutation[]): Promise<readonly Applied[]>;
  /** Names bytes by hash; pass the result in `Mutation.blobs`. */
  blob(bytes: Uint8Array): BlobWrite;
  /**
   * Keeps a piece of streamed text outside the ordered log: best effort, never acknowledged, takes no seq.
   * `offset` counts UTF-16 units of the stream before this piece.
   */
  chunk(stream: string, offset: number, text: string): void;
}
