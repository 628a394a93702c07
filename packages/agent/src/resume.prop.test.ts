import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@swarm/protocol";
import type { ToolOutcome } from "@swarm/protocol/ports";
import type { ScriptedAnswer } from "@swarm/testkit";
import fc from "fast-check";
import { fold, withNewRun, withPersonMessage, EMPTY_STATE, type AgentEvent } from "./index.ts";
import { bad, crashAfter, HANDOFF, ok, play, rebuilt, type Played } from "./testing/play.ts";

type Kind = "fine" | "same" | "fails" | "publish" | "handoff" | "text" | "cut";
/** A run as a script: what each answer does, then it publishes and hands off. */
const script = fc.array(
  fc.array(fc.constantFrom<Kind>("fine", "same", "fails", "publish", "handoff"), { minLength: 1, maxLength: 4 }),
  { maxLength: 5 },
);
const ends = fc.constantFrom<Kind[]>(["handoff"], ["text"], ["cut"], ["fine", "handoff"]);

function answer(step: number, kinds: readonly Kind[]): ScriptedAnswer {
  if (kinds.includes("text")) return { text: "It is done." };
  if (kinds.includes("cut")) return { text: "<p>ha", finish: "length" };
  const named = {
    fine: "shell",
    same: "shell",
    fails: "shell",
    publish: "manage_artifact",
    handoff: "handoff",
    text: "",
    cut: "",
  };
  return {
    text: `step ${step}`,
    calls: kinds.map((kind, i) => ({
      name: named[kind],
      id: "again",
      args: { kind, ...(kind === "fine" ? { step, i } : {}) },
    })),
  };
}

function tool(name: string, args: string): ToolOutcome {
  if (name === "handoff") return ok("{}", { handoff: HANDOFF });
  return args.includes('"fails"') ? bad("no_match") : ok(args);
}

function setupOf(steps: readonly (readonly Kind[])[], last: readonly Kind[]) {
  const all = [...steps, ["publish"] as const, last];
  return { answers: (said: number) => answer(said, all[said] ?? ["handoff"]), tool, budget: { turns: 30 } };
}

/** What does not depend on which of several calls was recorded first. */
function shape(played: Played) {
  const results = played.events.flatMap((e) =>
    e.type === "tool-finished" ? [`${e.step} ${e.call.id} ${e.outcome.ok}`] : [],
  );
  return {
    state: played.ended?.state,
    handoff: played.ended?.handoff,
    steps: played.events.filter((e) => e.type === "step-finished").length,
    results: results.sort(),
  };
}

test("records rebuild the state that the events made, after each of them", async () => {
  await fc.assert(
    fc.asyncProperty(script, ends, async (steps, last) => {
      const { events, drafts } = await play(setupOf(steps, last));
      let state = withNewRun(withPersonMessage(EMPTY_STATE, "task"));
      for (const [i, event] of events.entries()) {
        state = fold(state, event);
        assert.deepEqual(await rebuilt(drafts.slice(0, i + 1)), state);
      }
    }),
    { numRuns: 40 },
  );
});

test("each request holds what the records up to it say, so a resumed run sends the same bytes", async () => {
  await fc.assert(
    fc.asyncProperty(script, ends, async (steps, last) => {
      const { events, drafts, model } = await play(setupOf(steps, last));
      const starts = events.flatMap((e, i) => (e.type === "step-started" ? [i] : []));
      for (const [n, i] of starts.entries()) {
        assert.deepEqual(model.requests[n]!.messages, (await rebuilt(drafts.slice(0, i + 1))).messages);
      }
    }),
    { numRuns: 40 },
  );
});

test("every call has exactly one result, in call order, right after its answer", async () => {
  await fc.assert(
    fc.asyncProperty(script, ends, async (steps, last) => {
      const { model } = await play(setupOf(steps, last));
      for (const { messages } of model.requests) assertPaired(messages);
    }),
    { numRuns: 40 },
  );
});

function assertPaired(messages: readonly Message[]): void {
  for (const [i, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const ids = message.calls.map((c) => c.id);
    assert.deepEqual(
      messages.slice(i + 1, i + 1 + ids.length).map((m) => (m.role === "tool" ? m.callId : m.role)),
      ids,
    );
  }
}

test("killed after any event and taken up again, a run ends as if nothing had happened: no finished step is paid twice, no finished call runs again", async () => {
  await fc.assert(
    fc.asyncProperty(script, ends, fc.nat(), async (steps, last, place) => {
      const setup = { ...setupOf(steps, last), tools: { list: () => REPEATABLE } };
      const whole = await play(setup);
      const at = place % whole.events.length;
      const first = await play({ ...setup, sink: crashAfter(at) });
      assert.equal(first.ended, undefined);
      const kept = first.drafts;
      const second = await play({
        ...setup,
        state: await rebuilt(kept),
        ...(first.artifact === undefined ? {} : { artifact: first.artifact }),
      });
      const joined: AgentEvent[] = [...first.events, ...second.events];
      assert.deepEqual(
        shape({ ...second, events: joined }),
        shape(whole),
        `killed after ${at} of ${whole.events.length} events`,
      );
      const finished = joined.flatMap((e) => (e.type === "step-finished" ? [e.step] : []));
      assert.equal(new Set(finished).size, finished.length);
    }),
    { numRuns: 150 },
  );
});

const REPEATABLE = ["handoff", "manage_artifact", "shell"].map((name) => ({
  name,
  description: name,
  parameters: {},
  effect: "write" as const,
  idempotent: true,
  timeoutMs: 1000,
}));
