/**
 * Tokens of one model response, normalised: `cached <= input` (input includes cached),
 * `reasoning <= output` (output includes reasoning), cache writes apart.
 */
export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /** True when the provider sent none and the numbers are ours (bytes / 4). */
  readonly estimated: boolean;
  /** The provider's own record, as sent. */
  readonly raw?: unknown;
}

/** Integer nano-dollars per component, from catalogue `catalogue`. `simulated` when a simulator earned it. */
export interface Cost {
  readonly inputNano: number;
  readonly cachedNano: number;
  readonly outputNano: number;
  readonly totalNano: number;
  /** Name and version of the price catalogue, e.g. `genai-prices 0.1.8`; `none` when the model has no price. */
  readonly catalogue: string;
  /** The model whose list price was used. */
  readonly pricedAs: string;
  readonly simulated: boolean;
}

export const ZERO_USAGE: Usage = { input: 0, cached: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: false };

export interface Totals {
  readonly requests: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  readonly costNano: number;
  readonly simulated: boolean;
}
export const ZERO_TOTALS: Totals = {
  requests: 0,
  input: 0,
  cached: 0,
  output: 0,
  reasoning: 0,
  costNano: 0,
  simulated: false,
};

export function addTotals(a: Totals, b: Totals): Totals {
  return {
    requests: a.requests + b.requests,
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    costNano: a.costNano + b.costNano,
    simulated: a.simulated || b.simulated,
  };
}
