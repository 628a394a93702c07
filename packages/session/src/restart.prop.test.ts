import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { AnyRecord } from "@swarm/protocol";
import { answerTask, KillableStore, openWorld, turns, type Script, type World } from "./testing/world.ts";

/** Three steps with calls, one of them a question for every tenth session, then an answer. */
const script: Script = ({ messages }, step) => {
  const first = messages[0]!;
  const asks = first.role === "user" && first.text.endsWith("0");
  if (step === 1)
    return {
      calls: [
        { name: "once", args: {} },
        { name: "idem_twice", args: {} },
      ],
    };
  if (step === 2)
    return asks
      ? { calls: [{ name: "ask_user", args: { question: "go on?" } }] }
      : { calls: [{ name: "once", args: {} }] };
  return { text: "done" };
};

/** Answers questions and sends on what is parked, as a person would, until every run has ended. */
async function attend(world: World, sessions: readonly string[]): Promise<void> {
  for (;;) {
    const all = await Promise.all(sessions.map((session) => world.host.summary(session)));
    const open = all.filter((s) => s !== undefined && s.phase !== "ended");
    if (world.store.dead || open.length === 0) return;
    for (const s of open) {
      if (s?.question) void world.host.answer(s.id, s.question.id, "yes", "person", s.question.id).catch(() => {});
      else if (s?.wait?.detail.startsWith("parked:"))
        void world.host.addMessage(s.id, "go on", "person", `go/${s.epoch}`).catch(() => {});
    }
    await Promise.race([turns(20), world.store.death]);
  }
}

function check(records: readonly AnyRecord[], effects: readonly string[]): void {
  assert.deepEqual(
    records.map((r) => r.rev),
    records.map((_, i) => i + 1),
  );
  const all = <K extends AnyRecord["kind"]>(kind: K) =>
    records.filter((r): r is Extract<AnyRecord, { kind: K }> => r.kind === kind);
  const unique = (what: string, values: readonly unknown[]): void =>
    assert.equal(new Set(values).size, values.length, `${what}: ${values.join(" ")}`);
  assert.deepEqual(
    all("run.ended").map((r) => r.payload.state),
    ["delivered"],
  );
  assert.equal(records.at(-1)!.kind, "run.ended");
  unique(
    "a step finished twice",
    all("step.finished").map((r) => r.payload.step),
  );
  unique(
    "a call with two results",
    all("tool.finished").map((r) => `${r.payload.step}/${r.payload.call}`),
  );
  unique(
    "a question asked twice",
    all("question.asked").map((r) => r.payload.call),
  );
  unique(
    "an answer given twice",
    all("question.answered").map((r) => r.payload.question),
  );
  assert.deepEqual(
    all("run.leased").map((r) => r.payload.epoch),
    all("run.leased").map((_, i) => i + 1),
  );
  unique(
    "an effect that may not be repeated happened twice",
    effects.filter((e) => e.endsWith("once")),
  );
}

async function live(
  sessions: number,
  kills: readonly { readonly batch: number; readonly applied: boolean }[],
): Promise<void> {
  const effects = new Map<string, string[]>();
  const effect =
    (name: string) =>
    async (_: unknown, { session, step, callId }: { session: string; step: number; callId: string }) => {
      const mine = effects.get(session) ?? [];
      effects.set(session, mine);
      mine.push(`${step}/${callId}/${name}`);
      await turns(2);
      return "ok";
    };
  const options = { script, effects: { once: effect("once"), idem_twice: effect("twice") } };
  const tasks = Array.from({ length: sessions }, (_, i) => `task ${i}`);
  let store = new KillableStore();
  let ids: string[] = [];
  for (const kill of [...kills, undefined]) {
    if (kill !== undefined) store.killAt(kill.batch, kill.applied);
    const opened = openWorld({ ...options, store });
    const world = await Promise.race([opened, store.death.then(() => undefined)]);
    if (world !== undefined) {
      // the client asks again under the same keys, whatever became of its first request
      const created = Promise.all(tasks.map((task) => world.host.create(answerTask(task), "client", task)));
      const made = await Promise.race([created, store.death.then(() => undefined)]);
      if (made !== undefined) {
        ids = made.map(({ session }) => session);
        await Promise.race([attend(world, ids), store.death]);
      }
    }
    if (kill !== undefined && store.dead) {
      store = store.successor();
      continue;
    }
    store.killAt(Infinity, false); // it came through
    await using _closed = world!;
    assert.equal(world!.host.errors()["internal"] ?? 0, 0);
    for (const id of ids) check(await world!.records(id), effects.get(id) ?? []);
    while (world!.host.counts().total < sessions) await turns();
    assert.deepEqual(world!.host.counts(), { total: sessions, queued: 0, running: 0, waiting: 0, ended: sessions });
    assert.deepEqual(world!.host.held().actors, 0);
    return;
  }
}

const kill = fc.record({ batch: fc.nat({ max: 25 }), applied: fc.boolean() });

test("killed in any batch, lost or written without an answer, any number of times: every run ends once and nothing finished is repeated", async () => {
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.array(kill, { maxLength: 6 }), live), {
    numRuns: 30,
    seed: 20261201,
  });
});

test("200 sessions through three kills", async () => {
  await live(200, [
    { batch: 30, applied: true },
    { batch: 12, applied: false },
    { batch: 40, applied: true },
  ]);
});
