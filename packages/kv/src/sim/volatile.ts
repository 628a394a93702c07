import { MemoryStore } from "../memory.ts";
import type { KvAbilities, KvEntry, KvIterator, KvRange, KvStore, KvWrite } from "../store.ts";

/**
 * A store on a machine that can lose power. It records every batch; those after the last synced one exist only
 * in the page cache. `afterPowerLoss` is the store that the machine finds when it comes back: what was synced,
 * and of the rest a prefix of the caller's choice (a log keeps its order).
 */
export class VolatileStore implements KvStore {
  readonly abilities: KvAbilities = { durable: true, exclusive: false };
  readonly #memory = new MemoryStore();
  readonly #batches: (readonly KvWrite[])[] = [];
  #synced = 0;

  /** Batches that a power loss now would lose. */
  get unsynced(): number {
    return this.#batches.length - this.#synced;
  }

  get batches(): number {
    return this.#batches.length;
  }

  async afterPowerLoss(keepUnsynced = 0): Promise<VolatileStore> {
    const found = new VolatileStore();
    for (const writes of this.#batches.slice(0, this.#synced + keepUnsynced)) await found.batch(writes, { sync: true });
    return found;
  }

  get(key: string): Promise<Uint8Array | undefined> {
    return this.#memory.get(key);
  }
  getSync(key: string): Uint8Array | undefined {
    return this.#memory.getSync(key);
  }
  getMany(keys: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    return this.#memory.getMany(keys);
  }
  range(range: KvRange & { readonly limit: number }): Promise<KvEntry[]> {
    return this.#memory.range(range);
  }
  iterate(range: KvRange): KvIterator {
    return this.#memory.iterate(range);
  }
  close(): Promise<void> {
    return this.#memory.close();
  }

  async batch(writes: readonly KvWrite[], options: { readonly sync: boolean }): Promise<void> {
    await this.#memory.batch(writes, options);
    this.#batches.push(writes);
    if (!options.sync) return;
    // The sync covers what was written when it began, not what came while it ran.
    const covered = this.#batches.length;
    await new Promise((resolve) => setImmediate(resolve));
    this.#synced = Math.max(this.#synced, covered);
  }
}
