import type { AnyMutation, Applied } from "@swarm/protocol/ports";
import { AppError, errorMessage } from "@swarm/std";
import { encodeBlob } from "./blob.ts";
import { payloadHash } from "./chain.ts";
import { blobCountKey, idempotencyKey } from "./keys.ts";
import type { KindDefinition, Registry } from "./kinds.ts";

/** One mutation, validated and encoded before it queues: the group only decides and joins bytes. */
export interface Item {
  readonly mutation: AnyMutation;
  readonly definition: KindDefinition;
  readonly payload: AnyMutation["payload"];
  readonly payloadJson: string;
  readonly hash: string;
  readonly entryKey: string;
  /** `encoded` is undefined when the store had the blob already. */
  readonly blobs: readonly {
    readonly sha256: string;
    readonly encoded: Uint8Array | undefined;
    readonly raw: Uint8Array;
  }[];
}

/** What one call of `apply` brought: applied whole or refused whole. */
export interface Unit {
  readonly items: readonly Item[];
  /** Monotonic ms when `apply` was called. */
  readonly startedAt: number;
  /** Commits that failed under it. */
  attempts: number;
  /** Called once the unit is answered: those who wait for one of its keys. */
  readonly waiters: (() => void)[];
  resolve(applied: readonly Applied[]): void;
  reject(error: unknown): void;
}

const SESSION = /^[A-Za-z0-9_.:-]{1,128}$/;
const NAME_MAX_CHARS = 512;

/** Throws AppError `bad_request` naming what is wrong. `hasBlob` tells whether the store has a blob. */
export function prepareItems(
  mutations: readonly AnyMutation[],
  registry: Registry,
  hasBlob: (countKey: string) => boolean,
): Item[] {
  if (mutations.length === 0) throw new AppError("bad_request", "no mutation was given");
  const items = mutations.map((mutation) => prepareItem(mutation, registry, hasBlob));
  if (items.length > 1 && new Set(items.map((item) => item.entryKey)).size !== items.length) {
    throw new AppError("bad_request", "one actor used an idempotency key twice in one call");
  }
  return items;
}

function prepareItem(mutation: AnyMutation, registry: Registry, hasBlob: (countKey: string) => boolean): Item {
  const { kind, session } = mutation;
  const definition = registry.kinds.get(kind);
  if (definition === undefined) throw new AppError("bad_request", `unknown kind '${kind}'`);
  if (!SESSION.test(session)) throw new AppError("bad_request", `'${session}' is no session id`);
  assertName("key", mutation.key);
  assertName("actor", mutation.actor);
  for (const stream of mutation.dropStreams ?? []) assertName("stream", stream);
  const payload = parsePayload(definition, mutation.payload);
  const payloadJson = JSON.stringify(payload);
  if (payloadJson === undefined) throw new AppError("bad_request", `the payload of ${kind} is not JSON`);
  return {
    mutation,
    definition,
    payload,
    payloadJson,
    hash: payloadHash(session, kind, payloadJson),
    entryKey: idempotencyKey(mutation.actor, mutation.key),
    blobs: (mutation.blobs ?? []).map(({ ref, bytes }) => ({
      sha256: ref.blob,
      raw: bytes,
      encoded: hasBlob(blobCountKey(ref.blob)) ? undefined : encodeBlob(bytes),
    })),
  };
}

function parsePayload(definition: KindDefinition, payload: unknown): AnyMutation["payload"] {
  try {
    return definition.schema(payload);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("bad_request", `payload of ${definition.kind}: ${errorMessage(error)}`, { cause: error });
  }
}

export function assertName(what: string, name: string): void {
  if (name.length === 0 || name.length > NAME_MAX_CHARS || name.includes("\u0000") || !name.isWellFormed()) {
    throw new AppError("bad_request", `${what} must have 1 to ${NAME_MAX_CHARS} characters and no NUL`);
  }
}
