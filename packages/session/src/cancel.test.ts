import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Deferred } from "@swarm/std";
import { answerTask, openWorld, turns } from "./testing/world.ts";

describe("cancel", () => {
  test("in line: it never starts", async () => {
    await using world = await openWorld({
      script: () => ({ text: "x", hang: true }),
      host: { limits: { maxConcurrent: 1 } },
    });
    const first = await world.host.create(answerTask("a"), "t", "1");
    const second = await world.host.create(answerTask("b"), "t", "2");
    await world.until(first.session, (s) => s.phase === "running");
    assert.match(world.host.admission().reason, /1 wait: the setting allows 1 at once/);
    assert.equal(await world.host.cancel(second.session, "ann"), true);
    assert.equal((await world.host.summary(second.session))!.state, "cancelled");
    assert.equal((await world.host.summary(second.session))!.epoch, 0);
    assert.equal(world.host.admission().reason, "");
    assert.equal(await world.host.cancel(first.session, "ann"), true);
    assert.equal(world.model.requests.length, 1);
  });

  test("while it streams: the stream is freed, what was said is pinned, the run ended once", async () => {
    await using world = await openWorld({ script: () => ({ text: "half an ans", hang: true }) });
    const { session } = await world.host.create(answerTask("a"), "t", "1");
    while (world.host.liveTexts(session).length === 0) await turns();
    assert.equal(await world.host.cancel(session, "ann"), true);
    assert.equal(world.model.open, 0);
    const records = await world.records(session);
    const cut = records.find((r) => r.kind === "turn.interrupted")!;
    assert.ok(cut.kind === "turn.interrupted");
    assert.deepEqual([cut.payload.text, cut.payload.offset], ["half an ans", 11]);
    assert.equal(records.filter((r) => r.kind === "run.ended").length, 1);
    assert.deepEqual(world.host.liveTexts(session), []);
    assert.equal(await world.host.cancel(session, "ann"), false);
    assert.equal(await world.journal.readStream(`${cut.payload.run}.1.text`), "");
  });

  test("while a tool runs that hears the signal: it stops, and the next run finds a valid history", async () => {
    await using world = await openWorld({
      script: ({ messages }) => (messages.length > 1 ? { text: "done" } : { calls: [{ name: "slow", args: {} }] }),
      effects: {
        slow: (_, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
      },
    });
    const { session } = await world.host.create(answerTask("a"), "t", "1");
    await world.until(session, (s) => s.now === "running slow");
    assert.equal(await world.host.cancel(session, "ann"), true);
    assert.equal((await world.host.summary(session))!.now, "cancelled by ann");
    await world.host.addMessage(session, "go on", "t", "m");
    await world.until(session, (s) => s.runs === 2 && s.phase === "ended");
    assert.deepEqual(
      world.model.requests[1]!.messages.map((m) => m.role),
      ["user", "assistant", "tool", "user"],
    );
  });

  test("while a tool runs that hears nothing: the lease is taken away, what it writes later is fenced", async () => {
    const [gate, late] = [new Deferred<void>(), new Deferred<unknown>()];
    await using world = await openWorld({
      script: () => ({ calls: [{ name: "deaf", args: {} }] }),
      effects: {
        async deaf(_, context) {
          await gate.promise;
          const plan = {
            revision: 1,
            goal: "late",
            decisions: [],
            constraints: [],
            successCriteria: [],
            checkpoints: [],
          };
          late.resolve(await world.host.put(context, plan).catch((error: unknown) => error));
          return "late";
        },
      },
    });
    const { session } = await world.host.create(answerTask("a"), "t", "1");
    await world.until(session, (s) => s.now === "running deaf");
    assert.equal(await world.host.cancel(session, "ann"), true);
    assert.equal(world.host.inFlight(), 0);
    assert.equal((await world.host.summary(session))!.state, "cancelled");
    gate.resolve();
    assert.equal(((await late.promise) as { code: string }).code, "fenced");
    await turns(20);
    const kinds = (await world.records(session)).map((r) => r.kind);
    assert.equal(kinds.at(-1), "run.ended");
    assert.equal(kinds.filter((k) => k === "run.ended").length, 1);
    assert.deepEqual(world.host.errors(), {});
  });

  test("while it asks a person: the question is over", async () => {
    await using world = await openWorld({
      script: () => ({ calls: [{ name: "ask_user", args: { question: "which?" } }] }),
    });
    const { session } = await world.host.create(answerTask("a"), "t", "1");
    const { question } = await world.until(session, (s) => s.question !== undefined && s.phase === "waiting");
    assert.equal(await world.host.cancel(session, "ann"), true);
    await assert.rejects(world.host.answer(session, question!.id, "x", "t", "a"), { code: "invalid_state" });
    assert.equal((await world.host.summary(session))!.question, undefined);
  });

  test("many: those of the group end, the others go on", async () => {
    await using world = await openWorld({
      script: () => ({ text: "x", hang: true }),
      host: { limits: { maxConcurrent: 4 } },
    });
    const made = await Promise.all(
      ["a", "a", "b", "a", "b", "a"].map((group, i) => world.host.create(answerTask(`${i}`, { group }), "t", `${i}`)),
    );
    assert.equal(await world.host.cancelMany({ group: "a" }, "ann"), 4);
    const states = await Promise.all(
      made.map(async ({ session }) => (await world.host.summary(session))!.state ?? "goes on"),
    );
    assert.deepEqual(states, ["cancelled", "cancelled", "goes on", "cancelled", "goes on", "cancelled"]);
    assert.equal(await world.host.cancelMany({}, "ann"), 2);
    assert.equal(world.host.counts().ended, 6);
  });

  test("a person's words to a run that is then cancelled start no other", async () => {
    await using world = await openWorld({ script: () => ({ text: "x", hang: true }) });
    const { session } = await world.host.create(answerTask("a"), "t", "1");
    await world.until(session, (s) => s.phase === "running");
    await world.host.addMessage(session, "wait", "t", "m");
    await world.host.cancel(session, "t");
    await turns(10);
    assert.equal((await world.host.summary(session))!.runs, 1);
  });
});

describe("drain", () => {
  test("a run stops at its durable point and goes on at the next start; nothing it finished is done again", async () => {
    const effects: string[] = [];
    const started = new Deferred<void>();
    const script = (_: unknown, step: number) =>
      step === 1 ? { calls: [{ name: "write", args: {} }] } : { text: "done" };
    const write = async () => {
      started.resolve();
      await turns(50);
      effects.push("written");
      return "ok";
    };
    const before = await openWorld({ script, effects: { write } });
    const { session } = await before.host.create(answerTask("a"), "t", "1");
    await started.promise;
    await before.host.drain(5_000);
    assert.equal(before.host.inFlight(), 0);
    await assert.rejects(before.host.create(answerTask("b"), "t", "2"), { code: "draining" });
    assert.equal(before.model.requests.length, 1);
    await before.host[Symbol.asyncDispose]();
    await before.journal.close();
    await using after = await openWorld({ script, effects: { write }, store: before.store.successor() });
    await after.ended(session);
    assert.deepEqual(effects, ["written"]);
    assert.equal(after.model.requests.length, 1);
    const system = await after.records("ses_system");
    assert.deepEqual(
      system.map((r) => (r.kind === "daemon.started" ? r.payload.clean : r.kind)),
      [true, "daemon.stopped", true],
    );
  });

  test("a stream that does not end is aborted within the time, a run in line is left", async () => {
    await using world = await openWorld({
      script: () => ({ text: "x", hang: true }),
      host: { limits: { maxConcurrent: 1 } },
    });
    const made = await Promise.all([1, 2].map((i) => world.host.create(answerTask(`${i}`), "t", `${i}`)));
    await world.until(made[0]!.session, (s) => s.phase === "running");
    await world.host.drain(100);
    assert.equal(world.host.inFlight(), 0);
    const kinds = (await world.journal.recordsSince(0, 1000)).map((r) => r.kind);
    assert.ok(!kinds.includes("run.ended"));
    assert.equal(kinds.at(-1), "daemon.stopped");
  });
});

describe("leases", () => {
  test("K-14 a loop that was blocked for longer than the lease renews first: one owner, one effect", async () => {
    let now = 0;
    const clock = { now: () => 1_000_000 + now, monotonic: () => now };
    const gate = new Deferred<void>();
    let effects = 0;
    await using world = await openWorld({
      clock,
      host: { leaseMs: 2_000 },
      script: (_, step) => (step === 1 ? { calls: [{ name: "long", args: {} }] } : { text: "done" }),
      effects: {
        async long() {
          await gate.promise;
          effects++;
          return "ok";
        },
      },
    });
    const { session } = await world.host.create(answerTask("a"), "t", "1");
    await world.until(session, (s) => s.now === "running long");
    for (const step of [1_000, 1_000, 3_000, 1_000, 4_000]) {
      now += step; // no heartbeat in between: the loop was blocked
      world.host.beat();
    }
    gate.resolve();
    const summary = await world.ended(session);
    assert.deepEqual([summary.state, summary.epoch, effects], ["delivered", 1, 1]);
    assert.equal(world.host.leases().expired, 0);
    assert.equal(world.host.leases().stalls, 2);
  });

  test("who loses its lease to another owner stops at once and writes nothing more", async () => {
    await using world = await openWorld({ script: () => ({ text: "x", hang: true }) });
    const { session, run } = await world.host.create(answerTask("a"), "t", "1");
    await world.until(session, (s) => s.phase === "running");
    await world.journal.apply({
      session,
      actor: "other",
      key: "take",
      kind: "run.leased",
      payload: { run: run as never, epoch: 2, resumed: true },
    });
    while (world.host.inFlight() > 0) await turns();
    assert.equal(world.model.open, 0);
    assert.equal((await world.records(session)).at(-1)!.kind, "run.leased");
    assert.deepEqual(world.host.errors(), {});
  });
});

describe("trouble", () => {
  test("a model that is not there any more ends the run as the provider's fault, a throwing tool list as ours", async () => {
    await using world = await openWorld({ script: () => ({ text: "x" }) });
    await world.journal.apply([
      {
        session: "ses_1",
        actor: "t",
        key: "1",
        kind: "session.created",
        payload: { title: "a", profile: "assistant", model: "none/here" },
      },
      {
        session: "ses_1",
        actor: "t",
        key: "2",
        kind: "run.queued",
        payload: { run: "run_1" as never, budget: {}, interactive: false },
      },
      {
        session: "ses_2",
        actor: "t",
        key: "3",
        kind: "session.created",
        payload: { title: "a", profile: "no such profile", model: "scripted/one" },
      },
      {
        session: "ses_2",
        actor: "t",
        key: "4",
        kind: "run.queued",
        payload: { run: "run_2" as never, budget: {}, interactive: false },
      },
    ]);
    await world.host.start();
    assert.equal((await world.ended("ses_1")).state, "failed");
    assert.equal((await world.ended("ses_2")).state, "failed");
    assert.deepEqual(world.host.errors(), { provider: 1, internal: 1 });
    const ok = await world.host.create(answerTask("a"), "t", "k");
    assert.equal((await world.ended(ok.session)).state, "delivered");
  });
});
