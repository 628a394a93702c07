import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { checkedUsage, estimatedUsage } from "./usage.ts";
import { chatUsage } from "./wires/chat/usage.ts";
import { geminiUsage } from "./wires/gemini/usage.ts";

const counts = (u: ReturnType<typeof checkedUsage>): unknown[] => [
  u.input,
  u.cached,
  u.output,
  u.reasoning,
  u.estimated,
];

test("recorded usage shapes of providers, normalised (E-03)", () => {
  const chat: [Record<string, unknown>, unknown[]][] = [
    [
      {
        prompt_tokens: 10,
        completion_tokens: 100,
        total_tokens: 110,
        completion_tokens_details: { reasoning_tokens: 80 },
      },
      [10, 0, 100, 80, false],
    ],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 110,
        completion_tokens_details: { reasoning_tokens: 80 },
      },
      [10, 0, 100, 80, false],
    ],
    [
      { prompt_tokens: 3000, completion_tokens: 5, total_tokens: 3005, prompt_tokens_details: { cached_tokens: 2560 } },
      [3000, 2560, 5, 0, false],
    ],
    [
      { prompt_tokens: 3000, completion_tokens: 5, prompt_cache_hit_tokens: 2560, prompt_cache_miss_tokens: 440 },
      [3000, 2560, 5, 0, false],
    ],
    [
      { prompt_tokens: 3000, completion_tokens: 5, prompt_tokens_details: null, completion_tokens_details: null },
      [3000, 0, 5, 0, false],
    ],
    [{ prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 20 } }, [10, 10, 5, 0, true]],
    [{}, [0, 0, 0, 0, true]],
  ];
  for (const [raw, wanted] of chat) assert.deepEqual(counts(chatUsage(raw)), wanted, JSON.stringify(raw));
  const gemini: [Record<string, unknown>, unknown[]][] = [
    [{ promptTokenCount: 4, candidatesTokenCount: 2, thoughtsTokenCount: 1, totalTokenCount: 7 }, [4, 0, 3, 1, false]],
    [
      { promptTokenCount: 262_960, cachedContentTokenCount: 257_955, candidatesTokenCount: 1744 },
      [262_960, 257_955, 1744, 0, false],
    ],
    [{ promptTokenCount: 4, toolUsePromptTokenCount: 6 }, [10, 0, 0, 0, false]],
  ];
  for (const [raw, wanted] of gemini) assert.deepEqual(counts(geminiUsage(raw)), wanted, JSON.stringify(raw));
});

test("whatever a provider sends, the invariants hold", () => {
  const junk = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(null, undefined, "5", {}, -1, Infinity, NaN));
  fc.assert(
    fc.property(fc.record({ input: junk, cached: junk, cacheWrite: junk, output: junk, reasoning: junk }), (raw) => {
      const u = checkedUsage(raw, raw);
      assert.ok(
        [u.input, u.cached, u.cacheWrite, u.output, u.reasoning].every((n) => Number.isSafeInteger(n) && n >= 0),
      );
      assert.ok(u.cached + u.cacheWrite <= u.input && u.reasoning <= u.output);
    }),
  );
  assert.deepEqual(counts(estimatedUsage(4001, 400)), [1001, 0, 100, 0, true]);
});
