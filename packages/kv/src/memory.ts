import { compareKeys } from "./order.ts";
import {
  KV_CLOSED,
  KvError,
  type KvAbilities,
  type KvEntry,
  type KvIterator,
  type KvRange,
  type KvStore,
  type KvWrite,
} from "./store.ts";

/** Sorted keys beside a map. Nothing survives the process. For tests and for what need not be kept. */
export class MemoryStore implements KvStore {
  readonly abilities: KvAbilities = { durable: false, exclusive: false };
  readonly #values = new Map<string, Uint8Array>();
  readonly #keys: string[] = [];
  #closed = false;

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.getSync(key);
  }

  getSync(key: string): Uint8Array | undefined {
    this.#assertOpen();
    return this.#values.get(key);
  }

  async getMany(keys: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    this.#assertOpen();
    return keys.map((key) => this.#values.get(key));
  }

  async range(range: KvRange & { readonly limit: number }): Promise<KvEntry[]> {
    return this.#entries(range, range.limit);
  }

  iterate(range: KvRange): KvIterator {
    const entries = this.#entries(range, Number.POSITIVE_INFINITY);
    let at = 0;
    const close = async (): Promise<void> => {
      at = entries.length;
    };
    return {
      async next(count) {
        const page = entries.slice(at, at + Math.max(1, count));
        at += page.length;
        return page;
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  async batch(writes: readonly KvWrite[], _options: { readonly sync: boolean }): Promise<void> {
    this.#assertOpen();
    for (const write of writes) this.#write(write);
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #write(write: KvWrite): void {
    const { key } = write;
    const known = this.#values.has(key);
    if (write.type === "put") {
      this.#values.set(key, typeof write.value === "string" ? Buffer.from(write.value) : write.value);
      if (!known) this.#keys.splice(this.#lowerBound(key), 0, key);
    } else if (known) {
      this.#values.delete(key);
      this.#keys.splice(this.#lowerBound(key), 1);
    }
  }

  #entries(range: KvRange, limit: number): KvEntry[] {
    this.#assertOpen();
    let from = 0;
    let to = this.#keys.length;
    if (range.gte !== undefined) from = Math.max(from, this.#lowerBound(range.gte));
    if (range.gt !== undefined) from = Math.max(from, this.#upperBound(range.gt));
    if (range.lt !== undefined) to = Math.min(to, this.#lowerBound(range.lt));
    if (range.lte !== undefined) to = Math.min(to, this.#upperBound(range.lte));
    if (to <= from) return [];
    const count = Math.min(limit, to - from);
    const keys =
      range.reverse === true ? this.#keys.slice(to - count, to).reverse() : this.#keys.slice(from, from + count);
    return keys.map((key) => ({ key, value: this.#values.get(key)! }));
  }

  /** Index of the first key that is not below `key`. */
  #lowerBound(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.#keys[middle]!, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #upperBound(key: string): number {
    const at = this.#lowerBound(key);
    return this.#keys[at] === key ? at + 1 : at;
  }

  #assertOpen(): void {
    if (this.#closed) throw new KvError(KV_CLOSED, "the store is closed");
  }
}
