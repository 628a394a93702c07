import { findProvider, type ConditionalPrice, type ModelPrice } from "@pydantic/genai-prices";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { DatedPrices, ModelPrices, PriceRow } from "../prices/catalogue.ts";

/** Providers that can be asked, and Anthropic, whose models others resell. First match wins for a bare model name. */
export const SNAPSHOT_PROVIDERS = [
  "google",
  "openai",
  "anthropic",
  "deepseek",
  "mistral",
  "groq",
  "fireworks",
  "together",
  "openrouter",
];
const KEYS = ["input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok", "output_reasoning_mtok"] as const;

/** Source text of `catalogue-data.ts` as the installed price package has it. */
export function priceSnapshot(): string {
  const rows = SNAPSHOT_PROVIDERS.map((id) => {
    const models = findProvider({ providerId: id })!.models.flatMap((model): ModelPrices[] => {
      const dated = (Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }]).map(datedPrices);
      if (dated.every(({ prices }) => prices.input_mtok === undefined && prices.output_mtok === undefined)) return [];
      return [{ id: model.id, match: model.match, rows: dated }];
    });
    return `  ${id}: ${quoted(JSON.stringify(models))},`;
  });
  return [
    `/** Made from @pydantic/genai-prices by UPDATE_PRICES=1 with the test in this folder; not edited by hand. */`,
    `export const CATALOGUE_VERSION = ${JSON.stringify(packageVersion())};`,
    `export const CATALOGUE_DATA: Readonly<Record<string, string>> = {`,
    ...rows,
    `};`,
    ``,
  ].join("\n");
}

function datedPrices(entry: ConditionalPrice): DatedPrices {
  const prices = priceRow(entry.prices);
  const { constraint } = entry;
  if (constraint === undefined) return { prices };
  return constraint.type === "start_date"
    ? { from: constraint.start_date, prices }
    : { between: [constraint.start_time, constraint.end_time], prices };
}

function priceRow(prices: ModelPrice): PriceRow {
  return JSON.parse(JSON.stringify(Object.fromEntries(KEYS.map((key) => [key, prices[key]])))) as PriceRow;
}

function packageVersion(): string {
  const door = createRequire(import.meta.url).resolve("@pydantic/genai-prices");
  return (JSON.parse(readFileSync(join(dirname(door), "..", "package.json"), "utf8")) as { version: string }).version;
}

function quoted(json: string): string {
  return `'${json.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
