/** The whole product under kill -9: real daemon, real simulator, static gate. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NODES } from "@swarm/protocol/nodes";
import type { AnyRecord, SessionSummary } from "@swarm/protocol";
import { briefFor } from "../apps/century/src/ladder/brief.ts";
import { testDaemon, until, type TestDaemon } from "./daemon.ts";

const SESSIONS = 25;
/** A run that was running at three crashes and got nowhere between is parked for a person: two kills park nothing. */
const KILLS = 2;

async function create(daemon: TestDaemon): Promise<string[]> {
  return Promise.all(
    NODES.slice(0, SESSIONS).map(
      async (node) =>
        (
          await daemon.api.createSession(
            { task: briefFor(node), title: node.name, label: node.id, model: "sim/perfect", group: "crash" },
            `crash-${node.id}`,
          )
        ).session,
    ),
  );
}

function summaries(daemon: TestDaemon, ids: readonly string[]): Promise<SessionSummary[]> {
  return Promise.all(ids.map((id) => daemon.api.session(id)));
}

async function records(daemon: TestDaemon, id: string): Promise<readonly AnyRecord[]> {
  return (await daemon.api.records(id, { limit: 1000 })).items;
}

test(`kill -9 ${KILLS} times while ${SESSIONS} sessions run: every card is delivered exactly once and no finished step is asked again`, async () => {
  await using daemon = await testDaemon(["--no-runtime-gate", "--sim-speed", "8"]);
  const ids = await create(daemon);
  const acknowledged = new Map<string, number>();
  for (let kill = 0; kill < KILLS; kill++) {
    const inFlight = await until("work is in flight", async () => {
      const all = await summaries(daemon, ids);
      for (const s of all) acknowledged.set(s.id, s.rev);
      const ended = all.filter((s) => s.phase === "ended").length;
      const steps = all.filter((s) => s.turns >= 2).length;
      return (steps >= SESSIONS / 2 && ended >= kill * 3) || ended === SESSIONS ? { left: SESSIONS - ended } : false;
    });
    assert.ok(kill > 0 || inFlight.left > 0, "the first kill met no work: the test would prove nothing");
    await daemon.kill();
    await daemon.start();
    for (const s of await summaries(daemon, ids))
      assert.ok(
        s.rev >= acknowledged.get(s.id)!,
        `session ${s.id} lost records: ${s.rev} after ${acknowledged.get(s.id)}`,
      );
  }
  await until("all have ended", async () => (await summaries(daemon, ids)).every((s) => s.phase === "ended"));
  const seqs: number[] = [];
  for (const id of ids) {
    const all = await records(daemon, id);
    seqs.push(...all.map((r) => r.seq));
    assert.deepEqual(
      all.map((r) => r.rev),
      all.map((_, i) => i + 1),
      "revisions are contiguous",
    );
    const of = (kind: AnyRecord["kind"]): AnyRecord[] => all.filter((r) => r.kind === kind);
    assert.equal(of("run.ended").length, 1);
    assert.equal(of("artifact.published").length, 1, `session ${id} publishes once`);
    const steps = of("step.finished").map((r) => (r.kind === "step.finished" ? r.payload.step : 0));
    assert.equal(new Set(steps).size, steps.length, "no step is finished twice");
    const calls = of("tool.finished").map((r) =>
      r.kind === "tool.finished" ? `${r.payload.step}/${r.payload.call}` : "",
    );
    assert.equal(new Set(calls).size, calls.length, "no tool call has two results");
  }
  const again = await create(daemon);
  assert.deepEqual(again, ids, "asking again with the same keys makes no new session");
  assert.equal(new Set(seqs).size, seqs.length);
  assert.ok((await summaries(daemon, ids)).every((s) => s.state === "delivered"));
});
