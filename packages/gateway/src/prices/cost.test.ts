import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "@swarm/protocol";
import { CATALOGUE, costOf } from "./cost.ts";

const usage = (input: number, cached: number, output: number, reasoning = 0): Usage => ({
  input,
  cached,
  cacheWrite: 0,
  output,
  reasoning,
  estimated: false,
});
const NOW = Date.parse("2026-12-01T12:00:00Z");

test("cached tokens are paid once, at the cached price (E-01)", () => {
  const cost = costOf(usage(262_960, 257_955, 1744), {
    provider: "google",
    models: ["gemini-3.6-flash"],
    simulated: false,
    at: NOW,
  });
  assert.deepEqual(cost, {
    inputNano: (262_960 - 257_955) * 750,
    cachedNano: 257_955 * 75,
    outputNano: 1744 * 3750,
    totalNano: 5005 * 750 + 257_955 * 75 + 1744 * 3750,
    catalogue: CATALOGUE,
    pricedAs: "gemini-3.6-flash",
    simulated: false,
  });
});

test("a simulator is priced as the model it stands for, and marked", () => {
  const cost = costOf(usage(1000, 0, 10), {
    provider: "sim",
    models: ["perfect"],
    pricedAs: "gemini-3.6-flash",
    simulated: true,
    at: NOW,
  });
  assert.deepEqual([cost.totalNano, cost.pricedAs, cost.simulated], [1000 * 750 + 10 * 3750, "gemini-3.6-flash", true]);
});

test("prices have dates: an introductory price ends", () => {
  const after = costOf(usage(1000, 0, 0), {
    provider: "google",
    models: ["gemini-3.6-flash"],
    simulated: false,
    at: Date.parse("2027-01-02T00:00:00Z"),
  });
  assert.equal(after.totalNano, 1000 * 1500);
});

test("no price: zeros that say so; the model that answered is tried after the one asked for", () => {
  const none = costOf(usage(1000, 0, 10), {
    provider: "ollama",
    models: ["gemini-3.6-flash"],
    simulated: false,
    at: NOW,
  });
  assert.deepEqual([none.totalNano, none.catalogue, none.pricedAs], [0, "none", "gemini-3.6-flash"]);
  const served = costOf(usage(1000, 0, 10), {
    provider: "google",
    models: ["my-alias", "gemini-3.6-flash"],
    simulated: false,
    at: NOW,
  });
  assert.equal(served.pricedAs, "gemini-3.6-flash");
});

test("fractions of a nano-dollar are rounded once per component", () => {
  // cache read of gemini-1.5-flash: $0.01875 per million = 18.75 n$ a token.
  const cost = costOf(usage(3, 3, 0), { provider: "google", models: ["gemini-1.5-flash"], simulated: false, at: NOW });
  assert.equal(cost.cachedNano, 56);
});
