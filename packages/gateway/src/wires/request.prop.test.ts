import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Message, ToolCall } from "@swarm/protocol";
import { historyArgs, MISSING_RESULT, repairHistory } from "../history.ts";
import { prompt } from "../testing/harness.ts";
import { validateChat } from "../testing/strict-chat.ts";
import { validateGemini } from "../testing/strict-gemini.ts";
import { chatRequest } from "./chat/request.ts";
import { geminiRequest } from "./gemini/request.ts";

const text = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.string({
      unit: fc.constantFrom("a", " ", '"', "\\", "\n", "漢", "😀", "\u0000", "\ud83d", "\ude00", "\u2028"),
      maxLength: 8,
    }),
  },
  fc.constantFrom("", " ", "\u0000", "ok", "\ud800"),
);
const id = fc.oneof(
  fc.constantFrom("a", "b", "call_r1", "call_r2", "", "same", "with space", "x".repeat(80), "\ud800"),
  text,
);
const args = fc.oneof(
  fc.constantFrom(
    "",
    "{}",
    "null",
    "[]",
    '{"command":',
    "5",
    '"x"',
    '{"a":"\\ud800"}',
    '{"a":"\\u0000","\\udc00":1}',
    `{"${"k".repeat(1582)}":1}`,
    '{"a":1e999}',
    `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    `{"a":${"[".repeat(70)}${"]".repeat(70)}}`,
    '{"__proto__":{"x":1}}',
    '{"a":"\ud800"}',
  ),
  fc.json(),
  text,
);
const name = fc.oneof(fc.constantFrom("read", "write", "", "bad name!", "9lives", "n".repeat(200), "-x"), text);
const call: fc.Arbitrary<ToolCall> = fc.record({
  id,
  name,
  args,
  signature: fc.constantFrom("gemini:U2ln", "other:x", ""),
});
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), text }),
  fc.record({
    role: fc.constant("assistant" as const),
    text,
    calls: fc.array(call, { maxLength: 3 }),
    signature: fc.constantFrom("gemini:VGV4", "other:y"),
  }),
  fc.record({ role: fc.constant("tool" as const), callId: id, name, output: text, isError: fc.boolean() }),
);
const messages = fc.array(message, { maxLength: 12 });
const DIALECT = { streamOptions: true, openai: false };

test("any list of messages makes a chat request that a strict server takes", () => {
  fc.assert(
    fc.property(messages, text, (list, system) =>
      validateChat(chatRequest("m", prompt({ messages: list, system }), DIALECT).body),
    ),
    { numRuns: 600 },
  );
});

test("any list of messages makes a gemini request that a strict server takes", () => {
  fc.assert(
    fc.property(messages, text, (list, system) => {
      validateGemini(geminiRequest("gemini-3.6-flash", prompt({ messages: list, system })).body, true);
      validateGemini(geminiRequest("gemini-2.5-flash", prompt({ messages: list, system })).body, false);
    }),
    { numRuns: 600 },
  );
});

test("history is stable: what a longer list adds comes after what the shorter one had", () => {
  fc.assert(
    fc.property(messages, messages, (head, more) => {
      // Up to the newest answer everything that belongs to earlier ones is settled.
      const settled = repairHistory([...head, { role: "assistant", text: "settled", calls: [] }]);
      const marker = settled.findLastIndex((t) => t.role === "assistant");
      const longer = repairHistory([...head, { role: "assistant", text: "settled", calls: [] }, ...more]);
      assert.deepEqual(longer.slice(0, marker + 1), settled.slice(0, marker + 1));
    }),
    { numRuns: 300 },
  );
});

test("results go to the right call when ids repeat, orphans are dropped, missing ones are told (D-04)", () => {
  const c = (id: string, args: string): ToolCall => ({ id, name: "read", args });
  const r = (callId: string, output: string): Message => ({
    role: "tool",
    callId,
    name: "read",
    output,
    isError: false,
  });
  const turns = repairHistory([
    { role: "user", text: "go" },
    r("call_1", "orphan before"),
    { role: "assistant", text: "", calls: [c("call_1", '{"n":1}'), c("call_1", '{"n":2}'), c("", '{"n":3}')] },
    r("call_1", "one"),
    r("call_1", "two"),
    r("nobody", "orphan"),
    { role: "assistant", text: "", calls: [c("call_1", '{"n":4}')] },
  ]);
  const calls = turns.flatMap((t) => (t.role === "assistant" ? t.calls : []));
  const outputs = new Map(turns.flatMap((t) => (t.role === "tool" ? [[t.callId, t.output]] : [])));
  assert.deepEqual(
    calls.map((call) => outputs.get(call.id)),
    ["one", "two", MISSING_RESULT, MISSING_RESULT],
  );
  assert.equal(new Set(calls.map((call) => call.id)).size, 4);
});

test("valid arguments are sent byte for byte, others as an object that holds them", () => {
  assert.equal(historyArgs('{ "b":1, "a":"\\u00e9" }'), '{ "b":1, "a":"\\u00e9" }');
  assert.equal(historyArgs('{"command":'), '{"_invalid":"{\\"command\\":"}');
  assert.equal(historyArgs("[1]"), '{"_invalid":"[1]"}');
  assert.equal(historyArgs('{"a":"x\\ud83d"}'), '{"a":"x\ufffd"}');
});
