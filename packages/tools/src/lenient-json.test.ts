import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArguments } from "./arguments.ts";
import { parseLenient } from "./lenient-json.ts";

function read(text: string): unknown {
  const result = parseLenient(text);
  return result.ok ? result.value : result.problem;
}
function repairs(text: string): readonly string[] {
  const result = parseLenient(text);
  return result.ok ? result.repairs : [];
}

test("L1 words, fences and extra closers around the object are left out and said", () => {
  assert.deepEqual(read('```json\n{"a":1}\n```'), { a: 1 });
  assert.deepEqual(read('{"a":1}\n</tool_call>'), { a: 1 });
  assert.deepEqual(read('{"a":1}}'), { a: 1 });
  assert.deepEqual(repairs('{"a":1}}'), ["words after the object left out"]);
});

test("L2 a comma before a closer, L3 quotes and words of other languages, L4 raw line breaks in a text", () => {
  assert.deepEqual(read('{"a":[1,2,],}'), { a: [1, 2] });
  assert.deepEqual(read("{'a': 'it\\'s \"x\"', 'b': True, 'c': None}"), { a: 'it\'s "x"', b: true, c: null });
  assert.deepEqual(read('{a: "x", b: 1}'), { a: "x", b: 1 });
  assert.deepEqual(read('{"a":"one\ntwo\tthree"}'), { a: "one\ntwo\tthree" });
});

test("L5 the last brace may be missing after a complete value, and only there", () => {
  assert.deepEqual(read('{"a":"x","b":[1]'), { a: "x", b: [1] });
  for (const cut of [
    '{"a":"x',
    '{"a":1',
    '{"a":[1',
    '{"a":{"b":"x"',
    '{"a"',
    '{"a":',
    '{"a":"x",',
    "{",
    '{"a":tru',
    '{"a":"x\\',
    '{"a":"\\u00',
  ])
    assert.match(String(read(cut)), /they end before|is not JSON/, cut);
});

test("what could mean two things is refused with its place: open quotes, unknown escapes, two objects", () => {
  assert.match(String(read('{"c":"<p class="a">x</p>"}')), /a quote inside a text is not escaped/);
  assert.match(String(read('{"c":"<p class="">x</p>"}')), /not escaped/);
  assert.match(String(read('{"c":"it\\\'s \\d"}')), /\\' is not an escape/);
  assert.match(String(read('{"c":""}","title":"T"}')), /ends before its last text/);
  assert.match(String(read('{"c":"x",y:"z"}')), /unexpected sign/, "a bare word among quoted keys");
  assert.match(String(read('{"a":1}{"a":2}')), /more than one object/);
  assert.match(String(read('[{"a":1}]')), /must be one JSON object/);
  assert.match(String(read("no object")), /no JSON object/);
  assert.match(String(read('{"a":undefined}')), /"undefined" is not JSON/);
  const at = parseLenient('{"c":"<p class="a">"}');
  assert.deepEqual([at.ok, !at.ok && at.at], [false, 15]);
});

test("a member named __proto__ stays a member, deep nesting is refused, not overflowed", () => {
  assert.deepEqual(Object.keys(read('{"__proto__": {"x": 1},}') as object), ["__proto__"]);
  assert.equal(({} as { x?: unknown }).x, undefined);
  const deep = `{"a":${"[".repeat(100_000)}`;
  assert.match(String(read(deep)), /nested deeper/);
  const valid = parseArguments(`{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`);
  assert.deepEqual([valid.ok, !valid.ok && valid.code], [false, "limit"]);
});

test("ten megabytes are refused by their size without being parsed (D-08)", () => {
  const huge = parseArguments("x".repeat(10 * 1024 * 1024));
  assert.deepEqual([huge.ok, !huge.ok && huge.code], [false, "limit"]);
});
