import assert from "node:assert/strict";
import { test } from "node:test";
import { briefFor, CONTRACT_JSON, nodesFor } from "./brief.ts";
import { parseOptions } from "./options.ts";

test("an unknown tier is refused with the tiers there are", () => {
  for (const tier of ["9", "0", "x", "3-9", "-1", "5-1"]) {
    assert.throws(
      () => parseOptions([`--tier=${tier}`]),
      { code: "bad_request", message: /Unknown tier .*5 \(100 sessions\)/ },
      tier,
    );
  }
});

test("a range names every tier in it, the default is tier 3 at once", () => {
  const options = parseOptions(["--tier", "1-5"]);
  assert.ok(options !== "help");
  assert.deepEqual(options.tiers, [1, 2, 3, 4, 5]);
  const plain = parseOptions([]);
  assert.ok(plain !== "help");
  assert.deepEqual([plain.tiers, plain.shape, plain.model], [[3], "burst", "sim/ordinary"]);
});

test("an unknown flag, a stray word and a model without a provider are refused with what to do", () => {
  assert.throws(() => parseOptions(["--teir", "3"]), { code: "bad_request", message: /--help/ });
  assert.throws(() => parseOptions(["tier"]), { code: "bad_request", message: /Options begin with --/ });
  assert.throws(() => parseOptions(["--model", "gpt"]), { code: "bad_request", message: /provider\/model/ });
  assert.throws(() => parseOptions(["--speed", "0"]), { code: "bad_request" });
});

test("a brief holds its node and the six fields of the contract and no placeholder", () => {
  const [node] = nodesFor(1);
  const text = briefFor(node!);
  assert.match(text, /node 001: Event Bus Dispatcher\.\nDomain: Daemon subsystem\n/);
  assert.deepEqual(Object.keys(JSON.parse(CONTRACT_JSON) as object), [
    "system_contract",
    "fps",
    "duration_ms",
    "theme",
    "target_surface",
    "prompt_brief",
  ]);
  assert.equal(text.split("[DOMAIN_NAME]").length, 2, "only the contract itself shows the placeholder");
  assert.equal(new Set(nodesFor(100).map(briefFor)).size, 100);
});
