import type { Cost, Usage } from "@swarm/protocol";
import { CATALOGUE_VERSION } from "./catalogue-data.ts";
import { catalogueProviders, findModel, rowAt, type ModelPrices, type Price } from "./catalogue.ts";

/** Name and version of the price catalogue, as every figure carries it. */
export const CATALOGUE = `genai-prices ${CATALOGUE_VERSION}`;

export interface CostBasis {
  /** Gateway name of the provider. One that the catalogue does not know has no prices of its own. */
  readonly provider: string;
  /** Names to look for, in order: the model asked for, then the one that answered. A `pricedAs` alone is sought everywhere. */
  readonly models: readonly string[];
  readonly pricedAs?: string | undefined;
  readonly simulated: boolean;
  /** Wall ms of the answer: prices have dates. */
  readonly at: number;
}

/**
 * Cost in whole nano-dollars per component, each rounded once (half up); the total is their sum. Exact: prices are
 * taken as decimal fractions, products as big integers. `input` counts the part that was not read from the cache (with
 * cache writes), `cached` the part that was.
 */
export function costOf(usage: Usage, basis: CostBasis): Cost {
  const found = find(basis);
  if (!found)
    return {
      inputNano: 0,
      cachedNano: 0,
      outputNano: 0,
      totalNano: 0,
      catalogue: "none",
      pricedAs: basis.pricedAs ?? basis.models[0] ?? "",
      simulated: basis.simulated,
    };
  const row = rowAt(found, basis.at);
  const rate = (price: Price | undefined): bigint => femto(price, usage.input);
  const input = rate(row.input_mtok);
  const output = rate(row.output_mtok);
  const fresh = usage.input - usage.cached - usage.cacheWrite;
  const inputNano = nano(
    BigInt(fresh) * input +
      BigInt(usage.cacheWrite) * (row.cache_write_mtok === undefined ? input : rate(row.cache_write_mtok)),
  );
  const cachedNano = nano(
    BigInt(usage.cached) * (row.cache_read_mtok === undefined ? input : rate(row.cache_read_mtok)),
  );
  const reasoning = row.output_reasoning_mtok === undefined ? output : rate(row.output_reasoning_mtok);
  const outputNano = nano(BigInt(usage.output - usage.reasoning) * output + BigInt(usage.reasoning) * reasoning);
  return {
    inputNano,
    cachedNano,
    outputNano,
    totalNano: inputNano + cachedNano + outputNano,
    catalogue: CATALOGUE,
    pricedAs: found.id,
    simulated: basis.simulated,
  };
}

function find(basis: CostBasis): ModelPrices | undefined {
  if (basis.pricedAs === undefined) {
    for (const model of basis.models) {
      const found = findModel(basis.provider, model);
      if (found) return found;
    }
    return undefined;
  }
  for (const provider of catalogueProviders()) {
    const found = findModel(provider, basis.pricedAs);
    if (found) return found;
  }
  return undefined;
}

/** Price of one token in 10^-15 dollars; prices of the catalogue have at most nine decimals per million after rounding. */
function femto(price: Price | undefined, input: number): bigint {
  if (price === undefined) return 0n;
  let perMillion = typeof price === "number" ? price : price.base;
  if (typeof price !== "number") for (const tier of price.tiers) if (input > tier.start) perMillion = tier.price;
  const [whole, fraction = ""] = perMillion.toFixed(9).split(".");
  return BigInt(`${whole}${fraction}`);
}

const PER_NANO = 1_000_000n;

/** 10^-15 dollars to whole nano-dollars, half up. */
function nano(amount: bigint): number {
  return Number((amount + PER_NANO / 2n) / PER_NANO);
}
