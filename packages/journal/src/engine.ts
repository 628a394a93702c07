import { randomBytes } from "node:crypto";
import { KV_CLOSED, KvError, type KvStore } from "@swarm/kv";
import { AppError, Deferred } from "@swarm/std";
import { ChainKey } from "./chain.ts";
import { seal, unseal } from "./codec.ts";
import { META } from "./keys.ts";
import type { JournalPlace } from "./place.ts";
import type { Damage } from "./reader.ts";
import { readTail, type Tail } from "./tail.ts";

/**
 * Version of what lies on disk.
 * 1  first form (keys.ts, codec.ts).
 */
export const FORMAT_VERSION = 1;

export interface Opened {
  readonly tail: Tail;
  readonly damage: readonly Damage[];
}

/** The open store of a journal, and the way to close and open it again while readers wait. */
export class Engine {
  readonly place: JournalPlace;
  #store: KvStore | undefined;
  #gate: Deferred<void> | undefined;
  #closed = false;
  #chain: ChainKey | undefined;
  #incarnation = "";

  constructor(place: JournalPlace) {
    this.place = place;
  }

  get chain(): ChainKey {
    return this.#chain!;
  }
  get incarnation(): string {
    return this.#incarnation;
  }
  /** The store, for the one writer. Throws while it is being opened again. */
  get store(): KvStore {
    if (!this.#store) throw new AppError("storage_unavailable", "the journal is not open", { retry: "later" });
    return this.#store;
  }

  /** Opens, or rejects and holds nothing. */
  async open(): Promise<Opened> {
    const store = await this.place.open();
    try {
      const opened = await this.#inspect(store);
      this.#store = store;
      return opened;
    } catch (error) {
      await this.place.release();
      await store.close();
      throw error;
    }
  }

  /** Closes the store and opens it anew. On failure the store stays shut, readers are told, and this may be called again. */
  async reopen(): Promise<Opened> {
    const before = this.#store;
    this.#store = undefined;
    this.#gate ??= new Deferred<void>();
    const gate = this.#gate;
    try {
      await before?.close();
      const store = await this.place.open();
      const opened = await this.#inspect(store);
      this.#store = store;
      return opened;
    } finally {
      this.#gate = undefined;
      gate.resolve();
    }
  }

  /** Runs a read; one that was cut off by a reopening is run again on the new store. */
  async read<T>(body: (store: KvStore) => Promise<T>): Promise<T> {
    const store = await this.reader();
    try {
      return await body(store);
    } catch (error) {
      if (!(error instanceof KvError && error.code === KV_CLOSED) || this.#closed) throw error;
      return await body(await this.reader());
    }
  }

  async reader(): Promise<KvStore> {
    await this.#gate?.promise;
    return this.store;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const store = this.#store;
    this.#store = undefined;
    await this.place.release();
    await store?.close();
  }

  async #inspect(store: KvStore): Promise<Opened> {
    const [format, incarnation] = await store.getMany([META.format, META.incarnation]);
    const fresh = format === undefined;
    if (!fresh) assertFormat(unseal(format));
    this.#chain ??= new ChainKey(await this.place.chainKey(fresh));
    this.#incarnation = (incarnation && unseal(incarnation)) || randomBytes(12).toString("hex");
    if (fresh || !incarnation || unseal(incarnation) !== this.#incarnation) {
      const writes = [
        { type: "put", key: META.format, value: seal(String(FORMAT_VERSION)) },
        { type: "put", key: META.incarnation, value: seal(this.#incarnation) },
      ] as const;
      await store.batch(writes, { sync: true });
    }
    return await readTail(store, this.#chain);
  }
}

function assertFormat(text: string | undefined): void {
  if (text === undefined || !/^\d+$/.test(text))
    throw new AppError("data_corrupt", "the version of the journal's data is damaged");
  if (Number(text) <= FORMAT_VERSION) return;
  throw new AppError(
    "data_newer",
    `the journal's data have format ${text}, this version knows up to ${FORMAT_VERSION}: upgrade Swarm, or choose another data directory`,
    {
      details: { format: Number(text), known: FORMAT_VERSION },
    },
  );
}
