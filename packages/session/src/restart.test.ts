import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Deferred } from "@swarm/std";
import { answerTask, openWorld, turns, type World, type WorldOptions } from "./testing/world.ts";

/** Kills a world and opens the next one on what it left. */
async function reopened(world: World, options: Omit<WorldOptions, "store">): Promise<World> {
  world.store.kill();
  return await openWorld({ ...options, store: world.store.successor() });
}

describe("after a kill", () => {
  test("a finished model step is not asked again; an answer that was cut is pinned and asked again", async () => {
    let hang = true;
    const options: WorldOptions = {
      script: (_, step) => (step === 1 ? { calls: [{ name: "note", args: {} }] } : { text: "a part of it", hang }),
      effects: { note: () => "ok" },
    };
    const before = await openWorld(options);
    const { session, run } = await before.host.create(answerTask("a"), "t", "1");
    const stream = `${run}.2.text`;
    while ((await before.journal.readStream(stream)) === "") await new Promise((resolve) => setTimeout(resolve, 10));
    hang = false;
    await using after = await reopened(before, options);
    const summary = await after.ended(session);
    assert.deepEqual([summary.state, summary.resumed, summary.epoch], ["delivered", 1, 2]);
    assert.equal(after.model.requests.length, 1);
    const cut = (await after.records(session)).find((r) => r.kind === "turn.interrupted")!;
    assert.ok(
      cut.kind === "turn.interrupted" && cut.payload.offset === "a part of it".length && cut.payload.step === 2,
    );
    assert.equal(await after.journal.readStream(stream), "");
    const system = await after.records("ses_system");
    assert.deepEqual(
      system.map((r) => r.kind === "daemon.started" && [r.payload.clean, r.payload.resumedRuns]),
      [
        [true, 0],
        [false, 1],
      ],
    );
  });

  test("K-18 a tool that had started and may not be repeated is reported as interrupted, one that may is repeated", async () => {
    for (const [name, runs] of [
      ["once", 1],
      ["idem_often", 2],
    ] as const) {
      let effects = 0;
      const started = new Deferred<void>();
      const options: WorldOptions = {
        script: (_, step) => (step === 1 ? { calls: [{ name, args: {} }] } : { text: "done" }),
        effects: {
          async [name]() {
            if (++effects > 1) return "again";
            started.resolve();
            return await new Promise<string>(() => {});
          },
        },
      };
      const before = await openWorld(options);
      const { session } = await before.host.create(answerTask("a"), "t", "1");
      await started.promise;
      await using after = await reopened(before, options);
      assert.equal((await after.ended(session)).state, "delivered");
      assert.equal(effects, runs);
      const result = after.model.requests[0]!.messages.at(-1)!;
      assert.ok(result.role === "tool");
      assert.match(result.output, runs === 1 ? /interrupted/ : /again/);
    }
  });

  test("a start reads the unfinished sessions only; lists and counts come without rebuilding the ended ones (K-16, K-17)", async () => {
    const before = await openWorld({
      script: ({ messages }) => ({ text: "x", hang: JSON.stringify(messages).includes("hang") }),
    });
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        before.host.create(answerTask(i === 7 ? "hang" : `task ${i}`, i % 2 ? { group: "odd" } : {}), "t", `${i}`),
      ),
    );
    await Promise.all(
      made.map(({ session }, i) =>
        i === 7 ? before.until(session, (s) => s.phase === "running") : before.ended(session),
      ),
    );
    await before.host.seen(made[3]!.session, "t");
    const totals = before.host.totals();
    before.store.kill();
    const after = await openWorld({
      script: () => ({ text: "x", hang: true }),
      store: before.store.successor(),
      idle: true,
    });
    await using _closed = after;
    const projected = new Set<string>();
    const project = after.journal.project.bind(after.journal);
    after.journal.project = (name: string, session: string) => {
      projected.add(session);
      return project(name, session) as never;
    };
    assert.deepEqual(await after.host.start(), { resumedRuns: 1 });
    while (after.host.counts().total < 30) await turns();
    assert.deepEqual(after.host.totals(), totals);
    assert.equal(after.host.counts().ended, 29);
    const ids = made.map(({ session }) => session);
    const order: string[] = [];
    for (let next: string | null | undefined; next !== null;) {
      const page = await after.host.list({ limit: 10, ...(next === undefined ? {} : { after: next }) });
      order.push(...page.items.map((s) => s.id));
      next = page.next;
    }
    const places = await Promise.all(ids.map(async (id) => (await after.records(id))[0]!.seq));
    assert.deepEqual(
      order,
      ids.toSorted((a, b) => places[ids.indexOf(a)]! - places[ids.indexOf(b)]!),
    );
    const odd = await after.host.list({ limit: 100, group: "odd" });
    assert.equal(odd.items.length, 15);
    assert.equal(odd.next, null);
    assert.equal(odd.items.find((s) => s.id === ids[3])!.unseen, false);
    assert.ok(odd.items.filter((s) => s.id !== ids[7]).every((s) => s.phase === "ended" && s.totals.requests === 1));
    assert.deepEqual([...projected], [ids[7]]);
  });

  test("H-09 runs that had begun and find no place are shown as waiting for one, not as running", async () => {
    const options: WorldOptions = { script: () => ({ text: "x", hang: true }) };
    const before = await openWorld(options);
    const made = await Promise.all([1, 2, 3, 4].map((i) => before.host.create(answerTask(`${i}`), "t", `${i}`)));
    await Promise.all(made.map(({ session }) => before.until(session, (s) => s.phase === "running")));
    await using after = await reopened(before, { ...options, host: { limits: { maxConcurrent: 1 } } });
    const lists = async () => (await after.host.list({ limit: 10 })).items;
    while (!(await lists()).some((s) => s.phase === "running")) await turns();
    const waiting = (await lists()).filter((s) => s.phase !== "running");
    assert.deepEqual(
      waiting.map((s) => s.wait),
      [1, 2, 3].map(() => ({ on: "capacity", detail: "in line after a restart" })),
    );
    assert.deepEqual(after.host.counts(), { total: 4, queued: 0, running: 1, waiting: 3, ended: 0 });
    assert.equal(await after.host.cancelMany({}, "t"), 4);
  });

  test("an ended session that somebody writes to while the others are still counted is counted once", async () => {
    const before = await openWorld({ script: () => ({ text: "x" }) });
    const { session } = await before.host.create(answerTask("a"), "t", "1");
    await before.ended(session);
    before.store.kill();
    await using after = await openWorld({ script: () => ({ text: "x" }), store: before.store.successor(), idle: true });
    await after.host.addMessage(session, "more", "t", "m");
    await after.until(session, (s) => s.runs === 2 && s.phase === "ended");
    await after.host.start();
    await turns(20);
    assert.deepEqual(after.host.counts(), { total: 1, queued: 0, running: 0, waiting: 0, ended: 1 });
    assert.equal(after.host.totals().requests, 2);
  });
});

describe("a run that only crashes the daemon", () => {
  const poison: WorldOptions = { script: () => ({ hang: true }) };

  async function crash(world: World): Promise<World> {
    return await reopened(world, poison);
  }

  test("is parked when it was taken up twice after crashes without getting anywhere, until a person's word", async () => {
    let world = await openWorld(poison);
    const { session } = await world.host.create(answerTask("a"), "t", "1");
    await world.until(session, (s) => s.phase === "running");
    for (let lease = 2; lease <= 3; lease++) {
      world = await crash(world);
      await world.until(session, (s) => s.epoch === lease && s.phase === "running");
    }
    world = await crash(world);
    const parked = await world.until(session, (s) => s.phase === "waiting");
    assert.match(parked.wait!.detail, /^parked: the daemon crashed 3 times/);
    assert.equal(world.host.inFlight(), 0);
    world = await crash(world);
    await turns(20);
    assert.equal((await world.host.summary(session))!.epoch, 3);
    await world.host.addMessage(session, "try again", "t", "m");
    await world.until(session, (s) => s.epoch === 4 && s.phase === "running");
    while (world.model.requests.length === 0) await turns();
    assert.equal(world.model.requests[0]!.messages.length, 2);
    world = await crash(world);
    await world.until(session, (s) => s.epoch === 5 && s.phase === "running");
    await world[Symbol.asyncDispose]();
  });

  test("is not parked for orderly stops, nor when it got somewhere between", async () => {
    let world = await openWorld(poison);
    const { session } = await world.host.create(answerTask("a"), "t", "1");
    await world.until(session, (s) => s.phase === "running");
    for (let lease = 2; lease <= 6; lease++) {
      await world.host.drain(20);
      world = await crash(world);
      await world.until(session, (s) => s.epoch === lease && s.phase === "running");
    }
    await world[Symbol.asyncDispose]();

    let step = 0;
    const options: WorldOptions = {
      script: () => (step++ % 2 === 0 ? { calls: [{ name: "note", args: { step } }] } : { hang: true }),
      effects: { note: (args) => `noted ${String(args["step"])}` },
    };
    world = await openWorld(options);
    const other = await world.host.create(answerTask("b"), "t", "2");
    for (let lease = 1; lease <= 5; lease++) {
      await world.until(
        other.session,
        (s) => s.epoch === lease && s.totals.requests === lease && s.now === "waiting for the model",
      );
      if (lease < 5) world = await reopened(world, options);
    }
    await world[Symbol.asyncDispose]();
  });

  test("can be cancelled while it is parked", async () => {
    let world = await openWorld(poison);
    const { session } = await world.host.create(answerTask("a"), "t", "1");
    await world.until(session, (s) => s.phase === "running");
    for (let lease = 2; lease <= 3; lease++) {
      world = await crash(world);
      await world.until(session, (s) => s.epoch === lease && s.phase === "running");
    }
    world = await crash(world);
    await world.until(session, (s) => s.phase === "waiting");
    assert.equal(await world.host.cancel(session, "ann"), true);
    assert.deepEqual(world.host.counts(), { total: 1, queued: 0, running: 0, waiting: 0, ended: 1 });
    await world[Symbol.asyncDispose]();
  });
});
