import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeBudget } from "./budget.ts";
import { EMPTY_STATE, type Spent } from "./state.ts";
import { play } from "./testing/play.ts";

const spent = (used: Partial<Spent>): Spent => ({ ...EMPTY_STATE.spent, ...used });

test("each limit is warned of once at 80 % and stops at 100 %", () => {
  for (const [limit, used] of [
    ["turns", (n: number) => ({ turns: n })],
    ["toolCalls", (n: number) => ({ toolCalls: n })],
    ["outputTokens", (n: number) => ({ outputTokens: n })],
    ["inputTokens", (n: number) => ({ inputTokens: n })],
  ] as const) {
    const judge = (n: number, warned: string[] = []) => judgeBudget({ [limit]: 100 }, spent(used(n)), 0, warned).kind;
    assert.deepEqual(
      [judge(79), judge(80), judge(80, [`${limit}:100`]), judge(99, [`${limit}:100`]), judge(100, [`${limit}:100`])],
      ["fine", "warn", "fine", "fine", "exhausted"],
      limit,
    );
  }
  assert.equal(judgeBudget({ wallS: 10 }, spent({}), 8, []).kind, "warn");
  assert.equal(judgeBudget({ wallS: 10 }, spent({}), 10, []).kind, "exhausted");
  assert.equal(judgeBudget({}, spent({ turns: 1e9, costNano: 1e18 }), 1e9, []).kind, "fine", "no limit, no end");
});

test("a raised limit is warned of again", () => {
  assert.equal(judgeBudget({ turns: 200 }, spent({ turns: 160 }), 0, ["turns:100"]).kind, "warn");
});

test("the request that would cross the limit of dollars or input is not sent: what came before says what it costs (E-12)", () => {
  const usd = (steps: number) =>
    judgeBudget({ usd: 0.1 }, spent({ costNano: steps * 0.03e9, steps }), 0, ["usd:0.1"]).kind;
  assert.deepEqual([usd(1), usd(2), usd(3)], ["fine", "fine", "exhausted"]);
  const input = (last: number) =>
    judgeBudget({ inputTokens: 100_000 }, spent({ inputTokens: 70_000, lastInputTokens: last }), 0, []).kind;
  assert.deepEqual([input(29_000), input(31_000)], ["fine", "exhausted"]);
  assert.equal(
    judgeBudget({ usd: 0.09 }, spent({ costNano: 0.06e9, steps: 2 }), 0, []).kind,
    "fine",
    "exactly to the limit is allowed",
  );
});

test("what is shown, warned of and stopped at is one ledger: the spend of a run never passes its dollars (E-12)", async () => {
  const { ended, events, model } = await play({
    answers: (n) => ({ costNano: 0.03e9, calls: [{ name: "shell", args: { n } }] }),
    tool: async (_n, args) => ({ ok: true, summary: "", output: args, repaired: [], truncated: false }),
    budget: { usd: 0.1 },
  });
  const sum = events.reduce((total, e) => total + (e.type === "step-finished" ? e.cost.totalNano : 0), 0);
  assert.deepEqual([ended?.state, sum, model.requests.length], ["budget_exhausted", 0.09e9, 3]);
  assert.match(ended?.handoff.overview ?? "", /0.09 of 0.1 US dollars/);
});

test("every started step is a turn, also one that failed (E-12)", async () => {
  const { ended, model } = await play({
    answers: () => ({ text: "x", error: { code: "provider_unavailable", message: "cut" } }),
    budget: { turns: 2 },
  });
  assert.deepEqual([ended?.state, model.requests.length], ["budget_exhausted", 2]);
});

test("the provider is told what is left of the output budget", async () => {
  const { model } = await play({
    answers: [
      { calls: [{ name: "shell", args: {} }], usage: { output: 300 } },
      { calls: [{ name: "manage_artifact", args: {} }] },
      { text: "done" },
    ],
    budget: { outputTokens: 1000 },
  });
  assert.deepEqual(
    model.requests.map((r) => r.maxOutputTokens),
    [1000, 700, 690],
  );
  assert.equal(
    (await play({ answers: [{ text: "x" }], profile: "assistant" })).model.requests[0]!.maxOutputTokens,
    undefined,
  );
});
