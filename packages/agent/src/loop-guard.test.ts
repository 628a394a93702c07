import assert from "node:assert/strict";
import { test } from "node:test";
import {
  NEAR_NUDGE_AT,
  NEAR_STOP_AT,
  NUDGE_AT,
  observeCall,
  STOP_AT,
  type GuardState,
  type ObservedCall,
} from "./loop-guard.ts";

type Seen = Partial<ObservedCall>;

/** Verdict kinds of calls made one a step. */
function watch(calls: readonly Seen[]): string[] {
  let state: GuardState = [];
  return calls.map((call, i) => {
    const observed = observeCall(state, {
      step: i + 1,
      name: "read",
      args: "{}",
      output: "x",
      errorCode: undefined,
      ...call,
    });
    state = observed.state;
    return observed.verdict.kind;
  });
}
const times = (n: number, call: (i: number) => Seen): Seen[] => Array.from({ length: n }, (_, i) => call(i));
const at = (n: number, kinds: readonly string[]): string | undefined => kinds[n - 1];

test("the same call with the same result is nudged at 3 and stopped at 5, never before", () => {
  const kinds = watch(times(STOP_AT, () => ({})));
  assert.deepEqual(
    kinds.filter((k) => k !== "fine"),
    ["nudge", "stop"],
  );
  assert.deepEqual([at(NUDGE_AT, kinds), at(STOP_AT, kinds)], ["nudge", "stop"]);
});

test("another result or other arguments are no loop", () => {
  assert.ok(watch(times(20, (i) => ({ output: `${i}` }))).every((k) => k === "fine"));
  assert.ok(watch(times(20, (i) => ({ args: `${i}` }))).every((k) => k === "fine"));
});

test("two or three calls in turn do not hide a loop, other tools in between neither", () => {
  for (const period of [2, 3])
    assert.ok(watch(times(period * STOP_AT, (i) => ({ args: `${i % period}` }))).includes("stop"), `${period} in turn`);
  assert.ok(watch(times(10, (i) => (i % 2 === 0 ? {} : { name: "status", output: `${i}` }))).includes("stop"));
});

test("the same error with changing arguments is nudged at 4 and stopped at 6; a success in between starts anew", () => {
  const failing = (i: number): Seen => ({ args: `${i}`, output: `${i}`, errorCode: "no_match" });
  const kinds = watch(times(NEAR_STOP_AT, failing));
  assert.deepEqual([at(NEAR_NUDGE_AT, kinds), at(NEAR_STOP_AT, kinds)], ["nudge", "stop"]);
  assert.equal(kinds.indexOf("stop"), NEAR_STOP_AT - 1);
  assert.ok(!watch(times(20, (i) => (i % 5 === 4 ? { args: `${i}` } : failing(i)))).includes("stop"));
  assert.ok(
    !watch(times(20, (i) => ({ ...failing(i), errorCode: `e${i % 2}` }))).includes("stop"),
    "two errors in turn are no near loop",
  );
});

test("equal calls of one step count once: the model had nothing to learn from between them", () => {
  assert.ok(watch(times(STOP_AT, () => ({ step: 1 }))).every((k) => k === "fine"));
});

test("what is remembered stays small", () => {
  let state: GuardState = [];
  for (let i = 0; i < 1000; i++)
    state = observeCall(state, {
      step: i,
      name: "read",
      args: "x".repeat(1000),
      output: `${i}`,
      errorCode: undefined,
    }).state;
  assert.ok(JSON.stringify(state).length < 3000);
});
