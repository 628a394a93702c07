import assert from "node:assert/strict";
import { test } from "node:test";
import { abortReason, fold, type AgentState } from "./index.ts";
import { bad, DONE, HANDOFF, NO_COST, ok, play, PUBLISH, taskState, USAGE } from "./testing/play.ts";

test("a card is created, handed off and ends exactly once, each step durable before the next", async () => {
  const { events, ended } = await play({ answers: [PUBLISH, DONE] });
  assert.equal(ended?.state, "delivered");
  assert.equal(ended.handoff.formattedBy, "agent");
  assert.deepEqual(
    events.map((e) => e.type),
    [
      "step-started",
      "step-finished",
      "tool-started",
      "tool-finished",
      "step-started",
      "step-finished",
      "tool-started",
      "tool-finished",
      "ended",
    ],
  );
});

test("an answer in prose gets one correction that names the tool, a second one is blocked (D-14)", async () => {
  const prose = { text: "Here it is:\n```html\n<!doctype html>…</html>\n```" };
  const saved = await play({ answers: [prose, PUBLISH, { text: "Published." }] });
  assert.equal(saved.ended?.state, "delivered");
  assert.equal(saved.ended.handoff.formattedBy, "daemon");
  const correction = saved.events.find((e) => e.type === "message");
  assert.match(correction?.text ?? "", /as it stands call manage_artifact with .*"create".*"@answer"/);
  const lost = await play({ answers: [prose, prose, PUBLISH] });
  assert.equal(lost.ended?.state, "blocked");
  assert.equal(lost.model.requests.length, 2);
});

test("a handoff as delivered without a published artifact is refused, with what is missing", async () => {
  const { ended, events, said } = await play({ answers: [DONE, PUBLISH, DONE] });
  assert.equal(ended?.state, "delivered");
  const refused = events.find((e) => e.type === "tool-finished");
  assert.deepEqual([refused?.outcome.ok, refused?.outcome.error?.code], [false, "not_published"]);
  assert.match(refused?.outcome.output ?? "", /manage_artifact with action \\"create\\"/);
  assert.deepEqual(said, []);
  const stubborn = await play({ answers: (n) => ({ calls: [{ name: "handoff", args: { n } }] }) });
  assert.deepEqual(
    [stubborn.ended?.state, stubborn.ended?.error?.code, stubborn.model.requests.length],
    ["blocked", "loop", 6],
  );
});

test("create and handoff in one answer: the handoff is judged when the artifact is there", async () => {
  const { ended, model } = await play({
    answers: [
      {
        calls: [
          { name: "handoff", args: {} },
          { name: "manage_artifact", args: {} },
        ],
      },
    ],
    async tool(name) {
      if (name === "manage_artifact") await new Promise((resolve) => setTimeout(resolve, 10));
      return name === "handoff" ? ok("{}", { handoff: HANDOFF }) : ok("{}");
    },
  });
  assert.deepEqual([ended?.state, ended?.handoff.formattedBy, model.requests.length], ["delivered", "agent", 1]);
});

test("a handoff as blocked ends the run without an artifact", async () => {
  const { ended } = await play({
    answers: [DONE],
    tool: () => ok("{}", { handoff: { ...HANDOFF, state: "blocked" } }),
  });
  assert.deepEqual([ended?.state, ended?.handoff.state], ["blocked", "blocked"]);
});

test("the same call with the same result is nudged at 3 and stopped at 5 (D-12)", async () => {
  const { ended, events, calls } = await play({
    answers: () => ({ calls: [{ name: "shell", args: { x: 1 } }] }),
    tool: () => ok("same"),
  });
  assert.equal(ended?.state, "blocked");
  assert.match(ended.error?.message ?? "", /^loop: shell was called 5 times/);
  assert.equal(calls.length, 5);
  assert.equal(events.filter((e) => e.type === "message").length, 1);
});

test("the same error with changing arguments is stopped too", async () => {
  const { ended, calls } = await play({
    answers: (n) => ({ calls: [{ name: "shell", args: { n } }] }),
    tool: () => bad("no_match"),
  });
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
  const finished = events
    .filter((e) => e.type === "tool-finished")
    .map((e) => e.call.id)
    .slice(0, 3);
  assert.deepEqual(finished, ["b", "c", "a"], "each is durable as soon as it is there");
  assert.deepEqual(
    model.requests[1]!.messages.filter((m) => m.role === "tool").map((m) => m.callId),
    ["a", "b", "c"],
  );
});

test("two calls with one id get ids of their own, so that each has its result (D-04)", async () => {
  const { model } = await play({
    answers: [
      {
        calls: [
          { name: "shell", id: "x", args: 1 },
          { name: "shell", id: "x", args: 2 },
        ],
      },
      PUBLISH,
      DONE,
    ],
  });
  const results = model.requests[1]!.messages.filter((m) => m.role === "tool").map((m) => m.callId);
  assert.equal(new Set(results).size, 2);
});

test("a budget is warned of at 80 % and stops before the request that would cross it", async () => {
  const { ended, model, events } = await play({
    answers: (n) => ({ calls: [{ name: "shell", args: { n } }] }),
    tool: (_n, a) => ok(a),
    budget: { turns: 5 },
  });
  assert.equal(ended?.state, "budget_exhausted");
  assert.equal(model.requests.length, 5);
  assert.ok(events.some((e) => e.type === "message" && e.text.startsWith("Budget: turns: 4 of 5")));
});

test("a provider's refusal ends the run as failed with class provider; a broken stream is asked for again", async () => {
  const refused = await play({ answers: [{ error: { code: "provider_refused", message: "no" } }] });
  assert.deepEqual([refused.ended?.state, refused.ended?.error?.class], ["failed", "provider"]);
  const broken = await play({
    answers: (said, asked) =>
      asked === 0 ? { text: "half", error: { code: "provider_unavailable", message: "cut" } } : [PUBLISH, DONE][said]!,
  });
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
    sink(event) {
      if (event.type !== "step-finished" || failed) return;
      failed = true;
      throw new Error("bug in the sink");
    },
  });
  assert.equal(crashed.events.filter((e) => e.type === "ended").length, 1);
  assert.deepEqual([crashed.ended?.state, crashed.ended?.error?.class], ["failed", "internal"]);
  for (const [code, state] of [
    ["cancelled", "cancelled"],
    ["drained", undefined],
    ["lease_lost", undefined],
  ] as const) {
    const abort = new AbortController();
    setTimeout(() => abort.abort(abortReason(code, "test")), 10);
    const { ended } = await play({ answers: [{ text: "…", hang: true }], signal: abort.signal });
    assert.equal(ended?.state, state, code);
  }
});

test("after a crash a started call that may not be repeated is reported as unknown, one that may runs again (K-18)", async () => {
  const base: AgentState = taskState();
  const step = (name: string): AgentState => {
    const call = { id: "c1", name, args: "{}" };
    const finished = fold(base, {
      type: "step-finished",
      step: 1,
      text: "",
      calls: [call],
      finish: "tool_calls",
      usage: USAGE,
      cost: NO_COST,
      model: "m",
      ttftMs: 0,
      durationMs: 0,
    });
    return fold(finished, { type: "tool-started", step: 1, call });
  };
  const shell = await play({ answers: [{}, PUBLISH, DONE], state: step("shell") });
  assert.deepEqual(shell.calls, ["manage_artifact", "handoff"]);
  assert.ok(shell.events.some((e) => e.type === "tool-finished" && e.outcome.error?.code === "interrupted"));
  const artifact = await play({ answers: [{}, DONE], state: step("manage_artifact") });
  assert.deepEqual(artifact.calls, ["manage_artifact", "handoff"]);
  assert.equal(artifact.model.requests.length, 1, "the finished step was not asked for again");
});

test("a person's words join at the next step, after the results", async () => {
  const { model } = await play({ answers: [PUBLISH, DONE], inbox: ["make it blue"] });
  assert.deepEqual(
    model.requests[0]!.messages.map((m) => (m.role === "user" ? m.text : m.role)),
    ["task", "make it blue"],
  );
});

test("the frozen prefix is the same bytes for every session of a profile", async () => {
  const [a, b] = [await play({ answers: [PUBLISH, DONE] }), await play({ answers: [PUBLISH, DONE] })];
  const prefix = (r: typeof a): string => JSON.stringify([r.model.requests[0]!.system, r.model.requests[0]!.tools]);
  assert.equal(prefix(a), prefix(b));
  assert.doesNotMatch(prefix(a), /ses_|run_|\d{4}-\d{2}-\d{2}/);
});

test("a document said in text is published as it stands by its reference, without being sent again (D-14)", async () => {
  const document = '<!doctype html><html lang="en"><title>Card</title></html>';
  const seen: string[] = [];
  const { ended, events } = await play({
    answers: [
      { text: `Here:\n\`\`\`html\n${document}\n\`\`\`\nDone.` },
      { calls: [{ name: "manage_artifact", args: { action: "create", title: "Card", content: "@answer" } }] },
      DONE,
    ],
    tool(name, args) {
      seen.push(args);
      return name === "handoff" ? ok("{}", { handoff: HANDOFF }) : ok("{}");
    },
  });
  assert.equal(ended?.state, "delivered");
  assert.deepEqual(JSON.parse(seen[0]!), { action: "create", title: "Card", content: document });
  const started = events.find((e) => e.type === "tool-started");
  assert.match(started?.call.args ?? "", /"@answer"/, "the journal keeps what the model sent");
});

test("a step that only announces is corrected once; what only announces ends as blocked, not as delivered (D-14)", async () => {
  const announcing = await play({ answers: () => ({ text: "Now I will write the card." }) });
  assert.deepEqual([announcing.ended?.state, announcing.model.requests.length], ["blocked", 2]);
  const acts = await play({ answers: [{ text: "Now I will write the card." }, PUBLISH, { text: "It is published." }] });
  assert.deepEqual([acts.ended?.state, acts.ended?.handoff.overview], ["delivered", "It is published."]);
});

test("an assistant's text is its answer; an empty one is corrected once", async () => {
  const answered = await play({ profile: "assistant", answers: [{ text: "42" }] });
  assert.deepEqual(
    [answered.ended?.state, answered.ended?.handoff.result, answered.ended?.handoff.formattedBy],
    ["delivered", "42", "daemon"],
  );
  const empty = await play({ profile: "assistant", answers: () => ({ text: "" }) });
  assert.deepEqual([empty.ended?.state, empty.said.length], ["blocked", 1]);
});

test("an answer cut at the output limit is asked for shorter, twice; a filtered one is blocked", async () => {
  const cut = await play({ answers: () => ({ text: "<!doctype html><p>ha", finish: "length" }) });
  assert.deepEqual([cut.ended?.state, cut.model.requests.length], ["blocked", 3]);
  assert.match(cut.said[0] ?? "", /cut at the output limit.*shorter document/);
  const filtered = await play({ answers: [{ text: "", finish: "content_filter" }] });
  assert.deepEqual([filtered.ended?.state, filtered.model.requests.length], ["blocked", 1]);
});

test("calls that no wire can read are counted as the model's errors and given three more tries", async () => {
  const { ended, events, model } = await play({
    answers: (_said, asked) => (asked < 2 ? { text: "", finish: "other" } : asked === 2 ? PUBLISH : DONE),
  });
  assert.equal(ended?.state, "delivered");
  assert.deepEqual(
    events.flatMap((e) => (e.type === "step-failed" ? [e.error.class] : [])),
    ["schema", "schema"],
  );
  assert.equal(model.requests.length, 4);
  const never = await play({ answers: () => ({ text: "", finish: "other" }) });
  assert.deepEqual([never.ended?.state, never.model.requests.length], ["blocked", 4]);
});

test("one id for calls of two steps becomes two, so that the second is not taken for the first (D-04)", async () => {
  const call = (args: object) => ({ calls: [{ name: "shell", id: "call_0", args }] });
  const { events } = await play({
    answers: [
      call({ n: 1 }),
      call({ n: 2 }),
      { calls: [{ name: "shell", id: "x".repeat(500), args: {} }] },
      PUBLISH,
      DONE,
    ],
    tool: (name, args) => (name === "handoff" ? ok("{}", { handoff: HANDOFF }) : ok(args)),
  });
  const ids = events.flatMap((e) => (e.type === "tool-finished" ? [e.call.id] : []));
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids[0], "call_0", "a good id stays the provider's");
  assert.ok(ids.every((id) => id.length <= 64));
});

test("half a surrogate pair and NULs from the model do not enter the history (D-06)", async () => {
  const { model } = await play({
    answers: [{ text: "a\ud83d b\u0000", calls: [{ name: "shell", args: '{"x":"\ud83d"}' }] }, PUBLISH, DONE],
  });
  const answer = model.requests[1]!.messages.find((m) => m.role === "assistant")!;
  assert.equal(answer.text, "a\ufffd b");
  assert.ok(answer.role === "assistant" && answer.calls[0]!.args.isWellFormed());
});

test("a cancel while tools run leaves a result for every call", async () => {
  const abort = new AbortController();
  const { events, ended } = await play({
    answers: [{ calls: ["a", "b", "c"].map((id) => ({ name: "shell", id, args: { id } })) }],
    signal: abort.signal,
    async tool(_name, args, signal) {
      if (args.includes('"a"')) return ok("a");
      if (args.includes('"b"')) setTimeout(() => abort.abort(abortReason("cancelled", "enough")), 5);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
  });
  const results = events.flatMap((e) =>
    e.type === "tool-finished" ? [[e.call.id, e.outcome.ok, e.outcome.error?.code]] : [],
  );
  assert.deepEqual(
    results.sort((a, b) => String(a).localeCompare(String(b))),
    [
      ["a", true, undefined],
      ["b", false, "cancelled"],
      ["c", false, "cancelled"],
    ],
  );
  assert.deepEqual([ended?.state, events.at(-1)?.type], ["cancelled", "ended"]);
});

test("a drain while tools run keeps what was finished and records nothing of the rest", async () => {
  const abort = new AbortController();
  const { events, ended } = await play({
    answers: [{ calls: ["a", "b"].map((id) => ({ name: "shell", id, args: { id } })) }],
    signal: abort.signal,
    async tool(_name, args, signal) {
      if (args.includes('"a"')) return ok("a");
      setTimeout(() => abort.abort(abortReason("drained", "stop")), 5);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
  });
  assert.equal(ended, undefined);
  assert.deepEqual(
    events.flatMap((e) => (e.type === "tool-finished" ? [e.call.id] : [])),
    ["a"],
  );
});

test("at most eight calls of a step run at once", async () => {
  let [now, most] = [0, 0];
  await play({
    answers: [{ calls: Array.from({ length: 20 }, (_, i) => ({ name: "shell", args: { i } })) }, PUBLISH, DONE],
    async tool(name, args) {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 1));
      now--;
      return name === "handoff" ? ok("{}", { handoff: HANDOFF }) : ok(args);
    },
  });
  assert.equal(most, 8);
});

test("a person's words are answered before the run ends, whether it ends by text or by handoff", async () => {
  for (const last of [{ text: "Published." }, DONE]) {
    const inbox: string[] = [];
    const { ended, model } = await play({
      answers: [PUBLISH, last, { text: "Blue now." }],
      inbox,
      sink(event) {
        if (event.type === "step-started" && event.step === 2) inbox.push("make it blue");
      },
    });
    assert.equal(ended?.state, "delivered");
    assert.deepEqual(model.requests[2]!.messages.at(-1), { role: "user", text: "make it blue" });
  }
});

test("an interactive run asks for more at its limit and goes on with the same step; declined, it ends with everything kept", async () => {
  const asked: string[] = [];
  const raised = await play({
    answers: (n) => (n < 3 ? { calls: [{ name: "shell", args: { n } }] } : n === 3 ? PUBLISH : DONE),
    tool: (name, args) => (name === "handoff" ? ok("{}", { handoff: HANDOFF }) : ok(args)),
    budget: { turns: 2 },
    interactive: true,
    async askBudget(detail) {
      asked.push(detail);
      return { turns: 10 };
    },
  });
  assert.equal(raised.ended?.state, "delivered");
  assert.deepEqual(asked, ["2 of 2 turns are used"]);
  const declined = await play({ answers: [PUBLISH, DONE], budget: { turns: 1 }, interactive: true });
  assert.deepEqual([declined.ended?.state, declined.ended?.handoff.artifacts], ["budget_exhausted", ["art_1"]]);
});

test("waits of the stream are told with what is waited for, and their end", async () => {
  const { events } = await play({
    answers: [
      { waiting: { reason: "rate_limit", detail: "held 2 s", untilMs: 2000 }, ...PUBLISH },
      { waiting: { reason: "concurrency", detail: "in line", untilMs: 0 }, ...DONE },
    ],
  });
  const waits = events.flatMap((e) => (e.type === "waiting" ? [e.on] : e.type === "resumed" ? ["go on"] : []));
  assert.deepEqual(waits, ["rate_limit", "go on", "capacity", "go on"]);
});

test("a tool list that cannot be had, facts and an inbox that throw: the run fails as internal, with one end", async () => {
  const fails = (): never => {
    throw new Error("bug");
  };
  for (const setup of [
    { tools: { list: fails } },
    { facts: fails },
    { inbox: { splice: fails } as unknown as string[] },
  ]) {
    const { events, ended } = await play({ answers: [PUBLISH, DONE], ...setup });
    assert.deepEqual(
      [ended?.state, ended?.error?.class, events.filter((e) => e.type === "ended").length],
      ["failed", "internal", 1],
    );
  }
});

test("when a result cannot be recorded nothing is recorded after it but the end", async () => {
  const { events, ended } = await play({
    answers: [{ calls: ["a", "b"].map((id) => ({ name: "shell", id, args: { id } })) }],
    async tool(_name, args, signal) {
      if (args.includes('"a"')) return ok("a");
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
    sink(event) {
      if (event.type === "tool-finished") throw new Error("disk");
    },
  });
  assert.deepEqual([ended?.state, ended?.error?.class], ["failed", "internal"]);
  assert.deepEqual(
    events.map((e) => e.type),
    ["step-started", "step-finished", "tool-started", "tool-started", "ended"],
  );
});
