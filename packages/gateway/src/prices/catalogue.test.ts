import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calcPrice } from "@pydantic/genai-prices";
import { priceSnapshot, SNAPSHOT_PROVIDERS } from "../testing/price-snapshot.ts";
import { pricesOf } from "./catalogue.ts";
import { costOf } from "./cost.ts";

const FILE = join(import.meta.dirname, "catalogue-data.ts");

test("the price snapshot is what the installed price package says (renew it with UPDATE_PRICES=1)", () => {
  const wanted = priceSnapshot();
  if (process.env["UPDATE_PRICES"] === "1") writeFileSync(FILE, wanted);
  // The formatter may choose other quotes or breaks; what counts is the same strings.
  const strip = (text: string): string => text.replace(/\s+/g, "");
  assert.equal(strip(readFileSync(FILE, "utf8")), strip(wanted));
});

const USAGES = [
  { input: 1000, cached: 0, cacheWrite: 0, output: 500, reasoning: 0 },
  { input: 262_960, cached: 257_955, cacheWrite: 0, output: 1744, reasoning: 900 },
  { input: 200_000, cached: 10, cacheWrite: 100, output: 7, reasoning: 7 },
  { input: 200_001, cached: 150_000, cacheWrite: 30_000, output: 1, reasoning: 0 },
];
const DATES = ["2025-06-01T03:00:00Z", "2026-12-01T17:00:00Z", "2027-02-01T00:00:00Z"].map((d) => Date.parse(d));

test("costs equal the price package's own calculation for every model, usage and date", () => {
  let compared = 0;
  for (const provider of SNAPSHOT_PROVIDERS) {
    for (const { id, rows } of pricesOf(provider)) {
      const read = rows.every((r) => r.prices.cache_read_mtok !== undefined);
      const write = rows.every((r) => r.prices.cache_write_mtok !== undefined);
      for (const u of USAGES) {
        for (const at of DATES) {
          const usage = { ...u, estimated: false, cached: read ? u.cached : 0, cacheWrite: write ? u.cacheWrite : 0 };
          const theirs = calcPrice(
            {
              input_tokens: usage.input,
              cache_read_tokens: usage.cached,
              cache_write_tokens: usage.cacheWrite,
              output_tokens: usage.output,
              output_reasoning_tokens: usage.reasoning,
            },
            id,
            { providerId: provider, timestamp: new Date(at) },
          );
          const ours = costOf(usage, { provider, models: [id], simulated: false, at });
          if (theirs === null || theirs.model.id !== ours.pricedAs) continue;
          // Ours is exact and rounded per component, theirs is floating point: at most 1.5 nano-dollars apart.
          assert.ok(
            Math.abs(ours.totalNano - theirs.total_price * 1e9) <= 1.5 + theirs.total_price,
            `${provider}/${id}: ${ours.totalNano} n$ against ${theirs.total_price * 1e9}`,
          );
          compared++;
        }
      }
    }
  }
  assert.ok(compared > 8000, `${compared} compared`);
});
