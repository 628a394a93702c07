import assert from "node:assert/strict";
import { test } from "node:test";
import { NODES } from "@swarm/protocol/nodes";
import { generateCard } from "../card/generate.ts";
import type { ParsedRequest, ToolDeclared, Turn } from "../request.ts";
import { briefOf, StandIn, TOOLS } from "../testing/driver.ts";
import type { Action, Decision } from "./actions.ts";
import { decide } from "./decide.ts";
import { DEFECTS } from "./defects.ts";
import { BUILT_IN_TEMPERAMENTS, type Temperament } from "./temperament.ts";

const NODE = NODES.find((n) => n.id === "041")!;
const BRIEF = briefOf(NODE);
const PERFECT = BUILT_IN_TEMPERAMENTS["perfect"]!;

function request(turns: readonly Turn[], tools: readonly ToolDeclared[] = TOOLS): ParsedRequest {
  return {
    wire: "chat",
    model: "m",
    system: "",
    tools,
    turns,
    showThoughts: false,
    sendUsage: true,
    segments: [],
    frozenSegments: 0,
  };
}

function callsOf(decision: Decision): Extract<Action, { type: "call" }>[] {
  return decision.actions.filter((a) => a.type === "call");
}

function wordsOf(decision: Decision): string {
  return decision.actions.map((a) => (a.type === "text" ? a.text : "")).join(" ");
}

/** Plays a decision into the history, with the answers of `tools`. */
function play(turns: Turn[], decision: Decision, tools: StandIn): void {
  const calls = decision.actions.filter((a) => a.type !== "text");
  const base = turns.length;
  turns.push({
    role: "assistant",
    text: wordsOf(decision),
    calls: calls.map((c, i) => ({ id: `c${base}-${i}`, name: c.name, args: c.type === "call" ? c.args : undefined })),
  });
  calls.forEach((c, i) =>
    turns.push({
      role: "tool",
      id: `c${base}-${i}`,
      name: c.name,
      output: JSON.stringify(tools.run(c.name, c.type === "call" ? c.args : c.json)),
    }),
  );
}

function run(
  temperament: Temperament,
  tools: StandIn,
  brief = BRIEF,
  limit = 12,
): { turns: Turn[]; decisions: Decision[] } {
  const turns: Turn[] = [{ role: "user", text: brief }];
  const decisions: Decision[] = [];
  for (let i = 0; i < limit; i++) {
    const decision = decide(request(turns), temperament, 1);
    decisions.push(decision);
    play(turns, decision, tools);
    if (callsOf(decision).some((c) => c.name === "handoff") || decision.actions.every((a) => a.type === "text")) break;
  }
  return { turns, decisions };
}

const actionsOf = (decisions: readonly Decision[]): string[][] =>
  decisions.map((d) =>
    d.actions.flatMap((a) =>
      a.type === "text"
        ? []
        : [`${a.name} ${a.type === "call" ? String(a.args["action"] ?? a.args["outcome"]) : "broken"}`],
    ),
  );

test("a perfect card takes three requests: plan, create, complete with handoff", () => {
  const tools = new StandIn();
  const { decisions } = run(PERFECT, tools);
  assert.deepEqual(actionsOf(decisions), [
    ["plan_manage set"],
    ["manage_artifact create"],
    ["plan_manage complete", "handoff delivered"],
  ]);
  assert.equal(tools.content, generateCard(NODE));
  const complete = callsOf(decisions[2]!)[0]!.args;
  assert.deepEqual(complete["complete"], ["layout", "picture", "hooks", "build", "publish", "checks", "gate"]);
  assert.equal(complete["base_revision"], 1);
});

test("the same request gives the same decision", () => {
  const turns: Turn[] = [{ role: "user", text: BRIEF }];
  assert.deepEqual(
    decide(request(turns), BUILT_IN_TEMPERAMENTS["ordinary"]!, 7),
    decide(request(turns), BUILT_IN_TEMPERAMENTS["ordinary"]!, 7),
  );
});

for (const defect of DEFECTS) {
  test(`${defect.id}: found in the document it was put into, and its repair gives back the clean card`, () => {
    const clean = generateCard(NODE);
    const broken = defect.inject(clean);
    assert.notEqual(broken, clean);
    assert.equal(defect.repair(clean), undefined);
    let repaired = broken;
    for (const edit of defect.repair(broken)!) {
      assert.equal(repaired.split(edit.find).length, 2, "the find text is there exactly once");
      repaired = repaired.split(edit.find).join(edit.replace);
    }
    assert.equal(repaired, clean);
  });
}

function withCard(content: string, report: string): Turn[] {
  return [
    { role: "user", text: BRIEF },
    {
      role: "assistant",
      text: "",
      calls: [{ id: "a", name: "manage_artifact", args: { action: "create", title: "TTFT Jitter", content } }],
    },
    {
      role: "tool",
      id: "a",
      name: "manage_artifact",
      output: JSON.stringify({
        ok: false,
        error: { code: "check_failed", message: report },
        artifact: "art_9",
        revision: 3,
      }),
    },
  ];
}

test("of two faults only the one that the report names is repaired, by an edit on the base of the answer", () => {
  const [hook, font] = [DEFECTS[0]!, DEFECTS[1]!];
  const both = font.inject(hook.inject(generateCard(NODE)));
  const [call] = callsOf(
    decide(request(withCard(both, "external_reference: line 9 loads a font from fonts.googleapis.com")), PERFECT, 1),
  );
  assert.equal(call!.args["action"], "edit");
  assert.equal(call!.args["base"], 3);
  assert.equal(call!.args["artifact"], "art_9");
  assert.deepEqual(call!.args["edits"], font.repair(both));
  const [other] = callsOf(
    decide(
      request(withCard(both, "hook: __SWARM_ANIMATION_V1__ was not installed before DOMContentLoaded")),
      PERFECT,
      1,
    ),
  );
  assert.deepEqual(other!.args["edits"], hook.repair(both));
});

test("a report of a fault that is not there changes nothing and says so, then ends blocked", () => {
  const turns = withCard(generateCard(NODE), "external_reference: an external font is loaded");
  const first = decide(request(turns), PERFECT, 1);
  assert.deepEqual(
    callsOf(first).map((c) => c.args["action"]),
    ["publish"],
  );
  assert.match(wordsOf(first), /change nothing/);
  const tools = new StandIn(() => "external_reference: an external font is loaded");
  tools.revision = 3;
  play(turns, first, tools);
  assert.deepEqual(actionsOf([decide(request(turns), PERFECT, 1)]), [["handoff blocked"]]);
});

test("a person's report of an absent fault after publication is answered in words and the card is left alone", () => {
  const tools = new StandIn();
  const { turns } = run(PERFECT, tools);
  turns.push({ role: "user", text: "The card loads an external font, please remove it." });
  const decision = decide(request(turns), PERFECT, 1);
  assert.match(wordsOf(decision), /Nothing was changed/);
  assert.deepEqual(
    callsOf(decision).map((c) => c.name),
    ["handoff"],
  );
});

test("a stale base is answered by the same edits on the head that the error names", () => {
  const broken = DEFECTS[0]!.inject(generateCard(NODE));
  const turns = withCard(broken, "hook missing");
  const edit = decide(request(turns), PERFECT, 1);
  const tools = new StandIn();
  tools.content = broken;
  tools.revision = 5;
  play(turns, edit, tools);
  const [again] = callsOf(decide(request(turns), PERFECT, 1));
  assert.equal(again!.args["base"], 5);
  assert.deepEqual(again!.args["edits"], callsOf(edit)[0]!.args["edits"]);
});

test("the ordinary model spoils about a quarter of the hundred cards once, and repairs every one", () => {
  let faulty = 0;
  for (const node of NODES) {
    const tools = new StandIn((content) =>
      !content.includes('defineProperty(globalThis, "__SWARM_ANIMATION_V1__"')
        ? "hook: __SWARM_ANIMATION_V1__ is missing"
        : content.includes("googleapis")
          ? "external_reference: line 9"
          : undefined,
    );
    const { decisions } = run(BUILT_IN_TEMPERAMENTS["ordinary"]!, tools, briefOf(node));
    if (decisions.length > 3) faulty++;
    assert.ok(decisions.length <= 4, `${node.id} took ${decisions.length} requests`);
    assert.equal(tools.content, generateCard(node));
  }
  assert.ok(faulty >= 15 && faulty <= 35, `${faulty} of 100`);
});

test("broken arguments are really broken, and the next try is clean", () => {
  for (const rate of ["invalidPlanJson", "invalidArtifactJson"] as const) {
    const temperament: Temperament = { kind: "worker", rates: { ...PERFECT.rates, [rate]: 1 } };
    const tools = new StandIn();
    const { decisions } = run(temperament, tools);
    const broken = decisions.flatMap((d) => d.actions).filter((a) => a.type === "broken-call");
    assert.equal(broken.length, 1);
    assert.throws(() => JSON.parse(broken[0]!.json));
    assert.equal(tools.content, generateCard(NODE));
  }
});

test("the conversational model answers in markdown first and publishes once it is told to", () => {
  const temperament = BUILT_IN_TEMPERAMENTS["conversational"]!;
  const turns: Turn[] = [{ role: "user", text: BRIEF }];
  const first = decide(request(turns), temperament, 1);
  assert.deepEqual(callsOf(first), []);
  assert.match(wordsOf(first), /```html\n<!doctype html>/);
  play(turns, first, new StandIn());
  turns.push({ role: "user", text: "Publish it with manage_artifact." });
  const tools = new StandIn();
  for (let i = 0; i < 4 && tools.content === ""; i++) play(turns, decide(request(turns), temperament, 1), tools);
  assert.equal(tools.content, generateCard(NODE));
});

test("stubborn and looper repeat the same call for ever; fumbler fails with other arguments each time", () => {
  const fails = new StandIn(() => undefined);
  fails.revision = 9;
  for (const [kind, distinct] of [
    ["stubborn", 1],
    ["looper", 1],
    ["fumbler", 8],
  ] as const) {
    const { decisions } = run(BUILT_IN_TEMPERAMENTS[kind]!, fails, BRIEF, 8);
    assert.equal(decisions.length, 8);
    assert.equal(new Set(decisions.map((d) => JSON.stringify(d.actions))).size, distinct, kind);
  }
});

test("without an artifact tool the card is in the answer; without any tool too", () => {
  const decision = decide(
    request(
      [{ role: "user", text: BRIEF }],
      TOOLS.filter((t) => t.name === "handoff"),
    ),
    PERFECT,
    1,
  );
  assert.match(wordsOf(decision), /<!doctype html>/);
  assert.deepEqual(
    callsOf(decision).map((c) => c.name),
    ["handoff"],
  );
  assert.match(wordsOf(decide(request([{ role: "user", text: BRIEF }], []), PERFECT, 1)), /<!doctype html>/);
});

test("a question and a task that is no card are answered in words, with a handoff where there is one", () => {
  const strange: ToolDeclared[] = [{ name: "shell", description: "", parameters: {} }];
  const question = decide(request([{ role: "user", text: "What is 17 + 4?" }], strange), PERFECT, 1);
  assert.equal(wordsOf(question), "17 + 4 = 21");
  assert.deepEqual(callsOf(question), []);
  const task = decide(request([{ role: "user", text: "Summarise the release notes in three points." }]), PERFECT, 1);
  assert.deepEqual(
    callsOf(task).map((c) => c.name),
    ["handoff"],
  );
});

test("arguments fit the declared schema: renamed, required and unknown members", () => {
  const tool: ToolDeclared = {
    name: "artifact_store",
    description: "",
    parameters: {
      type: "object",
      required: ["action", "html", "visibility"],
      properties: {
        action: { type: "string", enum: ["create", "edit"] },
        html: { type: "string" },
        visibility: { type: "string", enum: ["team", "all"] },
      },
    },
  };
  const [call] = callsOf(decide(request([{ role: "user", text: BRIEF }], [tool]), PERFECT, 1));
  assert.deepEqual(Object.keys(call!.args).sort(), ["action", "html", "visibility"]);
  assert.equal(call!.args["html"], generateCard(NODE));
  assert.equal(call!.args["visibility"], "team");
});

test("a brief that asks to ask first is asked about once", () => {
  const tools: ToolDeclared[] = [
    ...TOOLS,
    { name: "ask_user", description: "", parameters: { type: "object", properties: { question: {}, options: {} } } },
  ];
  const turns: Turn[] = [{ role: "user", text: `${BRIEF}\nAsk me first which accent to use.` }];
  const first = decide(request(turns, tools), PERFECT, 1);
  assert.deepEqual(
    callsOf(first).map((c) => c.name),
    ["ask_user"],
  );
  turns.push(
    { role: "assistant", text: "", calls: [{ id: "q", name: "ask_user", args: callsOf(first)[0]!.args }] },
    { role: "tool", id: "q", name: "ask_user", output: '{"ok":true,"answer":"cyan"}' },
  );
  assert.deepEqual(
    callsOf(decide(request(turns, tools), PERFECT, 1)).map((c) => c.name),
    ["plan_manage"],
  );
});
