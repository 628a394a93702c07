import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Handoff, Payloads, Plan } from "@swarm/protocol";
import type { AnyMutation } from "@swarm/protocol/ports";
import { payloadParser, SESSION_KINDS, type SessionKind } from "./shapes.ts";
import { openWorld } from "./testing/world.ts";

const handoff: Handoff = {
  state: "delivered",
  title: "t",
  overview: "o",
  result: "r",
  artifacts: ["art_1"],
  evidence: [],
  recommendation: { decision: "accept", reason: "" },
  codeBlocks: [{ language: "ts", code: "1" }],
  followUps: [],
  formattedBy: "agent",
};
const plan: Plan = {
  revision: 1,
  goal: "g",
  decisions: [],
  constraints: [],
  successCriteria: [],
  checkpoints: [{ id: "c", title: "c", done: false, subtasks: [{ id: "s", title: "s", done: true }] }],
};
const run = "run_1" as never;
const error = { code: "x", class: "internal", message: "m" } as const;
const SAMPLES: { readonly [K in SessionKind]: Payloads[K] } = {
  "session.created": { title: "t", profile: "builder", model: "a/b", group: "g" },
  "session.seen": { rev: 3 },
  "message.added": { text: { blob: "ab", bytes: 5000 }, by: "person" },
  "run.queued": { run, budget: { turns: 3, usd: 0.5 }, interactive: false },
  "run.leased": { run, epoch: 1, resumed: false },
  "run.waiting": { run, on: "user", detail: "d", untilMs: 5 },
  "run.resumed": { run },
  "run.ended": { run, state: "delivered", handoff, error },
  "turn.interrupted": { run, step: 1, text: "", offset: 0, sha256: "ab" },
  "step.started": { run, step: 1, model: "a/b", prefixHash: "ab", prefixBytes: 10 },
  "step.finished": {
    run,
    step: 1,
    text: "t",
    calls: [{ id: "c", name: "n", args: "{}" }],
    finish: "tool_calls",
    usage: { input: 1, cached: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false },
    cost: { inputNano: 1, cachedNano: 0, outputNano: 1, totalNano: 2, catalogue: "c", pricedAs: "m", simulated: true },
    model: "a/b",
    ttftMs: 1.5,
    durationMs: 2.5,
  },
  "step.failed": { run, step: 1, error },
  "tool.started": { run, step: 1, call: "c", name: "n" },
  "tool.finished": {
    run,
    step: 1,
    call: "c",
    name: "n",
    ok: true,
    summary: "",
    output: "",
    durationMs: 1,
    truncated: false,
  },
  "plan.set": { run, plan },
  "question.asked": { run, question: "qst_1" as never, text: "?", options: ["a"], call: "c" },
  "question.answered": { question: "qst_1" as never, answer: "a", by: "t" },
  "daemon.started": { version: "1", pid: 1, clean: true, resumedRuns: 0 },
  "daemon.stopped": { reason: "r" },
};

/** Every place in a payload, as a path and a copy of the payload with another value there. */
function* spoiled(value: unknown, path: string): Generator<[string, unknown]> {
  yield [path, Symbol.for("wrong")];
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    for (const [where, bad] of spoiled(member, at)) {
      yield [where, Array.isArray(value) ? value.with(Number(key), bad) : { ...value, [key]: bad }];
    }
  }
}

describe("payloads", () => {
  test("every kind but those of artifacts has a parse function that takes a real payload", () => {
    assert.deepEqual([...SESSION_KINDS].sort(), Object.keys(SAMPLES).sort());
    for (const kind of SESSION_KINDS) assert.equal(payloadParser(kind)(SAMPLES[kind]), SAMPLES[kind]);
  });

  test("a wrong value anywhere is refused as bad_request naming the field, or the list that holds it", () => {
    for (const kind of SESSION_KINDS) {
      for (const [path, payload] of spoiled(SAMPLES[kind], kind)) {
        assert.throws(
          () => payloadParser(kind)(payload),
          (e: { code?: string; details?: { field?: string } }) =>
            e.code === "bad_request" && path.startsWith(e.details!.field!),
          path,
        );
      }
    }
  });

  test("counters that would spoil a fold for ever are refused: NaN, negative, infinite, fractions", () => {
    const parse = payloadParser("step.finished");
    const good = SAMPLES["step.finished"];
    for (const input of [Number.NaN, -1, Infinity, 1.5, "1"]) {
      assert.throws(() => parse({ ...good, usage: { ...good.usage, input } }), {
        code: "bad_request",
        message: /usage\.input/,
      });
    }
  });

  test("a member that a later version adds passes", () => {
    assert.ok(payloadParser("run.resumed")({ run, later: 1 }));
  });
});

describe("guards", () => {
  const base = { session: "ses_1", actor: "t" } as const;
  let count = 0;
  const mutation = <K extends SessionKind>(kind: K, payload: Partial<Payloads[K]> = {}): AnyMutation =>
    ({ ...base, key: `k${count++}`, kind, payload: { ...SAMPLES[kind], ...payload } }) as AnyMutation;

  test("R1 R2 R3: nothing under an ended run, no second end, no second unfinished run, no work without a lease", async () => {
    await using world = await openWorld({ script: () => ({ text: "" }), idle: true });
    const { journal } = world;
    const refused = (m: AnyMutation): Promise<void> => assert.rejects(journal.apply(m), { code: "invalid_state" });
    await assert.rejects(journal.apply(mutation("message.added")), { code: "not_found" });
    await assert.rejects(journal.apply(mutation("run.queued")), { code: "not_found" });
    await journal.apply([mutation("session.created"), mutation("run.queued")]);
    await refused(mutation("session.created"));
    await refused(mutation("run.queued", { run: "run_2" as never }));
    await refused(mutation("step.started"));
    await journal.apply(mutation("run.leased"));
    await refused(mutation("step.started", { run: "run_2" as never }));
    await assert.rejects(journal.apply(mutation("run.leased", { epoch: 3 })), { code: "fenced" });
    await journal.apply([mutation("step.started"), mutation("step.finished"), mutation("run.ended")]);
    for (const kind of [
      "run.ended",
      "run.leased",
      "run.waiting",
      "step.started",
      "step.finished",
      "tool.started",
      "tool.finished",
      "plan.set",
      "question.asked",
      "turn.interrupted",
    ] as const) {
      await refused(mutation(kind, kind === "run.leased" ? { epoch: 2 } : {}));
    }
    await journal.apply(mutation("run.queued", { run: "run_2" as never }));
    await assert.rejects(
      journal.apply([
        mutation("run.ended", { run: "run_2" as never }),
        mutation("run.ended", { run: "run_2" as never }),
      ]),
      { code: "invalid_state" },
    );
    assert.equal((await journal.index("unfinished", { limit: 10 })).length, 1);
  });

  test("an answer is taken for the open question only", async () => {
    await using world = await openWorld({ script: () => ({ text: "" }), idle: true });
    const { journal } = world;
    await journal.apply([mutation("session.created"), mutation("run.queued"), mutation("run.leased")]);
    await assert.rejects(journal.apply(mutation("question.answered")), { code: "invalid_state" });
    await journal.apply(mutation("question.asked"));
    await assert.rejects(journal.apply(mutation("question.answered", { question: "qst_2" as never })), {
      code: "invalid_state",
    });
    await journal.apply(mutation("question.answered"));
    await assert.rejects(journal.apply(mutation("question.answered")), { code: "invalid_state" });
  });

  test("rows of the lists hold the summary as of the record that wrote them, also inside one batch", async () => {
    await using world = await openWorld({ script: () => ({ text: "" }), idle: true });
    const { journal } = world;
    await journal.apply([
      mutation("session.created"),
      mutation("run.queued"),
      mutation("run.leased"),
      mutation("step.started"),
      mutation("step.finished"),
      mutation("run.ended"),
    ]);
    const summary = await journal.project("summary", "ses_1");
    const [row] = await journal.index("sessions", { limit: 10 });
    assert.deepEqual(row!.value, summary);
    const [inGroup] = await journal.index("groups", { prefix: "g/", limit: 10 });
    assert.deepEqual(inGroup!.value, summary);
    await journal.apply(mutation("session.seen"));
    assert.deepEqual(
      (await journal.index("sessions", { limit: 10 }))[0]!.value,
      await journal.project("summary", "ses_1"),
    );
    assert.deepEqual(await journal.index("unfinished", { limit: 10 }), []);
  });
});
