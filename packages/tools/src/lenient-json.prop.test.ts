import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseArguments } from "./arguments.ts";
import { parseLenient } from "./lenient-json.ts";

const objects = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  .map((o) => JSON.parse(JSON.stringify(o)) as Record<string, unknown>);

test("valid JSON reads the same as JSON.parse and nothing is said to be repaired", () => {
  fc.assert(
    fc.property(objects, fc.integer({ min: 0, max: 2 }), (object, indent) => {
      assert.deepEqual(parseLenient(JSON.stringify(object, null, indent)), {
        ok: true,
        value: JSON.parse(JSON.stringify(object)) as unknown,
        repairs: [],
      });
    }),
  );
});

test("a call that was cut anywhere is refused, or every member it has is the whole member: never half a document", () => {
  fc.assert(
    fc.property(objects, fc.nat(), (object, place) => {
      const whole = JSON.stringify(object);
      const read = parseLenient(whole.slice(0, place % whole.length));
      if (!read.ok) return;
      for (const [key, value] of Object.entries(read.value)) assert.deepEqual(value, object[key]);
    }),
    { numRuns: 1000 },
  );
});

test("a text that lost the escape of a quote is refused or reads as what some valid JSON says, never shorter", () => {
  const html = fc.string({
    unit: fc.constantFrom('"', "a", " ", "=", "<", ">", ",", ":", "}", "\n", "\\"),
    maxLength: 40,
  });
  fc.assert(
    fc.property(html, fc.nat(), (content, which) => {
      const json = JSON.stringify({ action: "create", content, title: "T" });
      const places = [...json.matchAll(/\\"/g)].map((m) => m.index);
      if (places.length === 0) return;
      const at = places[which % places.length]!;
      const read = parseArguments(json.slice(0, at) + json.slice(at + 1));
      if (!read.ok) return;
      const value = read.value as Record<string, unknown>;
      assert.deepEqual([value["action"], value["title"], typeof value["content"]], ["create", "T", "string"]);
    }),
    { numRuns: 2000 },
  );
});

test("no text makes it throw", () => {
  const rough = fc.string({
    unit: fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      "'",
      ",",
      ":",
      "\\",
      "u",
      "1",
      "-",
      "a",
      " ",
      "\n",
      "\u0000",
      "\ud800",
    ),
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.oneof(rough, fc.string({ unit: "binary" })), (text) => void parseArguments(text)),
    { numRuns: 2000 },
  );
});
