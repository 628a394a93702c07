/** A map that forgets what was used longest ago. */
export class Lru<V> {
  readonly #map = new Map<string, V>();
  readonly #max: number;
  constructor(max: number) {
    this.#max = max;
  }
  get size(): number {
    return this.#map.size;
  }
  get(key: string): V | undefined {
    const value = this.#map.get(key);
    if (value !== undefined) {
      this.#map.delete(key);
      this.#map.set(key, value);
    }
    return value;
  }
  /** Answers what had to go. */
  set(key: string, value: V): V | undefined {
    this.#map.delete(key);
    this.#map.set(key, value);
    if (this.#map.size <= this.#max) return undefined;
    const [oldest, gone] = this.#map.entries().next().value!;
    this.#map.delete(oldest);
    return gone;
  }
  delete(key: string): void {
    this.#map.delete(key);
  }
  clear(): void {
    this.#map.clear();
  }
}
