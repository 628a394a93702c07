import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Deferred } from "@swarm/std";
import { answerTask, openWorld, turns } from "./testing/world.ts";

const words = (text: string) => () => ({ text });

describe("create", () => {
  test("a session, its task and its run are one batch; the run ends delivered, exactly once", async () => {
    await using world = await openWorld({ script: words("the answer") });
    const { session, run } = await world.host.create(answerTask("what is it?"), "tester", "k1");
    const summary = await world.ended(session);
    assert.equal(summary.state, "delivered");
    const records = await world.records(session);
    assert.deepEqual(
      records.map((r) => r.kind),
      ["session.created", "message.added", "run.queued", "run.leased", "step.started", "step.finished", "run.ended"],
    );
    assert.deepEqual(new Set(records.slice(0, 3).map((r) => r.at)).size, 1);
    assert.equal(summary.run, run);
    assert.equal(summary.title, "what is it?");
  });

  test("the same caller and key are the same session; another caller's key is another one; another task a conflict", async () => {
    await using world = await openWorld({ script: words("x") });
    const first = await world.host.create(answerTask("a"), "tester", "k");
    assert.deepEqual(await world.host.create(answerTask("a"), "tester", "k"), first);
    assert.notDeepEqual(await world.host.create(answerTask("a"), "other", "k"), first);
    await assert.rejects(world.host.create(answerTask("b"), "tester", "k"), { code: "idempotency_conflict" });
    await world.ended(first.session);
    await turns(5);
    assert.equal((await world.host.summary(first.session))!.runs, 1);
    assert.equal(world.host.counts().total, 2);
  });

  test("a long task and a long answer are kept as blobs and reach the model whole", async () => {
    const task = `count ${"é".repeat(3000)}`;
    await using world = await openWorld({ script: words("y".repeat(5000)) });
    const { session } = await world.host.create(answerTask(task), "tester", "k");
    await world.ended(session);
    const records = await world.records(session);
    const [message, finished] = [records[1]!, records.find((r) => r.kind === "step.finished")!];
    assert.ok(message.kind === "message.added" && typeof message.payload.text === "object");
    assert.ok(finished.kind === "step.finished" && typeof finished.payload.text === "object");
    assert.equal(finished.payload.text.bytes, 5000);
    assert.deepEqual(world.model.requests[0]!.messages, [{ role: "user", text: task }]);
  });

  test("an empty task, an unknown profile and an unknown model are refused before anything is written", async () => {
    await using world = await openWorld({ script: words("x") });
    const before = world.journal.cursor().seq;
    await assert.rejects(world.host.create(answerTask(" \0 "), "t", "1"), { code: "bad_request" });
    await assert.rejects(world.host.create({ task: "a", profile: "none" }, "t", "2"), { code: "bad_request" });
    await assert.rejects(world.host.create(answerTask("a", { model: "none/here" }), "t", "3"), {
      code: "model_unknown",
    });
    assert.equal(world.journal.cursor().seq, before);
  });

  test("200 sessions at once all end, each once, and nothing of them stays in memory but bounded summaries (A-01)", async () => {
    await using world = await openWorld({
      script: (_, step) => (step === 1 ? { calls: [{ name: "note", args: {} }] } : { text: "done" }),
      effects: { note: () => "ok" },
    });
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        world.host.create(answerTask(`task ${i}`, { group: "many" }), "tester", `k${i}`),
      ),
    );
    await Promise.all(all.map(({ session }) => world.ended(session)));
    await turns(5);
    assert.deepEqual(world.host.counts(), { total: 200, queued: 0, running: 0, waiting: 0, ended: 200 });
    assert.deepEqual(world.host.held(), { live: 0, ended: 200, actors: 0, mailboxes: 0 });
    assert.equal(world.host.leases().active, 0);
    assert.equal(world.host.totals().requests, 400);
    const records = await world.journal.recordsSince(0, 10_000);
    assert.equal(records.filter((r) => r.kind === "run.ended").length, 200);
    assert.deepEqual(world.host.errors(), {});
  });
});

describe("messages", () => {
  test("words to a running run join at its next step, once", async () => {
    const gate = new Deferred<void>();
    await using world = await openWorld({
      script: (_, step) => (step === 1 ? { calls: [{ name: "slow", args: {} }] } : { text: "done" }),
      effects: { slow: () => gate.promise.then(() => "ok") },
    });
    const { session, run } = await world.host.create(answerTask("go"), "t", "k");
    await world.until(session, (s) => s.now === "running slow");
    assert.deepEqual(await world.host.addMessage(session, "and be quick", "t", "m"), { run });
    assert.deepEqual(await world.host.addMessage(session, "and be quick", "t", "m"), { run });
    gate.resolve();
    const summary = await world.ended(session);
    assert.equal(summary.runs, 1);
    const texts = world.model.requests[1]!.messages.filter((m) => m.role === "user").map((m) => m.text);
    assert.deepEqual(texts, ["go", "and be quick"]);
  });

  test("words that come while the run is taking up its history are in it once", async () => {
    await using world = await openWorld({ script: words("done"), idle: true });
    const records = world.journal.records.bind(world.journal);
    world.journal.records = async (session, options) => {
      await turns(10);
      return await records(session, options);
    };
    const { session } = await world.host.create(answerTask("go"), "t", "k");
    await world.until(session, (s) => s.phase === "leased");
    await world.host.addMessage(session, "quickly", "t", "m");
    await world.ended(session);
    await turns(5);
    assert.deepEqual(
      world.model.requests.map((r) => r.messages),
      [["go", "quickly"].map((text) => ({ role: "user", text }))],
    );
  });

  test("words that come too late for a run start the next one, in the batch of its end", async () => {
    await using world = await openWorld({ script: ({ messages }) => ({ text: `answer ${messages.length}` }) });
    let joined: Promise<{ run: string }> | undefined;
    // durable when the agent has looked for words a last time and its end is on the way
    world.host.onSummary((s) => {
      if (s.totals.requests === 1) joined ??= world.host.addMessage(s.id, "one more", "t", "m");
    });
    const { session, run } = await world.host.create(answerTask("go"), "t", "k");
    const summary = await world.until(session, (s) => s.runs === 2 && s.phase === "ended");
    assert.deepEqual(await joined, { run });
    assert.equal(summary.state, "delivered");
    const records = await world.records(session);
    const end = records.findIndex((r) => r.kind === "run.ended");
    assert.equal(records[end - 1]!.kind, "message.added");
    assert.equal(records[end + 1]!.kind, "run.queued");
    assert.equal(records[end + 1]!.at, records[end]!.at);
    assert.deepEqual(world.model.requests[1]!.messages.at(-1), { role: "user", text: "one more" });
  });

  test("words to an ended session start a new run; a retry of words that had joined an ended run starts none", async () => {
    const gate = new Deferred<void>();
    await using world = await openWorld({
      script: (request, step) =>
        request.messages.length === 1 && step === 1 ? { calls: [{ name: "slow", args: {} }] } : { text: "done" },
      effects: { slow: () => gate.promise.then(() => "ok") },
    });
    const { session, run } = await world.host.create(answerTask("go"), "t", "k");
    await world.until(session, (s) => s.now === "running slow");
    await world.host.addMessage(session, "joined", "t", "m1");
    gate.resolve();
    await world.ended(session);
    assert.deepEqual(await world.host.addMessage(session, "joined", "t", "m1"), { run });
    const second = await world.host.addMessage(session, "again", "t", "m2");
    assert.notEqual(second.run, run);
    await world.until(session, (s) => s.runs === 2 && s.phase === "ended");
    assert.deepEqual(await world.host.addMessage(session, "again", "t", "m2"), second);
    assert.equal((await world.host.summary(session))!.runs, 2);
    const both = await Promise.all([
      world.host.addMessage(session, "x", "t", "m3"),
      world.host.addMessage(session, "y", "t", "m4"),
    ]);
    assert.equal(both[0].run, both[1].run);
  });
});

describe("questions", () => {
  const asks = {
    script: (_: unknown, step: number) =>
      step === 1 ? { calls: [{ name: "ask_user", args: { question: "ms or s?" } }] } : { text: "done" },
  };

  test("a question waits for its answer and the run goes on with it; a second answer is refused, a retry is not", async () => {
    await using world = await openWorld(asks);
    const { session } = await world.host.create(answerTask("go"), "t", "k");
    const waiting = await world.until(session, (s) => s.question !== undefined && s.phase === "waiting");
    assert.deepEqual(waiting.wait, { on: "user", detail: "ms or s?" });
    await assert.rejects(world.host.answer(session, "qst_other", "ms", "t", "a0"), { code: "invalid_state" });
    await world.host.answer(session, waiting.question!.id, "ms", "t", "a1");
    await world.host.answer(session, waiting.question!.id, "ms", "t", "a1");
    await world.ended(session);
    await assert.rejects(world.host.answer(session, waiting.question!.id, "s", "t", "a2"), { code: "invalid_state" });
    const result = world.model.requests[1]!.messages.at(-1)!;
    assert.ok(result.role === "tool" && result.output === "ms");
  });

  test("a run that waits for a person keeps no place from others", async () => {
    await using world = await openWorld({
      script: (request, step) =>
        JSON.stringify(request.messages[0]).includes("asker") ? asks.script(request, step) : { text: "x" },
      host: { limits: { maxConcurrent: 1 } },
    });
    const asker = await world.host.create(answerTask("asker"), "t", "k1");
    await world.until(asker.session, (s) => s.question !== undefined);
    const other = await world.host.create(answerTask("other"), "t", "k2");
    assert.equal((await world.ended(other.session)).state, "delivered");
  });

  for (const answered of [true, false]) {
    test(`over a kill the same call asks once, ${answered ? "answered while nobody ran" : "answered afterwards"}`, async () => {
      const before = await openWorld(asks);
      const { session } = await before.host.create(answerTask("go"), "t", "k");
      const { question } = await before.until(session, (s) => s.question !== undefined && s.phase === "waiting");
      before.store.kill();
      await using after = await openWorld({ ...asks, store: before.store.successor(), idle: answered });
      if (answered) {
        await after.host.answer(session, question!.id, "ms", "t", "a");
        await after.host.start();
      } else {
        await after.until(session, (s) => s.epoch === 2 && s.phase === "waiting");
        await after.host.answer(session, question!.id, "ms", "t", "a");
      }
      assert.equal((await after.ended(session)).state, "delivered");
      const kinds = (await after.records(session)).map((r) => r.kind);
      assert.equal(kinds.filter((k) => k === "question.asked").length, 1);
      assert.equal(kinds.filter((k) => k === "step.finished").length, 2);
      assert.equal(kinds.filter((k) => k === "tool.started").length, 1);
    });
  }

  test("a budget that is used up is raised by half from what it was, and over again", async () => {
    await using world = await openWorld({
      script: ({ messages }, step) =>
        step <= 4 ? { calls: [{ name: "note", args: { n: messages.length } }] } : { text: "done" },
      effects: { note: (args) => `noted ${String(args["n"])}` },
    });
    const { session } = await world.host.create(
      answerTask("go", { budget: { turns: 2 }, interactive: true }),
      "t",
      "k",
    );
    for (const wanted of [1, 2]) {
      const { question } = await world.until(
        session,
        (s) =>
          s.question !== undefined &&
          s.phase === "waiting" &&
          s.question.text.includes(wanted === 1 ? "2 of 2" : "3 of 3"),
      );
      await world.host.answer(session, question!.id, "Raise by half", "t", `a${wanted}`);
    }
    assert.equal((await world.ended(session)).state, "delivered"); // 2, 3, 5 turns
  });
});

describe("places", () => {
  test("groups take turns for them and a person's session goes first", async () => {
    const order: string[] = [];
    await using world = await openWorld({
      script: ({ messages: [first] }) => {
        if (first?.role === "user") order.push(first.text);
        return { text: "done" };
      },
      host: { limits: { maxConcurrent: 1 } },
    });
    const tasks = [
      ...["a1", "a2", "a3"].map((task) => answerTask(task, { group: "a" })),
      ...["b1", "b2"].map((task) => answerTask(task, { group: "b" })),
      answerTask("person", { group: "c", interactive: true }),
    ];
    const made = await Promise.all(tasks.map((task) => world.host.create(task, "t", task.task)));
    await Promise.all(made.map(({ session }) => world.ended(session)));
    assert.deepEqual(order, ["person", "a1", "b1", "a2", "b2", "a3"]);
    assert.equal(world.host.maxInFlight(), 1);
  });
});
