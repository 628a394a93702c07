/**
 * A prompt cache that works like the providers': whole blocks of 128 tokens, a minimum length, readable from the
 * writer's first output token (or from completion), forgotten after a while. Only request prefixes are entries,
 * never output. The one state kept between requests; it changes the usage record and nothing else.
 */
export interface PrefixCacheOptions {
  readonly blockTokens: number;
  readonly minTokens: number;
  readonly ttlMs: number;
}

export class PrefixCache {
  readonly #options: PrefixCacheOptions;
  /** Chain key of a prefix → when it is forgotten (monotonic ms). */
  readonly #entries = new Map<number, number>();
  #sweepAt = 0;

  constructor(options: PrefixCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** One key for each whole block: it stands for all tokens from the start up to that block's end. */
  keysOf(segments: readonly Uint32Array[]): number[] {
    const keys: number[] = [];
    const size = this.#options.blockTokens;
    let a = 0x9e3779b9;
    let b = 0x7f4a7c15;
    let filled = 0;
    for (const tokens of segments) {
      for (const token of tokens) {
        a = Math.imul(a ^ token, 0x85ebca6b);
        a ^= a >>> 15;
        b = Math.imul(b ^ (token + 0x165667b1), 0xc2b2ae35);
        b ^= b >>> 13;
        if (++filled === size) {
          keys.push((a >>> 0) * 0x200000 + (b & 0x1fffff));
          filled = 0;
        }
      }
    }
    return keys;
  }

  /** Tokens of the longest readable prefix: whole blocks, 0 below the minimum. Reading renews the entries. */
  read(keys: readonly number[], nowMs: number): number {
    let blocks = 0;
    while (blocks < keys.length && (this.#entries.get(keys[blocks]!) ?? 0) > nowMs) blocks++;
    const tokens = blocks * this.#options.blockTokens;
    if (tokens < this.#options.minTokens) return 0;
    for (let i = 0; i < blocks; i++) this.#entries.set(keys[i]!, nowMs + this.#options.ttlMs);
    return tokens;
  }

  write(keys: readonly number[], nowMs: number): void {
    if (keys.length * this.#options.blockTokens < this.#options.minTokens) return;
    for (const key of keys) this.#entries.set(key, nowMs + this.#options.ttlMs);
    if (nowMs < this.#sweepAt) return;
    this.#sweepAt = nowMs + this.#options.ttlMs / 4;
    for (const [key, untilMs] of this.#entries) if (untilMs <= nowMs) this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
