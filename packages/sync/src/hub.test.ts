import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedRecord } from "@swarm/journal";
import type { AnyRecord, DaemonStatus, LiveText, ServerFrame, SessionSummary } from "@swarm/protocol";
import { createHub, type Attached, type Hub, type HubSocket } from "./index.ts";

/** A journal and a host in a few lines: records with gapless seq, summaries, live text. */
class World {
  readonly records: AnyRecord[] = [];
  readonly #commits = new Set<(batch: readonly CommittedRecord[]) => void>();
  readonly #summaries = new Set<(s: SessionSummary) => void>();
  readonly #lives = new Set<(l: LiveText) => void>();
  readonly hub: Hub;
  reads = 0;

  constructor() {
    const pause = async (): Promise<void> => {
      this.reads++;
      await new Promise((resolve) => setImmediate(resolve));
    };
    this.hub = createHub({
      source: {
        incarnation: "inc1",
        cursor: () => ({ incarnation: "inc1", seq: this.records.length }),
        records: async (session, o) => {
          await pause();
          return this.records.filter((r) => r.session === session && r.rev > (o.after ?? 0)).slice(0, o.limit);
        },
        recordsSince: async (seq, limit) => {
          await pause();
          return this.records.filter((r) => r.seq > seq).slice(0, limit);
        },
        onCommit: (listener) => {
          this.#commits.add(listener);
          return () => this.#commits.delete(listener);
        },
      },
      sessions: {
        list: async () => {
          await pause();
          return { items: [...new Set(this.records.map((r) => r.session))].map((s) => this.summary(s)), next: null };
        },
        onSummary: (listener) => {
          this.#summaries.add(listener);
          return () => this.#summaries.delete(listener);
        },
        onLive: (listener) => {
          this.#lives.add(listener);
          return () => this.#lives.delete(listener);
        },
        liveTexts: () => [],
      },
      status: () => ({ pid: 1 }) as unknown as DaemonStatus,
    });
  }

  summary(session: string): SessionSummary {
    const mine = this.records.filter((r) => r.session === session);
    return { id: session, rev: mine.length, seq: mine.at(-1)?.seq ?? 0, title: session } as unknown as SessionSummary;
  }

  commit(session: string): void {
    const rev = this.records.filter((r) => r.session === session).length + 1;
    const record = {
      seq: this.records.length + 1,
      session,
      rev,
      kind: "session.seen",
      at: 0,
      actor: "a",
      payload: { rev },
    } as AnyRecord;
    this.records.push(record);
    for (const listener of this.#commits) listener([{ record, json: JSON.stringify(record) }]);
    for (const listener of this.#summaries) listener(this.summary(session));
  }
  live(text: string, offset: number): void {
    for (const listener of this.#lives)
      listener({ session: "ses_1", run: "run_1", step: 1, stream: "text", offset, text });
  }
}

/** A client that keeps what a real one keeps and proves continuity as a real one does. */
class Client implements HubSocket {
  readonly frames: ServerFrame[] = [];
  readonly seen = new Map<string, AnyRecord[]>();
  readonly summaries = new Map<string, number>();
  readonly places = new Map<string, number>();
  bufferedAmount = 0;
  stuck = false;
  problems: string[] = [];
  attached: Attached;
  sent = 0;

  constructor(hub: Hub, incarnation?: string, places: ReadonlyMap<string, number> = new Map()) {
    this.places = new Map(places);
    this.attached = hub.attach(this);
    this.say({ type: "hello", version: 1, ...(incarnation === undefined ? {} : { incarnation }) });
  }
  say(frame: object): void {
    this.attached.message(JSON.stringify(frame));
  }
  subscribe(topic: string): void {
    const after = this.places.get(topic);
    this.say({ type: "subscribe", topic, ...(after === undefined ? {} : { after }) });
  }
  send(data: Uint8Array): void {
    this.sent += data.byteLength;
    if (this.stuck) this.bufferedAmount += data.byteLength;
    for (const frame of JSON.parse(Buffer.from(data).toString()) as ServerFrame[]) this.#take(frame);
  }
  close(): void {}
  #take(frame: ServerFrame): void {
    this.frames.push(frame);
    if (frame.type === "snapshot") {
      this.places.set(frame.topic, frame.seq);
      if ("records" in frame.state) this.seen.set(frame.topic, [...frame.state.records]);
      if (frame.topic === "sessions" && Array.isArray((frame.state as { sessions: unknown }).sessions))
        for (const s of (frame.state as { sessions: SessionSummary[] }).sessions) this.summaries.set(s.id, s.rev);
    }
    if (frame.type === "caught-up") this.places.set(frame.topic, frame.seq);
    if (frame.type !== "event") return;
    const place = this.places.get(frame.topic) ?? 0;
    if (frame.seq <= place) this.problems.push(`duplicate ${frame.topic} ${frame.seq} at ${place}`);
    if (frame.prev > place) this.problems.push(`gap ${frame.topic} ${frame.prev} after ${place}`);
    this.places.set(frame.topic, frame.seq);
    if ("record" in frame) this.seen.set(frame.topic, [...(this.seen.get(frame.topic) ?? []), frame.record]);
    else this.summaries.set(frame.session.id, frame.session.rev);
  }
}

async function settle(world: World): Promise<void> {
  for (let i = 0; i < 30; i++) {
    await new Promise((resolve) => setTimeout(resolve, 4));
    world.hub.flush();
  }
}

test("a subscriber of everything sees every record once, in order, and a session's subscriber its own", async () => {
  const world = new World();
  const client = new Client(world.hub);
  for (const topic of ["session:*", "session:ses_1", "sessions"]) client.subscribe(topic);
  await settle(world);
  for (let i = 0; i < 50; i++) world.commit(`ses_${i % 3}`);
  await settle(world);
  assert.deepEqual(client.problems, []);
  assert.deepEqual(
    client.seen.get("session:*")?.map((r) => r.seq),
    world.records.map((r) => r.seq),
  );
  assert.deepEqual(
    client.seen.get("session:ses_1")?.map((r) => r.rev),
    world.records.filter((r) => r.session === "ses_1").map((r) => r.rev),
  );
  assert.deepEqual(
    [...client.summaries].sort(([a], [b]) => a.localeCompare(b)),
    ["ses_0", "ses_1", "ses_2"].map((s) => [s, world.summary(s).rev]),
  );
  world.hub[Symbol.dispose]();
});

test("a client that comes back with its cursor is served what it missed and nothing else; another incarnation gets a snapshot", async () => {
  const world = new World();
  const first = new Client(world.hub);
  first.subscribe("session:ses_1");
  await settle(world);
  for (let i = 0; i < 10; i++) world.commit("ses_1");
  await settle(world);
  first.attached.closed();
  for (let i = 0; i < 500; i++) world.commit("ses_1");
  const back = new Client(world.hub, "inc1", first.places);
  back.subscribe("session:ses_1");
  await settle(world);
  assert.deepEqual(back.problems, []);
  assert.equal(
    back.frames.some((f) => f.type === "snapshot"),
    false,
  );
  assert.equal(back.seen.get("session:ses_1")?.length, 500);
  const other = new Client(world.hub, "inc0", first.places);
  other.subscribe("session:ses_1");
  await settle(world);
  assert.ok(other.frames.some((f) => f.type === "snapshot"));
  assert.equal(other.seen.get("session:ses_1")?.length, 510);
  world.hub[Symbol.dispose]();
});

test("live text of one stream grows into one frame a flush and goes before the record that ends it", async () => {
  const world = new World();
  const client = new Client(world.hub);
  client.subscribe("session:ses_1");
  await settle(world);
  client.frames.length = 0;
  world.live("Hel", 0);
  world.live("lo", 3);
  world.commit("ses_1");
  world.hub.flush();
  assert.deepEqual(
    client.frames.map((f) => (f.type === "live" ? `live ${f.offset} ${f.text}` : f.type)),
    ["live 0 Hello", "event"],
  );
  world.hub[Symbol.dispose]();
});

test("a stuck client leaves the live path, costs no more bytes, slows nobody, and has missed nothing when it reads again (A-07)", async () => {
  const world = new World();
  const [stuck, fine] = [new Client(world.hub), new Client(world.hub)];
  for (const client of [stuck, fine]) client.subscribe("session:*");
  await settle(world);
  stuck.stuck = true;
  stuck.bufferedAmount = 2 * 1024 * 1024;
  const before = stuck.sent;
  for (let i = 0; i < 300; i++) {
    world.commit("ses_1");
    if (i % 10 === 0) world.hub.flush();
  }
  await settle(world);
  assert.ok(stuck.sent - before < 200, `only the word that it lags: ${stuck.sent - before} bytes`);
  assert.equal(fine.seen.get("session:*")?.length, 300);
  stuck.stuck = false;
  stuck.bufferedAmount = 0;
  await settle(world);
  for (const client of [stuck, fine]) {
    assert.deepEqual(client.problems, []);
    assert.equal(client.seen.get("session:*")?.length, 300);
  }
  assert.ok(stuck.frames.some((f) => f.type === "lagging"));
  world.hub[Symbol.dispose]();
});

test("what is no frame is answered in words, an unknown version is closed", () => {
  const world = new World();
  const client = new Client(world.hub);
  for (const text of ["", "{", "[]", '{"type":"subscribe","topic":"../x"}', '{"type":"drop"}'])
    client.attached.message(text);
  assert.equal(client.frames.filter((f) => f.type === "error").length, 5);
  client.say({ type: "hello", version: 999 });
  assert.match(JSON.stringify(client.frames.at(-1)), /speaks protocol/);
  world.hub[Symbol.dispose]();
});

for (let seed = 1; seed <= 8; seed++) {
  test(`clients that come, go, stall and resubscribe converge to the journal, seed ${seed}`, async () => {
    let state = seed * 2654435761;
    const random = (n: number): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % n;
    const world = new World();
    const topics = ["session:*", "session:ses_0", "session:ses_1", "sessions"];
    const clients: { client: Client; kept: Map<string, AnyRecord[]> }[] = [];
    const join = (places: ReadonlyMap<string, number>, kept: Map<string, AnyRecord[]>): void => {
      const client = new Client(world.hub, "inc1", places);
      for (const [topic, records] of kept) client.seen.set(topic, records);
      for (const topic of topics) client.subscribe(topic);
      clients.push({ client, kept });
    };
    world.commit("ses_0");
    for (let i = 0; i < 6; i++) join(new Map([["session:*", 0]]), new Map());
    for (let step = 0; step < 200; step++) {
      world.commit(`ses_${random(3)}`);
      const at = random(clients.length);
      const { client } = clients[at]!;
      switch (random(12)) {
        case 0: {
          client.attached.closed();
          clients.splice(at, 1);
          join(client.places, client.seen);
          break;
        }
        case 1:
          client.stuck = true;
          client.bufferedAmount = 2 * 1024 * 1024;
          break;
        case 2:
          client.stuck = false;
          client.bufferedAmount = 0;
          break;
        case 3:
          world.hub.flush();
          break;
        case 4:
          await new Promise((resolve) => setImmediate(resolve));
          break;
        default:
          break;
      }
    }
    for (const { client } of clients) {
      client.stuck = false;
      client.bufferedAmount = 0;
    }
    await settle(world);
    for (const { client } of clients) {
      assert.deepEqual(client.problems, []);
      assert.deepEqual(
        client.seen.get("session:*")?.map((r) => r.seq),
        world.records.map((r) => r.seq),
      );
      assert.deepEqual(
        client.seen.get("session:ses_1")?.map((r) => r.rev),
        world.records.filter((r) => r.session === "ses_1").map((r) => r.rev),
      );
      assert.deepEqual(
        new Map([...client.summaries].sort(([a], [b]) => a.localeCompare(b))),
        new Map(["ses_0", "ses_1", "ses_2"].map((s) => [s, world.summary(s).rev] as const)),
      );
    }
    world.hub[Symbol.dispose]();
  });
}
