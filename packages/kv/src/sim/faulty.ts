import {
  KV_CLOSED,
  KvError,
  type KvAbilities,
  type KvEntry,
  type KvIterator,
  type KvRange,
  type KvStore,
  type KvWrite,
} from "../store.ts";

/**
 * What happens to one batch. `error`: nothing of it is written. `applied-error`: written whole, then reported as
 * failed (a sync that failed late). `torn`: only its first `keep` writes are applied, then it fails; no engine
 * may do that, and the layers above must see it.
 */
export type Fault =
  | { readonly type: "error" | "applied-error"; readonly code: string }
  | { readonly type: "torn"; readonly keep: number }
  | { readonly type: "slow"; readonly ms: number };

export interface FaultPlan {
  /** Called for each batch, counted from 1 over the life of the plan (reopening does not reset it). */
  faultOf(batch: number, writes: readonly KvWrite[]): Fault | undefined;
}

/**
 * A store that fails as planned, over another one. Like the engine, it refuses every batch after a failed one until
 * it is opened again (`reopen`); reads go on.
 */
export class FaultyStore implements KvStore {
  readonly abilities: KvAbilities;
  readonly #inner: KvStore;
  readonly #plan: FaultPlan;
  #batches = 0;
  #broken: KvError | undefined;
  #closed = false;

  constructor(inner: KvStore, plan: FaultPlan) {
    this.#inner = inner;
    this.#plan = plan;
    this.abilities = inner.abilities;
  }

  get batches(): number {
    return this.#batches;
  }

  /** What opening the place again does: the error state is gone, the data are what was applied. */
  reopen(): this {
    this.#closed = false;
    this.#broken = undefined;
    return this;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return await this.#open().get(key);
  }
  getSync(key: string): Uint8Array | undefined {
    return this.#open().getSync(key);
  }
  async getMany(keys: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    return await this.#open().getMany(keys);
  }
  async range(range: KvRange & { readonly limit: number }): Promise<KvEntry[]> {
    return await this.#open().range(range);
  }
  iterate(range: KvRange): KvIterator {
    return this.#open().iterate(range);
  }
  /** The store over which this one stands stays open: `reopen` finds it. */
  async close(): Promise<void> {
    this.#closed = true;
  }

  #open(): KvStore {
    if (this.#closed) throw new KvError(KV_CLOSED, "the store is closed");
    return this.#inner;
  }

  async batch(writes: readonly KvWrite[], options: { readonly sync: boolean }): Promise<void> {
    this.#open();
    if (this.#broken) throw this.#broken;
    const fault = this.#plan.faultOf(++this.#batches, writes);
    if (fault === undefined) return await this.#inner.batch(writes, options);
    if (fault.type === "slow") {
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return await this.#inner.batch(writes, options);
    }
    if (fault.type === "torn") await this.#inner.batch(writes.slice(0, fault.keep), options);
    if (fault.type === "applied-error") await this.#inner.batch(writes, options);
    this.#broken = new KvError(
      fault.type === "torn" ? "EIO" : fault.code,
      `planned fault of batch ${this.#batches}: ${fault.type}`,
    );
    throw this.#broken;
  }
}
