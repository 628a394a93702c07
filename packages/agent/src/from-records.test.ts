import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunId } from "@swarm/std";
import { EMPTY_STATE, recordOf, stateFromRecords, type AgentEvent, type RecordDraft } from "./index.ts";
import { NO_COST, ok, QUEUED, rebuilt, records, TASK, USAGE } from "./testing/play.ts";

const CALLS = [
  { id: "a", name: "shell", args: '{"x":1}', signature: "sig-a" },
  { id: "b", name: "shell", args: "{}" },
];
const STEP: readonly AgentEvent[] = [
  { type: "step-started", step: 1, model: "m", prefixHash: "1.2", prefixBytes: 1 },
  {
    type: "step-finished",
    step: 1,
    text: "",
    calls: CALLS,
    finish: "tool_calls",
    usage: USAGE,
    cost: NO_COST,
    model: "m",
    ttftMs: 1,
    durationMs: 2,
    signature: "sig-turn",
  },
  { type: "tool-started", step: 1, call: CALLS[0]! },
];
const drafts = (events: readonly AgentEvent[]): RecordDraft[] => events.map((e) => recordOf(e, "run_1" as RunId));
const WORDS: RecordDraft = { kind: "message.added", payload: { text: "and now blue", by: "person" } };

test("a new run begins with the whole conversation, with a result for every open call and with nothing spent (F-03)", async () => {
  const before = await rebuilt(drafts(STEP));
  assert.deepEqual([before.pending.map((p) => p.started), before.spent.turns], [[true, false], 1]);
  const state = await rebuilt([...drafts(STEP), WORDS, QUEUED]);
  assert.deepEqual(
    state.messages.map((m) => (m.role === "tool" ? `${m.callId} ${m.isError}` : m.role)),
    ["user", "assistant", "a true", "b true"],
  );
  assert.deepEqual([state.pending, state.held, state.step, state.spent], [[], ["and now blue"], 0, EMPTY_STATE.spent]);
  assert.deepEqual([state.prefixHash, state.model], ["1.2", "m"], "the cache still holds what came before");
});

test("a person's words that came while a step ran stand after its results, as they did live", async () => {
  const [started, ...rest] = drafts(STEP);
  const result = drafts(
    CALLS.map((call) => ({ type: "tool-finished", step: 1, call, outcome: ok("{}"), durationMs: 1 }) as const),
  );
  const next = drafts([{ type: "step-started", step: 2, model: "m", prefixHash: "1.2", prefixBytes: 1 }]);
  const state = await rebuilt([started!, WORDS, ...rest, ...result, ...next]);
  assert.deepEqual(
    state.messages.map((m) => m.role),
    ["user", "assistant", "tool", "tool", "user"],
  );
});

test("what a provider wants back unread comes back byte for byte, and long texts from where they are kept (D-18)", async () => {
  const kept = new Map<string, string>();
  const store = (text: string) => {
    kept.set(`blob${kept.size}`, text);
    return { blob: `blob${kept.size - 1}`, bytes: text.length };
  };
  const stored = STEP.map((e) => recordOf(e, "run_1" as RunId, store));
  const state = await stateFromRecords(records([TASK, QUEUED, ...stored]), (text) =>
    typeof text === "string" ? text : kept.get(text.blob)!,
  );
  assert.deepEqual(state.messages.at(-1), { role: "assistant", text: "", calls: CALLS, signature: "sig-turn" });
  assert.deepEqual(state, await rebuilt(drafts(STEP)));
});
