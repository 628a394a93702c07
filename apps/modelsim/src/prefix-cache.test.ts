import assert from "node:assert/strict";
import { test } from "node:test";
import { PrefixCache } from "./prefix-cache.ts";

const OPTIONS = { blockTokens: 128, minTokens: 1024, ttlMs: 1000 };
const tokens = (n: number, from = 0): Uint32Array => Uint32Array.from({ length: n }, (_, i) => from + i);

test("a hit is whole blocks of the longest common prefix, nothing below the minimum", () => {
  const cache = new PrefixCache(OPTIONS);
  cache.write(cache.keysOf([tokens(2000)]), 0);
  assert.equal(cache.read(cache.keysOf([tokens(2000)]), 1), 1920);
  assert.equal(cache.read(cache.keysOf([tokens(1500), tokens(500, 9000)]), 1), 1408);
  assert.equal(cache.read(cache.keysOf([tokens(1000), tokens(1000, 9000)]), 1), 0);
  assert.equal(cache.read(cache.keysOf([tokens(1, 77), tokens(1999)]), 1), 0);
});

test("how a prefix is cut into segments does not matter", () => {
  const cache = new PrefixCache(OPTIONS);
  assert.deepEqual(cache.keysOf([tokens(700), tokens(700, 700)]), cache.keysOf([tokens(1400)]));
});

test("an entry is forgotten after its time, and reading renews it", () => {
  const cache = new PrefixCache(OPTIONS);
  const keys = cache.keysOf([tokens(1280)]);
  cache.write(keys, 0);
  assert.equal(cache.read(keys, 900), 1280);
  assert.equal(cache.read(keys, 1800), 1280);
  assert.equal(cache.read(keys, 2801), 0);
});
