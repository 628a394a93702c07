import type { Usage } from "@swarm/protocol";

/** Rough size of a token where nobody counted: four UTF-8 bytes or UTF-16 units. */
const UNITS_PER_TOKEN = 4;

export interface RawCounts {
  readonly input: unknown;
  readonly cached?: unknown;
  readonly cacheWrite?: unknown;
  readonly output: unknown;
  readonly reasoning?: unknown;
}

/**
 * Usage with its invariants: whole numbers, `cached + cacheWrite <= input`, `reasoning <= output`. A record that breaks
 * them is clamped and marked `estimated`: the numbers are then ours, the provider's stay in `raw`.
 */
export function checkedUsage(counts: RawCounts, raw: unknown): Usage {
  const input = whole(counts.input);
  const output = whole(counts.output);
  const cached = Math.min(whole(counts.cached), input);
  const cacheWrite = Math.min(whole(counts.cacheWrite), input - cached);
  const reasoning = Math.min(whole(counts.reasoning), output);
  const estimated =
    !isCount(counts.input) ||
    !isCount(counts.output) ||
    cached !== (counts.cached ?? 0) ||
    cacheWrite !== (counts.cacheWrite ?? 0) ||
    reasoning !== (counts.reasoning ?? 0);
  return { input, cached, cacheWrite, output, reasoning, estimated, raw };
}

/** Where a provider reports none. `requestBytes` of the body, `outputUnits` streamed. */
export function estimatedUsage(requestBytes: number, outputUnits: number): Usage {
  return {
    input: Math.ceil(requestBytes / UNITS_PER_TOKEN),
    cached: 0,
    cacheWrite: 0,
    output: Math.ceil(outputUnits / UNITS_PER_TOKEN),
    reasoning: 0,
    estimated: true,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function whole(value: unknown): number {
  if (isCount(value)) return value;
  return typeof value === "number" && value > 0 && Number.isFinite(value)
    ? Math.min(Math.round(value), Number.MAX_SAFE_INTEGER)
    : 0;
}
