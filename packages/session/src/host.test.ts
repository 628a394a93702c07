import assert from "node:assert/strict";
import { test } from "node:test";
import { openJournal, type Journal, type JournalPlace } from "@swarm/journal";
import { MemoryStore, type KvIterator, type KvRange, type KvStore, type KvWrite } from "@swarm/kv";
import type { AnyRecord, SessionSummary } from "@swarm/protocol";
import type { LanguageModel, ToolDeclaration, ToolRunner } from "@swarm/protocol/ports";
import { silentLogger, systemClock } from "@swarm/std";
import { ScriptedModel, type ScriptedAnswer } from "@swarm/testkit";
import { openSessionHost, readAll, sessionKinds, sessionProjections, type SessionHost, type SessionHostOptions } from "./index.ts";

/** Dies like a process: after `kill` nothing is answered and nothing is written. */
class MortalStore implements KvStore {
  readonly abilities;
  readonly #store: KvStore;
  dead = false;
  constructor(store: KvStore) {
    this.#store = store;
    this.abilities = store.abilities;
  }
  #alive<T>(work: () => Promise<T>): Promise<T> {
    return this.dead ? new Promise(() => {}) : work().then((v) => (this.dead ? new Promise<T>(() => {}) : v));
  }
  get(key: string): Promise<Uint8Array | undefined> {
    return this.#alive(() => this.#store.get(key));
  }
  getSync(key: string): Uint8Array | undefined {
    return this.#store.getSync(key);
  }
  getMany(keys: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    return this.#alive(() => this.#store.getMany(keys));
  }
  range(range: KvRange & { readonly limit: number }): Promise<{ key: string; value: Uint8Array }[]> {
    return this.#alive(() => this.#store.range(range));
  }
  iterate(range: KvRange): KvIterator {
    return this.#store.iterate(range);
  }
  batch(writes: readonly KvWrite[], options: { readonly sync: boolean }): Promise<void> {
    return this.#alive(() => this.#store.batch(writes, options));
  }
  async close(): Promise<void> {}
}

const DECLARATIONS: readonly ToolDeclaration[] = [
  { name: "once", description: "", parameters: {}, effect: "execute", idempotent: false, timeoutMs: 1000 },
  { name: "again", description: "", parameters: {}, effect: "write", idempotent: true, timeoutMs: 1000 },
];

class World {
  readonly store = new MemoryStore();
  readonly effects: string[] = [];
  readonly asked: string[] = [];
  mortal: MortalStore | undefined;
  journal!: Journal;
  host!: SessionHost;
  model: LanguageModel;
  toolDelayMs = 0;
  toolHangs = false;

  constructor(script: (task: string, step: number) => ScriptedAnswer) {
    this.model = new ScriptedModel((request) => {
      const task = request.messages.find((m) => m.role === "user")?.text ?? "";
      const step = request.messages.filter((m) => m.role === "assistant").length + 1;
      this.asked.push(`${task}/${step}`);
      return script(task, step);
    });
  }

  async start(limits: SessionHostOptions["limits"] = {}): Promise<void> {
    this.mortal = new MortalStore(this.store);
    this.journal = await openJournal({ home: "memory", place: this.place(this.mortal), kinds: sessionKinds, projections: sessionProjections, clock: systemClock, logger: silentLogger });
    const tools: ToolRunner = {
      list: () => DECLARATIONS,
      run: async (name, args, context) => {
        const mine = this.mortal;
        this.effects.push(`${context.session}/${context.step}/${context.callId}/${name}`);
        if (this.toolHangs) await new Promise((_r, reject) => context.signal.addEventListener("abort", () => reject(context.signal.reason as Error)));
        if (this.toolDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.toolDelayMs));
        if (mine?.dead) await new Promise(() => {});
        return { ok: true, summary: "done", output: args, repaired: [], truncated: false };
      },
    };
    this.host = await openSessionHost({ journal: this.journal, models: { resolve: () => this.model }, tools: () => tools, clock: systemClock, logger: silentLogger, limits, defaultModel: "scripted/model" });
    await this.host.start();
  }

  /** A place whose last owner did not close it, unless it drained. */
  place(store: KvStore): JournalPlace {
    return { clean: this.clean, open: async () => store, chainKey: async () => "0".repeat(64), probe: async () => {}, release: async () => {} };
  }
  clean = true;

  kill(): void {
    this.clean = false;
    this.mortal!.dead = true;
  }

  create(task: string, extra: object = {}): Promise<{ session: string; run: string }> {
    return this.host.create({ task, profile: "assistant", ...extra }, "me", task);
  }

  async until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
    for (let i = 0; i < 2000; i++) {
      if (await done()) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`in vain: ${what}`);
  }

  async summary(session: string): Promise<SessionSummary> {
    return (await this.host.summary(session))!;
  }
  records(session: string): Promise<AnyRecord[]> {
    return readAll(this.journal, session);
  }
  async end(): Promise<void> {
    await this.host[Symbol.asyncDispose]();
    await this.journal.close();
  }
}

const TWO_STEPS = (_task: string, step: number): ScriptedAnswer => (step === 1 ? { calls: [{ name: "again", args: { x: 1 } }] } : { text: "done" });

test("two hundred sessions run to their end, once each, and counters agree with the records", async () => {
  const world = new World(TWO_STEPS);
  await world.start();
  const ids = (await Promise.all(Array.from({ length: 200 }, (_, i) => world.create(`task ${i}`)))).map((c) => c.session);
  await world.until("all ended", () => world.host.counts().ended === 200);
  assert.deepEqual(world.host.counts(), { total: 200, queued: 0, running: 0, waiting: 0, ended: 200 });
  assert.equal(world.host.totals().requests, 400);
  assert.equal(world.host.inFlight(), 0);
  for (const id of ids) {
    const records = await world.records(id);
    assert.equal(records.filter((r) => r.kind === "run.ended").length, 1);
    assert.deepEqual(records.map((r) => r.rev), records.map((_, i) => i + 1));
  }
  const pages: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await world.host.list({ limit: 70, ...(after === undefined ? {} : { after }) });
    pages.push(...page.items.map((s) => s.id));
    if (page.next === null) break;
    after = page.next;
  }
  assert.deepEqual([...pages].sort(), [...ids].sort());
  await world.end();
});

test("the same caller and key is the same session; another body under it is a conflict", async () => {
  const world = new World(TWO_STEPS);
  await world.start();
  const [a, b] = await Promise.all([world.create("t"), world.create("t")]);
  assert.deepEqual(a, b);
  await assert.rejects(world.host.create({ task: "other", profile: "assistant" }, "me", "t"), { code: "idempotency_conflict" });
  await world.until("ended", () => world.host.counts().ended === 1);
  assert.equal(world.asked.length, 2);
  await world.end();
});

for (let seed = 1; seed <= 6; seed++) {
  test(`killed at instants of seed ${seed}: every run ends once, no finished step is asked again, no effect that may not repeat happens twice`, async () => {
    let state = seed * 7919;
    const random = (): number => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
    const world = new World((_task, step) => (step <= 3 ? { calls: [{ name: step % 2 ? "once" : "again", args: { step } }] } : { text: "done" }));
    world.toolDelayMs = 3;
    await world.start();
    const ids = (await Promise.all(Array.from({ length: 12 }, (_, i) => world.create(`task ${i}`)))).map((c) => c.session);
    for (let kill = 0; kill < 4; kill++) {
      await new Promise((resolve) => setTimeout(resolve, random() * 25));
      world.kill();
      await world.start();
    }
    await world.until("all ended", async () => (await Promise.all(ids.map((id) => world.summary(id)))).every((s) => s.phase === "ended" || s.wait?.on === "user"));
    for (const id of ids) {
      const records = await world.records(id);
      const parked = records.some((r) => r.kind === "run.waiting" && r.payload.on === "user");
      assert.equal(records.filter((r) => r.kind === "run.ended").length, parked ? 0 : 1, id);
      const steps = records.flatMap((r) => (r.kind === "step.finished" ? [r.payload.step] : []));
      assert.equal(new Set(steps).size, steps.length, "a step finished twice");
      const once = world.effects.filter((e) => e.startsWith(`${id}/`) && e.endsWith("/once"));
      assert.equal(new Set(once).size, once.length, "an effect that may not repeat happened twice");
    }
    await world.end();
  });
}

test("a run that was running at three crashes in a row without getting anywhere waits for a person, who can send it on", async () => {
  let mute = true;
  const world = new World(() => (mute ? { text: "…", hang: true } : { text: "done" }));
  await world.start();
  const { session } = await world.create("cursed");
  for (let crash = 0; crash < 3; crash++) {
    await world.until("running", async () => (await world.summary(session)).phase === "running");
    world.kill();
    await world.start();
  }
  const parked = await world.summary(session);
  assert.deepEqual([parked.phase, parked.wait?.on], ["waiting", "user"]);
  assert.match(parked.wait?.detail ?? "", /^parked:/);
  mute = false;
  await world.host.addMessage(session, "try again", "me", "m1");
  await world.until("ended", async () => (await world.summary(session)).state === "delivered");
  await world.end();
});

test("a drain leaves the run unfinished, the next start goes on with it", async () => {
  let hang = true;
  const world = new World(() => (hang ? { text: "…", hang: true } : { text: "done" }));
  await world.start();
  const { session } = await world.create("t");
  await world.until("running", async () => (await world.summary(session)).phase === "running");
  await world.host.drain(1000);
  await assert.rejects(world.create("late"), { code: "draining" });
  await world.end();
  hang = false;
  await world.start();
  await world.until("ended", async () => (await world.summary(session)).state === "delivered");
  assert.equal((await world.records(session)).filter((r) => r.kind === "run.leased").length, 2);
  await world.end();
});

test("cancel ends a run in line, one that streams and one that waits for a tool, each as cancelled", async () => {
  const world = new World((task) => (task === "tool" ? { calls: [{ name: "once", args: {} }] } : { text: "…", hang: true }));
  world.toolHangs = true;
  await world.start({ maxConcurrent: 2 });
  const [stream, tool, queued] = await Promise.all(["stream", "tool", "queued"].map((t) => world.create(t)));
  await world.until("streaming", async () => world.effects.length === 1 && (await world.summary(stream!.session)).phase === "running");
  assert.equal((await world.summary(queued!.session)).phase, "queued");
  assert.match(world.host.admission().reason, /1 wait: the setting allows 2 at once/);
  for (const { session } of [queued!, stream!, tool!]) assert.equal(await world.host.cancel(session, "me"), true);
  for (const { session } of [queued!, stream!, tool!]) await world.until("cancelled", async () => (await world.summary(session)).state === "cancelled");
  assert.equal(await world.host.cancel(tool!.session, "me"), false, "what has ended is not ended again");
  await world.end();
});

test("groups take turns and a person's session goes first", async () => {
  const order: string[] = [];
  const world = new World((task) => {
    order.push(task);
    return { text: "done" };
  });
  await world.start({ maxConcurrent: 1 });
  await Promise.all([...["a1", "a2", "a3"].map((t) => world.create(t, { group: "a" })), ...["b1", "b2"].map((t) => world.create(t, { group: "b" })), world.create("person", { interactive: true, group: "c" })]);
  await world.until("ended", () => world.host.counts().ended === 6);
  const rank = (t: string): number => order.indexOf(t);
  assert.ok(rank("b1") < rank("a3"), order.join(" "));
  assert.ok(rank("person") <= 1, order.join(" "));
  await world.end();
});
