import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { PartBatch } from "../../parts.ts";
import { ChatDecoder } from "./decode.ts";

/** What plain parsing says: the law that the learnt shapes must not bend. */
function plainly(events: readonly string[]): { text: string; reasoning: string; failedAt: number } {
  let text = "";
  let reasoning = "";
  for (const [i, event] of events.entries()) {
    try {
      const { choices } = JSON.parse(event) as {
        choices: { delta: { content?: unknown; reasoning_content?: unknown } }[];
      };
      const delta = choices[0]?.delta;
      if (typeof delta?.reasoning_content === "string") reasoning += delta.reasoning_content;
      if (typeof delta?.content === "string") text += delta.content;
    } catch {
      return { text, reasoning, failedAt: i };
    }
  }
  return { text, reasoning, failedAt: -1 };
}

function ours(events: readonly string[]): { text: string; reasoning: string; failedAt: number } {
  const batch = new PartBatch();
  const decoder = new ChatDecoder(batch, () => "call_x");
  let failedAt = -1;
  events.forEach((event, i) => {
    const read = `data: ${event}\n\n`;
    if (failedAt < 0) decoder.event(read, 6, read.length - 2, "");
    if (failedAt < 0 && decoder.state === "failed") failedAt = i;
  });
  let text = "";
  let reasoning = "";
  for (const part of batch.take()) {
    if (part.type === "text-delta") text += part.text;
    if (part.type === "reasoning-delta") reasoning += part.text;
  }
  return { text, reasoning, failedAt };
}

/** Insides of a string literal, valid or not, and pieces that break out of it into valid or broken JSON. */
const inside = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 8 }).map((s) => JSON.stringify(s).slice(1, -1)) },
  { weight: 1, arbitrary: fc.constantFrom("\\ud83d", "\\ude00", "\\u00e9", "\\/", "\\n", "\u{1F600}", "\u2028") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '","content":"other',
      '","x":"y',
      '"},"y":{"content":"z',
      '\\"',
      '","reasoning_content":"r',
      '"}},{"delta":{"content":"second',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("\\", '"', "\\x", "\\u12", "\t", "\u0001", '\\\\"') },
);
const event = fc
  .tuple(fc.constantFrom("content", "content", "content", "reasoning_content"), inside)
  .map(([key, x]) => `{"id":"c","choices":[{"index":0,"delta":{"${key}":"${x}"},"finish_reason":null}]}`);

test("events read by a learnt shape say what plain parsing says, also those that break out of the string", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      assert.deepEqual(ours(events), plainly(events));
    }),
    { numRuns: 3000 },
  );
});
