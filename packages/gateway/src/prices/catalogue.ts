import { CATALOGUE_DATA } from "./catalogue-data.ts";

/**
 * List prices, a snapshot of the price package made at build time: only the providers that can be asked, only prices of
 * text tokens. (The package itself costs 19 MB of memory; the snapshot's text 0.1 MB, and a provider is parsed when one
 * of its models is first priced.) A test proves the snapshot equal to the package.
 */
export interface PriceRow {
  readonly input_mtok?: Price;
  readonly cache_read_mtok?: Price;
  readonly cache_write_mtok?: Price;
  readonly output_mtok?: Price;
  readonly output_reasoning_mtok?: Price;
}
/** Dollars per million tokens; a tier holds for the whole request when its input exceeds `start` tokens. */
export type Price =
  | number
  | { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] };

export type Match =
  | { readonly or: readonly Match[] }
  | { readonly and: readonly Match[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string };

/** A row is in force from its date (ISO) or between two times of day (`HH:MM:SSZ`); the last that fits counts. */
export interface DatedPrices {
  readonly from?: string;
  readonly between?: readonly [string, string];
  readonly prices: PriceRow;
}
export interface ModelPrices {
  readonly id: string;
  readonly match: Match;
  readonly rows: readonly DatedPrices[];
}

const parsed = new Map<string, readonly ModelPrices[]>();

export function catalogueProviders(): string[] {
  return Object.keys(CATALOGUE_DATA);
}

export function pricesOf(provider: string): readonly ModelPrices[] {
  const text = Object.hasOwn(CATALOGUE_DATA, provider) ? CATALOGUE_DATA[provider] : undefined;
  if (text === undefined) return [];
  let models = parsed.get(provider);
  if (!models) parsed.set(provider, (models = JSON.parse(text) as ModelPrices[]));
  return models;
}

export function findModel(provider: string, model: string): ModelPrices | undefined {
  return pricesOf(provider).find((candidate) => matches(candidate.match, model));
}

function matches(match: Match, model: string): boolean {
  const name = model.toLowerCase();
  if ("or" in match) return match.or.some((m) => matches(m, model));
  if ("and" in match) return match.and.every((m) => matches(m, model));
  if ("equals" in match) return name === match.equals.toLowerCase();
  if ("starts_with" in match) return name.startsWith(match.starts_with.toLowerCase());
  if ("ends_with" in match) return name.endsWith(match.ends_with.toLowerCase());
  if ("contains" in match) return name.includes(match.contains.toLowerCase());
  return new RegExp(match.regex).test(model);
}

/** The row in force at `atMs` (wall ms). */
export function rowAt(model: ModelPrices, atMs: number): PriceRow {
  const row = model.rows.findLast(({ from, between }) => {
    if (from !== undefined) return atMs >= Date.parse(from);
    if (between === undefined) return true;
    const now = ((atMs % DAY_MS) + DAY_MS) % DAY_MS;
    const [start, end] = [timeOfDay(between[0]), timeOfDay(between[1])];
    return end < start ? now >= start || now < end : now >= start && now < end;
  });
  return (row ?? model.rows[0]!).prices;
}

const DAY_MS = 86_400_000;

function timeOfDay(text: string): number {
  return Date.parse(`1970-01-01T${text}`);
}
