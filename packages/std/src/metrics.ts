/** Counters and fixed-bucket histograms: no allocation per event. */
export class Counter {
  #value = 0;
  add(n = 1): void {
    this.#value += n;
  }
  get value(): number {
    return this.#value;
  }
}

const SUB = 16; // sub-buckets per octave: relative error at most 1/16
const OCTAVES = 40;

/**
 * Log-linear histogram of non-negative numbers (unit chosen by the owner, resolution 1/16 of the
 * value, 1e-3 at the low end). `quantile` answers the upper edge of the bucket.
 */
export class Histogram {
  readonly #buckets = new Float64Array(SUB * OCTAVES);
  #count = 0;
  #sum = 0;
  #max = 0;
  record(value: number): void {
    if (!(value >= 0)) return;
    this.#count++;
    this.#sum += value;
    if (value > this.#max) this.#max = value;
    this.#buckets[bucketOf(value)]!++;
  }
  get count(): number {
    return this.#count;
  }
  get max(): number {
    return this.#max;
  }
  get mean(): number | undefined {
    return this.#count === 0 ? undefined : this.#sum / this.#count;
  }
  /** `q` in [0,1]; undefined when nothing was recorded. */
  quantile(q: number): number | undefined {
    if (this.#count === 0) return undefined;
    const target = Math.max(1, Math.ceil(q * this.#count));
    let seen = 0;
    for (let i = 0; i < this.#buckets.length; i++) {
      seen += this.#buckets[i]!;
      if (seen >= target) return Math.min(edgeOf(i), this.#max);
    }
    return this.#max;
  }
  reset(): void {
    this.#buckets.fill(0);
    this.#count = 0;
    this.#sum = 0;
    this.#max = 0;
  }
}

function bucketOf(value: number): number {
  const scaled = value * 1000;
  if (scaled < 1) return 0;
  const octave = Math.floor(Math.log2(scaled));
  const within = Math.floor((scaled / 2 ** octave - 1) * SUB);
  return Math.min(octave * SUB + within, SUB * OCTAVES - 1);
}

function edgeOf(index: number): number {
  const octave = Math.floor(index / SUB);
  return (2 ** octave * (1 + ((index % SUB) + 1) / SUB)) / 1000;
}

/** Quantile of a plain sample (nearest rank). Empty gives undefined. */
export function quantileOf(sample: readonly number[], q: number): number | undefined {
  if (sample.length === 0) return undefined;
  const sorted = [...sample].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))];
}
