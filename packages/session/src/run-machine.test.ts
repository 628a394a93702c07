import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunPhase } from "@swarm/protocol";
import { nextPhase, RUN_EVENTS, type RunEventKind } from "./run-machine.ts";

const PHASES = ["none", "queued", "leased", "running", "waiting", "ended"] as const;

/** R1 to R4: what follows in each phase, in the order of PHASES; "-": refused. */
const EXPECTED: Readonly<Record<RunEventKind, string>> = {
  "run.queued": "queued - - - - queued",
  "run.leased": "- leased leased leased leased -",
  "run.waiting": "- waiting waiting waiting waiting -",
  "run.resumed": "- - running running running -",
  "run.ended": "- ended ended ended ended -",
  "turn.interrupted": "- - leased running waiting -",
  "step.started": "- - running running running -",
  "step.finished": "- - running running running -",
  "step.failed": "- - running running running -",
  "tool.started": "- - running running waiting -",
  "tool.finished": "- - running running waiting -",
  "plan.set": "- - leased running waiting -",
  "question.asked": "- - leased running waiting -",
};

test("the table of phases and events is total and as specified", () => {
  assert.deepEqual([...RUN_EVENTS].sort(), Object.keys(EXPECTED).sort());
  for (const event of RUN_EVENTS) {
    const row = PHASES.map((phase) => nextPhase(phase, event) ?? "-").join(" ");
    assert.equal(row, EXPECTED[event], event);
  }
});

test("R4 an unfinished run can always be leased and always be ended", () => {
  const unfinished: RunPhase[] = ["queued", "leased", "running", "waiting"];
  for (const phase of unfinished) {
    assert.equal(nextPhase(phase, "run.leased"), "leased");
    assert.equal(nextPhase(phase, "run.ended"), "ended");
  }
});
