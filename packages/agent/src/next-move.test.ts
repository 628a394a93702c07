import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArtifactBrief, FinishReason } from "@swarm/protocol";
import { nextMove, type View } from "./next-move.ts";
import { EMPTY_STATE, type AgentState } from "./state.ts";

const CALL = { id: "c", name: "handoff", args: "{}" };
const PUBLISHED: ArtifactBrief = { id: "art_1", title: "", revision: 1, bytes: 1, state: "published" };
const view = (part: Partial<View> = {}): View => ({
  wantsArtifact: true,
  artifact: undefined,
  budget: {},
  elapsedS: 0,
  ...part,
});
const move = (state: Partial<AgentState>, part?: Partial<View>): string => {
  const next = nextMove({ ...EMPTY_STATE, ...state }, view(part));
  return next.do === "end" ? `end ${next.ending.state}` : next.do;
};

/** Each rule's state, in the order of the rules: an earlier one wins over all later ones. */
const RULES: readonly (readonly [string, Partial<AgentState>, string])[] = [
  ["M1", { pending: [{ call: CALL, started: false }] }, "calls"],
  ["M2", { handoff: CALL }, "hand-off"],
  ["M3", { verdict: { kind: "stop", reason: "loop: x" } }, "end blocked"],
  ["M5", { silent: { text: "words", finish: "stop" } }, "say"],
  ["M6", { spent: { ...EMPTY_STATE.spent, turns: 8 } }, "say"],
  ["M8", {}, "request"],
];

test("an earlier rule wins over every later one (M1–M8)", () => {
  for (const [i, [rule, state, expected]] of RULES.entries()) {
    for (const [, other] of RULES.slice(i))
      assert.equal(move({ ...other, ...state }, { budget: { turns: 10 } }), expected, rule);
  }
  assert.equal(move({ verdict: { kind: "nudge", reason: "Loop: x" } }), "say", "M4");
  assert.equal(move({ spent: { ...EMPTY_STATE.spent, turns: 10 } }, { budget: { turns: 10 } }), "ask-budget", "M7");
});

test("a person's words come before any end but not before results (M2, M3, M5)", () => {
  for (const [rule, state] of RULES.slice(1, 4)) assert.equal(move({ ...state, held: ["wait"] }), "request", rule);
  assert.equal(move({ ...RULES[0]![1], held: ["wait"] }), "calls");
});

test("an answer without a call, by what is wanted, what there is and how often it was said (M5)", () => {
  const silent = (text: string, finish: FinishReason, corrections = 0) => ({ silent: { text, finish }, corrections });
  assert.equal(move(silent("done", "stop"), { artifact: PUBLISHED }), "end delivered");
  assert.equal(move(silent("", "stop"), { artifact: PUBLISHED }), "end delivered");
  assert.equal(move(silent("42", "stop"), { wantsArtifact: false }), "end delivered");
  assert.equal(move(silent("4", "length"), { wantsArtifact: false }), "say");
  assert.equal(move(silent("  ", "stop"), { wantsArtifact: false }), "say");
  assert.equal(move(silent("x", "content_filter"), { artifact: PUBLISHED }), "end blocked");
  assert.deepEqual(
    [0, 1].map((n) => move(silent("prose", "stop", n))),
    ["say", "end blocked"],
  );
  assert.deepEqual(
    [0, 1, 2].map((n) => move(silent("<p>", "length", n))),
    ["say", "say", "end blocked"],
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((n) => move(silent("", "other", n))),
    ["correct-call", "correct-call", "correct-call", "end blocked"],
  );
});
