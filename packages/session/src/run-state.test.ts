import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyRecord, Payloads } from "@swarm/protocol";
import { decideRestart, NO_RUN, PARKED, reduceRun, type DaemonStart, type RunState } from "./run-state.ts";

const run = "run_1" as never;
let seq = 0;
function after(
  state: RunState,
  ...records: { readonly kind: string; readonly payload: unknown; readonly seq?: number }[]
): RunState {
  return records.reduce(
    (now, r) => reduceRun(now, { session: "ses_1", rev: 1, at: 0, actor: "t", seq: seq++, ...r } as AnyRecord),
    state,
  );
}
const queued = {
  kind: "run.queued",
  payload: { run, budget: { turns: 4, usd: 0.5 }, interactive: false } satisfies Payloads["run.queued"],
};
const lease = (at: number, resumed = true) => ({ kind: "run.leased", seq: at, payload: { run, epoch: 1, resumed } });
const progress = { kind: "tool.finished", payload: {} };

/** Starts at 100, 200, 300 …, each clean or not. */
const starts = (...clean: boolean[]): DaemonStart[] => clean.map((c, i) => ({ seq: (i + 1) * 100, clean: c }));
const twice = after(NO_RUN, queued, lease(101, false), lease(201), lease(301));

test("parked: taken up twice after crashes, nothing done between, and the daemon crashed again", () => {
  assert.equal(decideRestart(twice, starts(true, false, false), false), "park");
});
test("not parked: the last stop was orderly, or one of the leases followed an orderly stop", () => {
  assert.equal(decideRestart(twice, starts(true, false, false), true), "lease");
  assert.equal(decideRestart(twice, starts(true, true, false), false), "lease");
});
test("not parked: it got somewhere, or it waited for a person when the daemon crashed", () => {
  const crashes = starts(true, false, false);
  assert.equal(decideRestart(after(twice, progress), crashes, false), "lease");
  const asks = { kind: "run.waiting", payload: { run, on: "user", detail: "which?" } };
  assert.equal(decideRestart(after(twice, asks), crashes, false), "lease");
});
test("a parked run is left alone by every start until a person says something", () => {
  const parked = after(twice, { kind: "run.waiting", payload: { run, on: "user", detail: `${PARKED} it crashes` } });
  for (const clean of [true, false]) assert.equal(decideRestart(parked, starts(true), clean), "leave");
  const sent = after(parked, { kind: "message.added", payload: { text: "go", by: "person" } });
  assert.equal(decideRestart(sent, starts(true, false, false), false), "lease");
  const told = after(parked, { kind: "message.added", payload: { text: "go", by: "daemon" } });
  assert.equal(decideRestart(told, starts(true), false), "leave");
});
test("an ended run and no run are left alone", () => {
  assert.equal(decideRestart(NO_RUN, [], true), "leave");
  assert.equal(decideRestart(after(twice, { kind: "run.ended", payload: {} }), [], true), "leave");
});
test("a person's answer raises every limit by half, each time from what it is by then", () => {
  const ask = (question: string, call: string) => ({
    kind: "question.asked",
    payload: { run, question, text: "", options: [], call },
  });
  const answer = (question: string, words: string) => ({
    kind: "question.answered",
    payload: { question, answer: words, by: "t" },
  });
  let state = after(NO_RUN, queued, lease(1, false), ask("q1", "budget:run_1:x"), answer("q1", "raise by half"));
  const budget = (s: RunState) => (s.phase === "none" ? undefined : s.budget);
  assert.deepEqual(budget(state), { turns: 6, usd: 0.75 });
  state = after(state, ask("q2", "budget:run_1:y"), answer("q2", "Raise by half"));
  assert.deepEqual(budget(state), { turns: 9, usd: 1.125 });
  state = after(
    state,
    ask("q3", "budget:run_1:z"),
    answer("q3", "Stop here"),
    ask("q4", "call_1"),
    answer("q4", "raise it"),
  );
  assert.deepEqual(budget(state), { turns: 9, usd: 1.125 });
});
