import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AnyRecord, Cost, Kind, Payloads, Usage } from "@swarm/protocol";
import { EMPTY_DETAIL, foldDetail, reduceDetail, type Detail, type TurnItem } from "./detail.ts";

const USAGE: Usage = { input: 1000, cached: 900, cacheWrite: 0, output: 50, reasoning: 10, estimated: false };
const COST: Cost = {
  inputNano: 1,
  cachedNano: 1,
  outputNano: 1,
  totalNano: 3,
  catalogue: "c",
  pricedAs: "m",
  simulated: true,
};
const REPORT = {
  sha256: "ab",
  stages: [],
  verdict: "rejected" as const,
  summary: "fix",
  passed: 1,
  failed: 1,
  notRun: 0,
};

type Step = { [K in Kind]: readonly [K, Payloads[K]] }[Kind];
function records(...steps: Step[]): AnyRecord[] {
  return steps.map(
    ([kind, payload], i) =>
      ({ seq: 100 + i, session: "ses_a", rev: i + 1, kind, at: 1000 * i, actor: "t", payload }) as AnyRecord,
  );
}
const run = "run_a" as Payloads["run.queued"]["run"];
const artifact = "art_a" as Payloads["artifact.revised"]["artifact"];
const question = "qst_a" as Payloads["question.asked"]["question"];
const queued: Step = ["run.queued", { run, budget: { turns: 8 }, interactive: true }];
const started = (step: number): Step => ["step.started", { run, step, model: "m", prefixHash: "h", prefixBytes: 1 }];
const finished = (step: number, calls: { id: string; name: string }[]): Step => [
  "step.finished",
  {
    run,
    step,
    text: "words",
    calls: calls.map((c) => ({ ...c, args: "{}" })),
    finish: "tool_calls",
    usage: USAGE,
    cost: COST,
    model: "m2",
    ttftMs: 1,
    durationMs: 2,
  },
];
const tool = (step: number, call: string, ok: boolean): Step => [
  "tool.finished",
  {
    run,
    step,
    call,
    name: "manage_artifact",
    ok,
    summary: "sum",
    output: "out",
    durationMs: 5,
    truncated: false,
    ...(ok ? {} : { error: { code: "check_failed", class: "check_failed", message: "no" } }),
  },
];
function turns(detail: Detail): TurnItem[] {
  return detail.items.filter((i) => i.type === "turn");
}

describe("session detail", () => {
  it("a step is one turn from its start to its usage", () => {
    const [turn] = turns(foldDetail(records(queued, started(1), finished(1, []))));
    assert.equal(turn?.state, "done");
    assert.equal(turn.model, "m2");
    assert.equal(turn.usage?.cached, 900);
  });

  it("calls become tool cards and take start and result by call id, in any order", () => {
    const detail = foldDetail(
      records(
        queued,
        started(1),
        finished(1, [
          { id: "c1", name: "plan_manage" },
          { id: "c2", name: "manage_artifact" },
        ]),
        tool(1, "c2", false),
        ["tool.started", { run, step: 1, call: "c1", name: "plan_manage" }],
      ),
    );
    const parts = turns(detail)[0]!.parts;
    assert.deepEqual(
      parts.map((p) => p.type === "tool" && [p.call, p.state]),
      [
        ["c1", "running"],
        ["c2", "failed"],
      ],
    );
    assert.equal(detail.toolCalls, 2);
  });

  it("a result without its call (records of a crash) still has a card", () => {
    const parts = turns(foldDetail(records(queued, started(1), tool(1, "lost", true))))[0]!.parts;
    assert.deepEqual(
      parts.map((p) => p.key),
      ["lost"],
    );
  });

  it("gate report and question stand behind the call they belong to", () => {
    const detail = foldDetail(
      records(
        queued,
        started(1),
        finished(1, [
          { id: "c1", name: "manage_artifact" },
          { id: "c2", name: "ask_user" },
        ]),
        [
          "artifact.revised",
          {
            artifact,
            revision: 1,
            parent: 0,
            title: "T",
            sha256: "ab",
            body: { blob: "ab", bytes: 9 },
            parts: ["main"],
            call: "c1",
            run,
          },
        ],
        ["artifact.checked", { artifact, revision: 1, report: REPORT, stills: [] }],
        ["question.asked", { run, question, text: "ms?", options: ["ms"], call: "c2" }],
        ["question.answered", { question, answer: "ms", by: "person" }],
      ),
    );
    assert.deepEqual(
      turns(detail)[0]!.parts.map((p) => p.type),
      ["tool", "gate", "tool", "question"],
    );
    assert.equal(turns(detail)[0]!.parts.find((p) => p.type === "question")?.answer, "ms");
    assert.equal(detail.artifact?.report?.verdict, "rejected");
  });

  it("a report of an older revision does not mark the newer one", () => {
    const revised = (revision: number): Step => [
      "artifact.revised",
      {
        artifact,
        revision,
        parent: revision - 1,
        title: "T",
        sha256: "ab",
        body: { blob: "ab", bytes: 9 },
        parts: [],
        call: "c1",
        run,
      },
    ];
    const detail = foldDetail(
      records(queued, started(1), revised(1), revised(2), [
        "artifact.checked",
        { artifact, revision: 1, report: REPORT, stills: [] },
      ]),
    );
    assert.equal(detail.artifact?.revision, 2);
    assert.equal(detail.artifact.report, undefined);
  });

  it("a turn that was streaming when its run ended is shown as cut", () => {
    const handoff = {
      state: "cancelled" as const,
      title: "",
      overview: "",
      result: "",
      artifacts: [],
      evidence: [],
      recommendation: { decision: "", reason: "" },
      codeBlocks: [],
      followUps: [],
      formattedBy: "daemon" as const,
    };
    const detail = foldDetail(records(queued, started(1), ["run.ended", { run, state: "cancelled", handoff }]));
    assert.equal(turns(detail)[0]!.state, "cut");
    assert.equal(detail.items.at(-1)?.type, "end");
  });

  it("an interrupted turn keeps what came, and the run taken up again says so", () => {
    const detail = foldDetail(
      records(
        queued,
        started(1),
        ["turn.interrupted", { run, step: 1, text: "half a sen", offset: 10, sha256: "x" }],
        ["run.leased", { run, epoch: 2, resumed: true }],
        started(1),
      ),
    );
    assert.deepEqual(
      detail.items.map((i) => i.type),
      ["turn", "note", "turn"],
    );
    assert.deepEqual(turns(detail)[0]!.cut, { text: "half a sen", offset: 10 });
    assert.equal(turns(detail)[1]!.state, "streaming");
  });

  it("waiting is what it waits on now, gone with the next step", () => {
    const wait: Step = ["run.waiting", { run, on: "rate_limit", detail: "held 12 s" }];
    assert.equal(foldDetail(records(queued, wait)).waiting?.detail, "held 12 s");
    assert.equal(foldDetail(records(queued, wait, started(1))).waiting, undefined);
  });

  it("a record that comes twice changes nothing", () => {
    const all = records(queued, started(1), finished(1, [{ id: "c1", name: "x" }]));
    const once = foldDetail(all);
    assert.equal(all.reduce(reduceDetail, once), once);
    assert.deepEqual([...all, ...all].reduce(reduceDetail, EMPTY_DETAIL), once);
  });

  it("a fold in two parts is the fold of the whole, and earlier items keep their identity", () => {
    const all = records(
      ["message.added", { text: "go", by: "person" }],
      queued,
      started(1),
      finished(1, []),
      started(2),
      finished(2, []),
    );
    const half = foldDetail(all.slice(0, 4));
    const whole = all.slice(4).reduce(reduceDetail, half);
    assert.deepEqual(whole, foldDetail(all));
    assert.equal(whole.items[0], half.items[0]);
    assert.equal(whole.items[1], half.items[1]);
  });
});
