import assert from "node:assert/strict";
import { test } from "node:test";
import { validate } from "./validate.ts";

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["n"],
  properties: {
    n: { type: "number" },
    list: { type: "array", items: { type: "string" } },
    rows: {
      type: "array",
      items: { type: "object", additionalProperties: false, required: ["id"], properties: { id: { type: "string" } } },
    },
    nested: { type: "object", additionalProperties: false, properties: { id: { type: "string" } } },
    text: { type: "string" },
    flag: { type: "boolean" },
    kind: { type: "string", enum: ["one_way", "two-way"] },
  },
};

function fixed(args: object): { value: unknown; repaired: number } {
  const result = validate(SCHEMA, { n: 1, ...args });
  assert.ok(result.ok, result.ok ? "" : `${result.path}: ${result.problem}`);
  const { n: _n, ...value } = result.value;
  return { value, repaired: result.repaired.length };
}
function problem(args: unknown): string {
  const result = validate(SCHEMA, args);
  return result.ok ? "ok" : `${result.path}: ${result.problem}`;
}

test("a structure that came as JSON text is read as what it says, a field that may be text is never touched (D-11)", () => {
  assert.deepEqual(fixed({ list: '["a"]' }), { value: { list: ["a"] }, repaired: 1 });
  assert.deepEqual(fixed({ nested: '{"id":"x"}' }), { value: { nested: { id: "x" } }, repaired: 1 });
  assert.deepEqual(fixed({ rows: '{"id":"x"}' }), { value: { rows: [{ id: "x" }] }, repaired: 2 });
  assert.deepEqual(fixed({ text: "[1]" }), { value: { text: "[1]" }, repaired: 0 });
  const number = validate(SCHEMA, { n: "200" });
  assert.deepEqual([number.ok, number.ok && number.value], [true, { n: 200 }]);
  const whole = validate(SCHEMA, '{"n":1}');
  assert.deepEqual([whole.ok, whole.ok && whole.value], [true, { n: 1 }]);
});

test("words for true and false, one value for a list, numbers for a text, other signs in a choice", () => {
  assert.deepEqual(fixed({ flag: "True" }), { value: { flag: true }, repaired: 1 });
  assert.deepEqual(fixed({ list: "a" }), { value: { list: ["a"] }, repaired: 1 });
  assert.deepEqual(fixed({ text: 5 }), { value: { text: "5" }, repaired: 1 });
  assert.deepEqual(fixed({ kind: "oneWay" }), { value: { kind: "one_way" }, repaired: 1 });
  assert.deepEqual(fixed({ TEXT: "x" }), { value: { text: "x" }, repaired: 1 });
});

test("what is not a number, a list or a known field is refused by its path (D-19)", () => {
  assert.equal(problem({ n: "0x10" }), "n: must be a number, not text");
  assert.equal(problem({ n: "" }), "n: must be a number, not text");
  assert.equal(problem({ n: 1, list: true }), "list: must be a list, not a boolean");
  assert.equal(problem({ n: 1, rows: [{ id: "a" }, {}] }), "rows[1].id: is missing");
  assert.equal(problem([]), ": must be an object, not a list");
  assert.match(problem({ n: 1, "clipboard? no": 1 }), /^clipboard\? no: is not a field here; the fields are n, list/);
  assert.ok(problem({ n: 1, ["k".repeat(1582)]: 1 }).length < 200);
});

test("names that every object inherits are no fields", () => {
  for (const key of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    assert.match(problem(JSON.parse(`{"n":1,"${key}":{"id":"x"}}`)), /is not a field here/, key);
  }
  assert.equal(
    problem(JSON.parse('{"__proto__":{"n":1}}')).endsWith("text, flag, kind"),
    true,
    "a required field is not found in the prototype",
  );
});
