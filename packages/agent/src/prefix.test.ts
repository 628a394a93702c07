import assert from "node:assert/strict";
import { test } from "node:test";
import { breakCause, frozenPrefix } from "./prefix.ts";

const tool = (name: string, parameters: object = { type: "object", properties: {} }) => ({
  name,
  description: name,
  parameters: parameters as Record<string, unknown>,
});

test("the order of tools and of their keys does not matter, their content does (E-10)", () => {
  const a = frozenPrefix("p", [tool("b"), tool("a", { type: "object", properties: { x: { type: "string" } } })]);
  const b = frozenPrefix("p", [tool("a", { properties: { x: { type: "string" } }, type: "object" }), tool("b")]);
  assert.equal(JSON.stringify([a.system, a.tools]), JSON.stringify([b.system, b.tools]));
  assert.deepEqual([a.hash, a.bytes], [b.hash, b.bytes]);
  assert.deepEqual(
    a.tools.map((t) => t.name),
    ["a", "b"],
  );
  assert.notEqual(frozenPrefix("p", [tool("a"), tool("b")]).hash, a.hash);
});

test("sessions of one profile share one prefix, and what a declaration has beside the model's part stays out", () => {
  const list = [{ ...tool("a"), effect: "write", idempotent: true, timeoutMs: 1 }];
  assert.equal(frozenPrefix("p", list), frozenPrefix("p", list));
  assert.deepEqual(Object.keys(frozenPrefix("p", list).tools[0]!).sort(), ["description", "name", "parameters"]);
});

test("a break of the cache is named by its cause", () => {
  const before = { prefixHash: frozenPrefix("p", [tool("a")]).hash, model: "x/1" };
  const now = (prompt: string, name: string, model = "x/1") =>
    breakCause(before, { hash: frozenPrefix(prompt, [tool(name)]).hash, model });
  assert.equal(now("p", "a"), undefined);
  assert.equal(now("q", "a"), "instructions changed");
  assert.equal(now("p", "b"), "tool list changed");
  assert.equal(now("p", "a", "y/2"), "model switched from x/1 to y/2");
  assert.equal(now("q", "b", "y/2"), "model switched from x/1 to y/2, instructions changed, tool list changed");
  assert.equal(breakCause({ prefixHash: undefined, model: undefined }, { hash: "1.2", model: "m" }), undefined);
});
