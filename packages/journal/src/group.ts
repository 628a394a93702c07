import { canonicalJson, AppError, errorMessage } from "@swarm/std";
import type { AnyRecord } from "@swarm/protocol";
import type { Applied } from "@swarm/protocol/ports";
import type { KvStore, KvWrite } from "@swarm/kv";
import { encodeBlob } from "./blob.ts";
import { hashOfMacs, type ChainKey } from "./chain.ts";
import {
  groupBody,
  seal,
  sealEntry,
  sealGroup,
  sealHead,
  sealRecord,
  unseal,
  unsealEntry,
  type IdempotencyEntry,
  type SessionHead,
} from "./codec.ts";
import type { Heads } from "./heads.ts";
import { blobCountKey, blobKey, blobUseKey, groupKey, headKey, indexKey, META, recordKey } from "./keys.ts";
import type { Registry } from "./kinds.ts";
import type { Projections } from "./projections.ts";
import { parseRecord } from "./reader.ts";
import type { Item, Unit } from "./unit.ts";
import { sealTail, type Tail } from "./tail.ts";

/** A unit is written again once after a failed commit; then it is only looked for, and refused when it is not there. */
const ATTEMPTS_MAX = 2;

/** A record and its JSON, encoded once for disk, MAC, stream and API. */
export interface CommittedRecord {
  readonly record: AnyRecord;
  readonly json: string;
}

export type Verdict =
  /** `settled`: nothing of it is in this group, all of it was durable before. */
  | { readonly type: "applied"; readonly applied: readonly Applied[]; readonly settled: boolean }
  | { readonly type: "refused"; readonly error: AppError }
  /** Something must be read first; then ask again. */
  | { readonly type: "cold"; warm(): Promise<unknown> };

export interface GroupBase {
  readonly store: KvStore;
  readonly heads: Heads;
  readonly projections: Projections;
  readonly registry: Registry;
  readonly chain: ChainKey;
  readonly tail: Tail;
  /** Wall ms of all records of the group. */
  readonly at: number;
}

interface Staged {
  readonly item: Item;
  readonly record: AnyRecord;
  readonly epoch: number;
  readonly indexes: readonly KvWrite[];
}

class Cold {
  readonly warm: () => Promise<unknown>;
  constructor(warm: () => Promise<unknown>) {
    this.warm = warm;
  }
}

/**
 * Decides units one after another on top of the durable state and of each other, and gathers one batch. Nothing
 * outside is changed: the caller takes over heads, tail and records when the batch is durable, or forgets the group.
 */
export class GroupBuilder {
  readonly records: CommittedRecord[] = [];
  readonly heads = new Map<string, SessionHead>();
  readonly droppedStreams: string[] = [];
  readonly #base: GroupBase;
  readonly #writes: KvWrite[] = [];
  readonly #macs: string[] = [];
  readonly #bySession = new Map<string, AnyRecord[]>();
  readonly #folds = new Map<string, { state: unknown; done: number }>();
  readonly #blobCounts = new Map<string, number>();
  #seq: number;

  constructor(base: GroupBase) {
    this.#base = base;
    this.#seq = base.tail.seq;
  }

  decide(unit: Unit): Verdict {
    try {
      const staged: Staged[] = [];
      const applied: Applied[] = [];
      for (const item of unit.items) {
        const entry = this.#entryOf(item);
        // Found after a failed commit of this very unit: that is its first result, not a replay.
        if (entry) applied.push({ seq: entry.seq, rev: entry.rev, replayed: unit.attempts === 0 });
        else if (unit.attempts >= ATTEMPTS_MAX)
          throw new AppError("storage_unavailable", "the journal could not write it, nothing of it was kept", {
            retry: "later",
          });
        else {
          const next = this.#stage(item, staged);
          staged.push(next);
          applied.push({ seq: next.record.seq, rev: next.record.rev, replayed: false });
        }
      }
      for (const one of staged) this.#take(one);
      return { type: "applied", applied, settled: staged.length === 0 };
    } catch (error) {
      if (error instanceof Cold) return { type: "cold", warm: error.warm };
      if (error instanceof AppError) return { type: "refused", error };
      return {
        type: "refused",
        error: new AppError("internal", `a registered function failed: ${errorMessage(error)}`, { cause: error }),
      };
    }
  }

  /** The group's writes in order and the tail after them. Only for a group with records. */
  finish(): { writes: KvWrite[]; tail: Tail } {
    const { tail, chain } = this.#base;
    const first = tail.seq + 1;
    const members = this.records.map(({ record }) => ({ session: record.session, rev: record.rev }));
    const body = groupBody({ first, members, hash: hashOfMacs(this.#macs), previousMac: tail.mac });
    const mac = chain.mac(body);
    const next: Tail = { seq: this.#seq, mac };
    for (const [session, head] of this.heads) this.#put(headKey(session), sealHead(head));
    for (const [sha256, count] of this.#blobCounts) this.#put(blobCountKey(sha256), seal(String(count)));
    this.#put(groupKey(first), sealGroup(mac, body));
    this.#put(META.head, sealTail(next));
    return { writes: this.#writes, tail: next };
  }

  #entryOf(item: Item): IdempotencyEntry | undefined {
    const value = this.#base.store.getSync(item.entryKey);
    if (value === undefined) return undefined;
    const { key, session } = item.mutation;
    const entry = unsealEntry(value);
    if (!entry)
      throw new AppError("data_corrupt", `what key '${key}' led to is damaged`, {
        details: { key: item.entryKey, session },
      });
    if (entry.hash !== item.hash && !this.#samePayload(item, entry)) {
      throw new AppError("idempotency_conflict", `key '${key}' was used for another mutation (seq ${entry.seq})`, {
        details: { key, seq: entry.seq },
      });
    }
    return entry;
  }

  /** The hash depends on the order of members; before refusing, the payloads themselves are compared. */
  #samePayload(item: Item, entry: IdempotencyEntry): boolean {
    if (entry.session !== item.mutation.session) return false;
    const value = this.#base.store.getSync(recordKey(entry.session, entry.rev));
    const record = value && parseRecord(value);
    return (
      record?.kind === item.mutation.kind &&
      canonicalJson(record.payload) === canonicalJson(JSON.parse(item.payloadJson))
    );
  }

  #stage(item: Item, staged: readonly Staged[]): Staged {
    const { mutation, definition, payload } = item;
    const { session, kind, actor } = mutation;
    const head = this.#headOf(session, staged);
    const epoch = fence(item, head.epoch);
    if (mutation.expectedRev !== undefined && mutation.expectedRev !== head.rev) {
      throw new AppError(
        "rev_conflict",
        `${session} is at revision ${head.rev}, expected was ${mutation.expectedRev}`,
        {
          retry: "after-fix",
          details: { session, rev: head.rev, expectedRev: mutation.expectedRev },
        },
      );
    }
    this.#guard(item, staged);
    const seq = this.#seq + staged.length + 1;
    const record = { seq, session, rev: head.rev + 1, kind, at: this.#base.at, actor, payload } as AnyRecord;
    const indexes = (definition.indexes?.(record) ?? []).map((write): KvWrite => {
      const key = indexKey(write.index, write.key);
      return "remove" in write ? { type: "del", key } : { type: "put", key, value: seal(JSON.stringify(write.value)) };
    });
    return { item, record, epoch, indexes };
  }

  #headOf(session: string, staged: readonly Staged[]): { rev: number; epoch: number } {
    const own = staged.findLast((one) => one.record.session === session);
    if (own) return { rev: own.record.rev, epoch: own.epoch };
    return this.#groupHead(session);
  }

  #groupHead(session: string): SessionHead {
    const { heads, store } = this.#base;
    const head = this.heads.get(session) ?? heads.find(store, session);
    if (head === undefined) throw new Cold(() => heads.repair(store, session));
    return head;
  }

  #guard(item: Item, staged: readonly Staged[]): void {
    const { guard } = item.definition;
    if (guard === undefined) return;
    const { session } = item.mutation;
    const { projections, registry } = this.#base;
    const definition = registry.projections.get(guard.projection)!;
    const key = `${guard.projection} ${session}`;
    let fold = this.#folds.get(key);
    if (!fold) {
      const live = projections.peek(guard.projection, session);
      if (!live) throw new Cold(() => projections.load(guard.projection, session));
      fold = { state: live.state, done: 0 };
      this.#folds.set(key, fold);
    }
    const before = this.#bySession.get(session) ?? [];
    while (fold.done < before.length) fold.state = definition.reduce(fold.state, before[fold.done++]!);
    let { state } = fold;
    for (const { record } of staged) if (record.session === session) state = definition.reduce(state, record);
    const refusal = guard.check(state, item.payload);
    if (refusal) throw new AppError(refusal.code, refusal.message, { retry: "after-fix" });
  }

  #take({ item, record, epoch, indexes }: Staged): void {
    const { session, rev, seq } = record;
    const json = `{"seq":${seq},"session":"${session}","rev":${rev},"kind":"${record.kind}","at":${record.at},"actor":${JSON.stringify(record.actor)},"payload":${item.payloadJson}}`;
    const mac = this.#base.chain.recordMac(this.#groupHead(session).mac, epoch, json);
    this.#seq = seq;
    this.heads.set(session, { rev, epoch, mac });
    this.#macs.push(mac);
    this.records.push({ record, json });
    const siblings = this.#bySession.get(session);
    if (siblings) siblings.push(record);
    else this.#bySession.set(session, [record]);
    this.#put(recordKey(session, rev), sealRecord({ mac, epoch, json }));
    this.#put(item.entryKey, sealEntry({ hash: item.hash, seq, rev, at: record.at, session }));
    for (const write of indexes) this.#writes.push(write);
    if (item.blobs.length > 0) this.#takeBlobs(item, session, rev);
    if (item.mutation.dropStreams) this.droppedStreams.push(...item.mutation.dropStreams);
  }

  #takeBlobs(item: Item, session: string, rev: number): void {
    for (const { sha256, encoded, raw } of item.blobs) {
      const count = this.#blobCounts.get(sha256) ?? this.#storedCount(sha256);
      if (count === 0) this.#put(blobKey(sha256), encoded ?? encodeBlob(raw));
      this.#blobCounts.set(sha256, count + 1);
    }
    this.#put(blobUseKey(session, rev), seal(JSON.stringify(item.blobs.map(({ sha256 }) => sha256))));
  }

  #storedCount(sha256: string): number {
    const value = this.#base.store.getSync(blobCountKey(sha256));
    return value === undefined ? 0 : Number(unseal(value) ?? 1);
  }

  #put(key: string, value: string | Uint8Array): void {
    this.#writes.push({ type: "put", key, value });
  }
}

/** The session's epoch after the mutation. The fence is the epoch number alone. */
function fence({ mutation, definition, payload }: Item, current: number): number {
  const raised = definition.epochOf?.(payload);
  if (raised === undefined) {
    if (mutation.epoch === undefined || mutation.epoch >= current) return current;
    throw fenced(mutation.session, current, `the writer's epoch ${mutation.epoch} is over`);
  }
  if (raised === current + 1) return raised;
  throw fenced(mutation.session, current, `epoch ${raised} does not follow`);
}

function fenced(session: string, epoch: number, why: string): AppError {
  return new AppError("fenced", `${session} is at epoch ${epoch}: ${why}`, { details: { session, epoch } });
}
