import type { KvStore } from "@swarm/kv";
import { NO_HEAD, unsealHead, unsealRecord, type SessionHead } from "./codec.ts";
import { headKey, recordKey, recordsEnd, revOfRecordKey } from "./keys.ts";
import { Lru } from "./lru.ts";

/** Heads kept in memory, some 150 bytes each; a session that is not among them costs one read. */
const HEADS_MAX = 4096;

/** Durable heads of sessions. A head that is damaged on disk is made again from the session's last record. */
export class Heads {
  readonly #cache = new Lru<SessionHead>(HEADS_MAX);

  /** `NO_HEAD` for a session that does not exist, undefined when its head is damaged: `repair` it and ask again. */
  find(store: KvStore, session: string): SessionHead | undefined {
    const cached = this.#cache.get(session);
    if (cached) return cached;
    const value = store.getSync(headKey(session));
    if (value === undefined) return NO_HEAD;
    const head = unsealHead(value);
    if (head) this.#cache.set(session, head);
    return head;
  }

  async get(store: KvStore, session: string): Promise<SessionHead> {
    return this.find(store, session) ?? (await this.repair(store, session));
  }

  /** In memory; the next record of the session writes it. */
  async repair(store: KvStore, session: string): Promise<SessionHead> {
    const range = { gte: recordKey(session, 1), lt: recordsEnd(session), reverse: true } as const;
    let head = NO_HEAD;
    // A damaged last record still says its revision by its key; its MAC is lost, the chain then shows a break there.
    for (const { key, value } of await store.range({ ...range, limit: 64 })) {
      const record = unsealRecord(value);
      if (head.rev === 0) head = { ...NO_HEAD, rev: revOfRecordKey(key), mac: record?.mac ?? "" };
      if (!record) continue;
      head = { ...head, epoch: record.epoch };
      break;
    }
    this.#cache.set(session, head);
    return head;
  }

  set(session: string, head: SessionHead): void {
    this.#cache.set(session, head);
  }

  clear(): void {
    this.#cache.clear();
  }
}
