import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamPart } from "@swarm/protocol/ports";
import { Collector } from "./collect.ts";
import { NO_COST, USAGE } from "./testing/play.ts";

const FINISH: StreamPart = { type: "finish", reason: "stop", raw: "", usage: USAGE, cost: NO_COST, model: "m" };

function collect(batches: readonly (readonly StreamPart[])[]) {
  const live: [string, number, string][] = [];
  const collector = new Collector((...heard) => live.push(heard));
  for (const [i, batch] of batches.entries()) collector.take(batch, i);
  assert.ok(collector.end?.ok);
  return { live, collected: collector.end.collected, firstAt: collector.firstAt };
}

test("live hears each stream once per batch with its offset, and the pieces make the whole", () => {
  const text = (t: string): StreamPart => ({ type: "text-delta", text: t });
  const { live, collected, firstAt } = collect([
    [{ type: "response-start", model: "m" }],
    [text("a"), text("b"), { type: "reasoning-delta", text: "r" }],
    [text("c"), text("d")],
    [FINISH],
  ]);
  assert.deepEqual(live, [
    ["text", 0, "ab"],
    ["reasoning", 0, "r"],
    ["text", 2, "cd"],
  ]);
  assert.deepEqual([collected.text, collected.reasoning, firstAt], ["abcd", "r", 1]);
});

test("arguments stream by call; a call that never ended is no call; one that came whole is heard whole", () => {
  const start = (index: number): StreamPart => ({ type: "tool-call-start", index, id: `c${index}`, name: "t" });
  const delta = (index: number, args: string): StreamPart => ({ type: "tool-call-delta", index, args });
  const end = (index: number, args: string): StreamPart => ({
    type: "tool-call-end",
    index,
    id: `c${index}`,
    name: "t",
    args,
    signature: "s",
  });
  const { live, collected } = collect([
    [start(1), delta(1, "{"), delta(1, "}")],
    [start(0), end(0, '{"x":1}'), end(1, "{}"), start(2), delta(2, "{")],
    [FINISH],
  ]);
  assert.deepEqual(live, [
    ["args:1", 0, "{}"],
    ["args:0", 0, '{"x":1}'],
    ["args:2", 0, "{"],
  ]);
  assert.deepEqual(collected.calls, [
    { id: "c0", name: "t", args: '{"x":1}', signature: "s" },
    { id: "c1", name: "t", args: "{}", signature: "s" },
  ]);
});

test("a long answer in small pieces costs time in proportion to its length", () => {
  const collector = new Collector(() => {});
  const piece: readonly StreamPart[] = [{ type: "text-delta", text: "0123456789" }];
  for (let i = 0; i < 200_000; i++) collector.take(piece, i);
  collector.take([FINISH], 0);
  assert.ok(collector.end?.ok);
  assert.equal(collector.end.collected.text.length, 2_000_000);
});

test("an error part is the end", () => {
  const collector = new Collector(() => {});
  collector.take(
    [
      { type: "text-delta", text: "half" },
      { type: "error", code: "provider_unavailable", message: "cut" },
    ],
    0,
  );
  assert.deepEqual(collector.end, {
    ok: false,
    error: { type: "error", code: "provider_unavailable", message: "cut" },
  });
});
