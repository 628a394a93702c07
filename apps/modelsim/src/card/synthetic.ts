/** Plausible synthetic numbers for a reading, from its unit and words. Labelled synthetic in the card. */
import type { CardSubject } from "./subject.ts";

export interface SyntheticRange {
  readonly base: number;
  readonly spread: number;
  readonly low: number;
  readonly high: number;
  readonly burst: number;
  readonly whole: boolean;
  readonly percent: boolean;
}

/** Median of a reading by words of its name, reading or unit; the first match decides. */
const MEDIANS: readonly (readonly [RegExp, number])[] = [
  [/ttft|first token/i, 210],
  [/thermal|°C/i, 57],
  [/event bus|evt\/s/i, 46_000],
  [/sig\/s/i, 82_000],
  [/context switch/i, 11_800],
  [/kv cache|cached tokens/i, 1_480_000],
  [/thinking|reasoning tokens/i, 4300],
  [/tok\/s/i, 122],
  [/peak resident|virtual memory/i, 620],
  [/marginal/i, 3.4],
  [/MiB/, 240],
  [/KiB/, 4.4],
  [/MB\/s/, 310],
  [/descriptor|fds/i, 210],
  [/delta|\bB\b/, 142],
  [/lifespan|\bh\b/, 68],
  [/threads/, 28],
  [/workers|slots|leases|topics|streams/i, 92],
  [/hops/i, 1],
  [/frames/i, 6],
  [/commits/i, 2],
  [/tunnel|bandwidth/i, 0.4],
  [/checkout|rebase|spawn/i, 18],
  [/assertion/i, 62],
  [/tick/i, 100],
  [/µs/, 9.2],
  [/ms/, 1.3],
  [/×/, 5.1],
  [/min/, 15],
];
const WHOLE =
  /^(count|drops|faults|commits|frames|hops|streams|threads|workers|slots|leases|topics|fds|nice|tokens|evt\/s|sig\/s|\/s|B|route)$/;
const ZERO =
  /must be 0|refused|collisions|lock failures|faults|drops|retries|leaked|blocked|starved|failovers|429s|duplicates|nice/i;

export function rangeOf(subject: CardSubject, random: () => number): SyntheticRange {
  const unit = subject.unit.trim();
  const words = `${subject.name} ${subject.reading} ${unit}`;
  const whole = WHOLE.test(unit) || unit === "";
  if (unit.startsWith("%")) {
    const cost = /iowait|buffered|fragment|committed − used|share of crypto|pressure/i.test(words);
    const base = cost ? 4 + random() * 9 : 92 + random() * 5;
    return {
      base,
      spread: cost ? base * 0.5 : 3.2,
      low: 0,
      high: 100,
      burst: cost ? 1 : -0.7,
      whole: false,
      percent: true,
    };
  }
  if (ZERO.test(words) && whole && !/tokens|evt|sig/.test(unit))
    return { base: 0.6, spread: 1.5, low: 0, high: 50, burst: 1.6, whole: true, percent: false };
  const median = MEDIANS.find(([pattern]) => pattern.test(words))?.[1] ?? 40;
  const base = median * (0.86 + random() * 0.22);
  return { base, spread: base * (0.14 + random() * 0.16), low: 0, high: median * 4, burst: 0.9, whole, percent: false };
}
