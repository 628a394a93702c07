import assert from "node:assert/strict";
import { test } from "node:test";
import { shows } from "./live.ts";

test("a reading is found however people write it, and not in other numbers", () => {
  for (const text of [
    "424242",
    "424,242",
    "424.242",
    "424 242 ms",
    "value 424.2k",
    "424K",
    "0.424M",
    "p50 12 p95 424,242.0 max 9",
    "424\u202f242",
  ])
    assert.ok(shows(text, 424_242), text);
  for (const text of ["", "424", "42 42 42", "4.24 ms 242", "p50 4242 p95 42", "42,424", "42.4k", "42,4k", "404242"])
    assert.ok(!shows(text, 424_242), text);
});
