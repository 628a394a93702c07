import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArtifactBrief } from "@swarm/protocol";
import type { ToolDeclaration, ToolOutcome, ToolRunner } from "@swarm/protocol/ports";
import { ScriptedModel, type ScriptedAnswer } from "@swarm/testkit";
import { abortReason, EMPTY_STATE, fold, profileOf, runAgent, type AgentEvent, type AgentInput, type AgentState } from "./index.ts";

const DECLARATIONS: readonly ToolDeclaration[] = ["handoff", "manage_artifact", "shell"].map((name) => ({ name, description: name, parameters: {}, effect: "write", idempotent: name !== "shell", timeoutMs: 1000 }));
const HANDOFF = { state: "delivered", title: "t", overview: "o", result: "r", artifacts: [], evidence: [], recommendation: { decision: "d", reason: "r" }, codeBlocks: [], followUps: [], formattedBy: "agent" } as const;

interface Setup {
  readonly answers: readonly ScriptedAnswer[] | ((n: number) => ScriptedAnswer);
  readonly tool?: (name: string, args: string) => ToolOutcome | Promise<ToolOutcome>;
  readonly profile?: "builder" | "assistant";
  readonly budget?: AgentInput["budget"];
  readonly state?: AgentState;
  readonly sinkFails?: (event: AgentEvent) => void;
  readonly inbox?: string[];
  readonly signal?: AbortSignal;
}

function ok(output: string, extra: Partial<ToolOutcome> = {}): ToolOutcome {
  return { ok: true, summary: "done", output, repaired: [], truncated: false, ...extra };
}
function bad(code: string): ToolOutcome {
  return { ok: false, summary: code, output: code, error: { code, class: "check_failed", message: code }, repaired: [], truncated: false };
}

async function play(setup: Setup): Promise<{ events: AgentEvent[]; model: ScriptedModel; calls: string[]; ended: Extract<AgentEvent, { type: "ended" }> | undefined }> {
  const events: AgentEvent[] = [];
  const calls: string[] = [];
  let artifact: ArtifactBrief | undefined;
  const model = new ScriptedModel(typeof setup.answers === "function" ? (_r, n) => (setup.answers as (n: number) => ScriptedAnswer)(n) : setup.answers);
  const tools: ToolRunner = {
    list: () => DECLARATIONS,
    async run(name, args) {
      calls.push(name);
      const outcome = setup.tool ? await setup.tool(name, args) : name === "handoff" ? ok("{}", { handoff: HANDOFF }) : ok("{}");
      if (name === "manage_artifact" && outcome.ok) artifact = { id: "art_1", title: "Card", revision: 1, bytes: 10, state: "published", verdict: "verified", passed: 3, checks: 3 };
      return outcome;
    },
  };
  const inbox = setup.inbox ?? [];
  await runAgent({
    profile: profileOf(setup.profile ?? "builder"),
    model,
    tools,
    session: "ses_1",
    run: "run_1",
    epoch: 1,
    state: setup.state ?? { ...EMPTY_STATE, messages: [{ role: "user", text: "task" }] },
    budget: setup.budget ?? {},
    elapsedMs: () => 0,
    interactive: false,
    clock: { now: () => 0, monotonic: () => 0 },
    signal: setup.signal ?? new AbortController().signal,
    async sink(event) {
      setup.sinkFails?.(event);
      events.push(event);
    },
    live() {},
    inbox: () => inbox.splice(0),
    facts: () => (artifact ? { title: "Card", artifact } : { title: "Card" }),
    askBudget: async () => "declined",
  });
  return { events, model, calls, ended: events.find((e) => e.type === "ended") };
}
const PUBLISH: ScriptedAnswer = { calls: [{ name: "manage_artifact", args: { action: "create" } }] };
const DONE: ScriptedAnswer = { calls: [{ name: "handoff", args: {} }] };

test("a card is created, handed off and ends exactly once, each step durable before the next", async () => {
  const { events, ended } = await play({ answers: [PUBLISH, DONE] });
  assert.equal(ended?.state, "delivered");
  assert.equal(ended.handoff.formattedBy, "agent");
  assert.deepEqual(events.map((e) => e.type), ["step-started", "step-finished", "tool-started", "tool-finished", "step-started", "step-finished", "tool-started", "tool-finished", "ended"]);
});

test("an answer in prose gets one correction that names the tool, a second one is blocked (D-14)", async () => {
  const prose = { text: "Here it is:\n```html\n<!doctype html>…\n```" };
  const saved = await play({ answers: [prose, PUBLISH, { text: "Published." }] });
  assert.equal(saved.ended?.state, "delivered");
  assert.equal(saved.ended.handoff.formattedBy, "daemon");
  const correction = saved.events.find((e) => e.type === "message");
  assert.match(correction?.text ?? "", /manage_artifact.*"create".*as it stands/);
  const lost = await play({ answers: [prose, prose, PUBLISH] });
  assert.equal(lost.ended?.state, "blocked");
  assert.equal(lost.model.requests.length, 2);
});

test("a handoff as delivered without a published artifact is not taken", async () => {
  const { ended, events } = await play({ answers: [DONE, PUBLISH, DONE], tool: (name) => (name === "handoff" ? ok("{}", { handoff: HANDOFF }) : ok("{}")) });
  assert.equal(ended?.state, "delivered");
  assert.ok(events.some((e) => e.type === "message" && /no artifact of this session is published/.test(e.text)));
});

test("the same call with the same result is nudged at 3 and stopped at 5 (D-12)", async () => {
  const { ended, events, calls } = await play({ answers: () => ({ calls: [{ name: "shell", args: { x: 1 } }] }), tool: () => ok("same") });
  assert.equal(ended?.state, "blocked");
  assert.match(ended.error?.message ?? "", /^loop: shell was called 5 times/);
  assert.equal(calls.length, 5);
  assert.equal(events.filter((e) => e.type === "message").length, 1);
});

test("the same error with changing arguments is stopped too", async () => {
  const { ended, calls } = await play({ answers: (n) => ({ calls: [{ name: "shell", args: { n } }] }), tool: () => bad("no_match") });
  assert.equal(ended?.state, "blocked");
  assert.equal(calls.length, 6);
});

test("calls of one step run in parallel and their results keep call order", async () => {
  const { events, model } = await play({
    answers: [{ calls: ["a", "b", "c"].map((id) => ({ name: "shell", id, args: { id } })) }, PUBLISH, DONE],
    async tool(name, args) {
      if (args.includes('"a"')) await new Promise((resolve) => setTimeout(resolve, 30));
      return name === "handoff" ? ok("{}", { handoff: HANDOFF }) : ok(args);
    },
  });
  const finished = events.filter((e) => e.type === "tool-finished").map((e) => e.call.id).slice(0, 3);
  assert.deepEqual(finished, ["a", "b", "c"]);
  assert.deepEqual(model.requests[1]!.messages.filter((m) => m.role === "tool").map((m) => m.callId), ["a", "b", "c"]);
});

test("two calls with one id get ids of their own, so that each has its result (D-04)", async () => {
  const { model } = await play({ answers: [{ calls: [{ name: "shell", id: "x", args: 1 }, { name: "shell", id: "x", args: 2 }] }, PUBLISH, DONE] });
  const results = model.requests[1]!.messages.filter((m) => m.role === "tool").map((m) => m.callId);
  assert.equal(new Set(results).size, 2);
});

test("a budget is warned of at 80 % and stops before the request that would cross it", async () => {
  const { ended, model, events } = await play({ answers: (n) => ({ calls: [{ name: "shell", args: { n } }] }), tool: (_n, a) => ok(a), budget: { turns: 5 } });
  assert.equal(ended?.state, "budget_exhausted");
  assert.equal(model.requests.length, 5);
  assert.ok(events.some((e) => e.type === "message" && /^Budget: turns 4 of 5/.test(e.text)));
});

test("a provider's refusal ends the run as failed with class provider; a broken stream is asked for again", async () => {
  const refused = await play({ answers: [{ error: { code: "provider_refused", message: "no" } }] });
  assert.deepEqual([refused.ended?.state, refused.ended?.error?.class], ["failed", "provider"]);
  const broken = await play({ answers: [{ text: "half", error: { code: "provider_unavailable", message: "cut" } }, PUBLISH, DONE] });
  assert.equal(broken.ended?.state, "delivered");
  assert.equal(broken.events.filter((e) => e.type === "step-failed").length, 1);
});

test("a tool that throws is an internal error of that call, and the run goes on", async () => {
  let thrown = false;
  const { ended, events } = await play({
    answers: [{ calls: [{ name: "shell", args: {} }] }, PUBLISH, DONE],
    tool(name) {
      if (name === "handoff") return ok("{}", { handoff: HANDOFF });
      if (thrown) return ok("{}");
      thrown = true;
      throw new Error("bug");
    },
  });
  assert.equal(ended?.state, "delivered");
  assert.ok(events.some((e) => e.type === "tool-finished" && e.outcome.error?.class === "internal"));
});

test("exactly one end, even when the sink throws; none when the run goes on elsewhere", async () => {
  let failed = false;
  const crashed = await play({
    answers: [PUBLISH, DONE],
    sinkFails(event) {
      if (event.type !== "step-finished" || failed) return;
      failed = true;
      throw new Error("bug in the sink");
    },
  });
  assert.equal(crashed.events.filter((e) => e.type === "ended").length, 1);
  assert.deepEqual([crashed.ended?.state, crashed.ended?.error?.class], ["failed", "internal"]);
  for (const [code, state] of [["cancelled", "cancelled"], ["drained", undefined], ["lease_lost", undefined]] as const) {
    const abort = new AbortController();
    setTimeout(() => abort.abort(abortReason(code, "test")), 10);
    const { ended } = await play({ answers: [{ text: "…", hang: true }], signal: abort.signal });
    assert.equal(ended?.state, state, code);
  }
});

test("after a crash a started call that may not be repeated is reported as unknown, one that may runs again (K-18)", async () => {
  const base: AgentState = { ...EMPTY_STATE, messages: [{ role: "user", text: "task" }] };
  const step = (name: string): AgentState => {
    const call = { id: "c1", name, args: "{}" };
    const finished = fold(base, { type: "step-finished", step: 1, text: "", calls: [call], finish: "tool_calls", usage: { input: 1, cached: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false }, cost: { inputNano: 0, cachedNano: 0, outputNano: 0, totalNano: 0, catalogue: "none", pricedAs: "", simulated: true }, model: "m", ttftMs: 0, durationMs: 0 });
    return fold(finished, { type: "tool-started", step: 1, call });
  };
  const shell = await play({ answers: [PUBLISH, DONE], state: step("shell") });
  assert.deepEqual(shell.calls, ["manage_artifact", "handoff"]);
  assert.ok(shell.events.some((e) => e.type === "tool-finished" && e.outcome.error?.code === "interrupted"));
  const artifact = await play({ answers: [DONE], state: step("manage_artifact") });
  assert.deepEqual(artifact.calls, ["manage_artifact", "handoff"]);
  assert.equal(artifact.model.requests.length, 1, "the finished step was not asked for again");
});

test("a person's words join at the next step, after the results", async () => {
  const { model } = await play({ answers: [PUBLISH, DONE], inbox: ["make it blue"] });
  assert.deepEqual(model.requests[0]!.messages.map((m) => (m.role === "user" ? m.text : m.role)), ["task", "make it blue"]);
});

test("the frozen prefix is the same bytes for every session of a profile", async () => {
  const [a, b] = [await play({ answers: [PUBLISH, DONE] }), await play({ answers: [PUBLISH, DONE] })];
  const prefix = (r: typeof a): string => JSON.stringify([r.model.requests[0]!.system, r.model.requests[0]!.tools]);
  assert.equal(prefix(a), prefix(b));
  assert.doesNotMatch(prefix(a), /ses_|run_|\d{4}-\d{2}-\d{2}/);
});
