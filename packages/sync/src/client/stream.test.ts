import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyRecord, ServerFrame, SessionSummary } from "@swarm/protocol";
import { Wire } from "../testing/wire.ts";
import { World } from "../testing/world.ts";
import { connectStream, type StreamConnection } from "./stream.ts";

async function until(what: () => boolean): Promise<void> {
  for (let i = 0; !what(); i++) {
    assert.ok(i < 8_000, `never: ${String(what)}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** What a program keeps from the frames it is given. */
class Keeper {
  readonly records = new Map<string, AnyRecord[]>();
  readonly summaries = new Map<string, SessionSummary>();
  caughtUp = 0;
  readonly stream: StreamConnection;

  constructor(wire: Wire, topics: readonly string[]) {
    const { api, WebSocket } = wire;
    this.stream = connectStream({ api, topics, WebSocket, onFrame: (frame) => this.#take(frame) });
  }
  #take(frame: ServerFrame): void {
    if (frame.type === "caught-up") this.caughtUp++;
    if (frame.type === "snapshot" && "records" in frame.state) this.records.set(frame.topic, [...frame.state.records]);
    if (frame.type === "event" && "record" in frame)
      this.records.set(frame.topic, [...(this.records.get(frame.topic) ?? []), frame.record]);
    if (frame.type === "event" && "session" in frame) this.summaries.set(frame.session.id, frame.session);
  }
}

test("a socket that is cut at 50 moments of 2,000 events costs nothing: each record once, in order (J-01)", async () => {
  const world = new World();
  const wire = new Wire(() => world.hub);
  const keeper = new Keeper(wire, ["session:*", "session:ses_1", "sessions"]);
  await until(() => keeper.caughtUp === 3);
  for (let i = 0; i < 2_000; i++) {
    world.commit(`ses_${i % 3}`);
    if (i % 40 === 17) wire.cutAll();
    if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const own = world.sessions.get("ses_1")!.records;
  await until(() => keeper.records.get("session:*")?.at(-1)?.seq === 2_000);
  await until(() => keeper.records.get("session:ses_1")?.length === own.length);
  await until(() => keeper.summaries.get("ses_1")?.seq === own.at(-1)!.seq);
  assert.deepEqual(keeper.records.get("session:*"), world.records);
  assert.deepEqual(keeper.records.get("session:ses_1"), own);
  assert.equal(keeper.stream.gaps, 0);
  assert.ok(keeper.stream.reconnects > 0);
  keeper.stream.close();
  world.hub[Symbol.dispose]();
});

test("a message that is lost on the way is noticed at the next one, counted, and fetched from the last good place", async () => {
  const world = new World();
  const wire = new Wire(() => world.hub);
  const keeper = new Keeper(wire, ["session:*"]);
  await until(() => keeper.caughtUp === 1);
  world.commit("ses_1");
  await until(() => keeper.records.get("session:*")?.length === 1);
  let losses = 1;
  wire.loses = (text) => text.includes('"event"') && losses-- > 0;
  for (let i = 0; i < 2; i++) {
    world.commit("ses_1");
    world.hub.flush();
  }
  await until(() => keeper.records.get("session:*")?.length === 3);
  assert.deepEqual(keeper.records.get("session:*"), world.records);
  assert.equal(keeper.stream.gaps, 1);
  assert.deepEqual(
    wire.said.filter((f) => f.type === "subscribe").map((f) => f.after),
    [undefined, 1],
  );
  keeper.stream.close();
  world.hub[Symbol.dispose]();
});

test("a hole that coming back does not fill either is answered with a snapshot", async () => {
  const world = new World();
  world.commit("ses_1");
  const wire = new Wire(() => world.hub);
  const keeper = new Keeper(wire, ["session:ses_1"]);
  await until(() => keeper.caughtUp === 1);
  wire.loses = (text) => text.includes('"rev":2') && text.includes('"type":"event"');
  for (let i = 0; i < 2; i++) {
    world.commit("ses_1");
    world.hub.flush();
  }
  await until(() => keeper.records.get("session:ses_1")?.length === 3);
  assert.deepEqual(keeper.records.get("session:ses_1"), world.records);
  assert.equal(keeper.stream.gaps, 2);
  assert.deepEqual(
    wire.said.filter((f) => f.type === "subscribe").map((f) => f.after),
    [undefined, 1, undefined],
  );
  keeper.stream.close();
  world.hub[Symbol.dispose]();
});

test("another journal behind the same address is taken from its beginning, not from the old place", async () => {
  let world = new World();
  const wire = new Wire(() => world.hub);
  for (let i = 0; i < 5; i++) world.commit("ses_1");
  const keeper = new Keeper(wire, ["session:ses_1"]);
  await until(() => keeper.caughtUp === 1);
  const old = world;
  world = new World({ incarnation: "inc2" });
  for (let i = 0; i < 7; i++) world.commit("ses_1");
  wire.cutAll();
  await until(() => keeper.caughtUp === 2);
  assert.equal(keeper.records.get("session:ses_1")?.length, 7);
  world.commit("ses_1");
  await until(() => keeper.records.get("session:ses_1")?.length === 8);
  assert.equal(keeper.stream.gaps, 0);
  keeper.stream.close();
  old.hub[Symbol.dispose]();
  world.hub[Symbol.dispose]();
});

test("state, failure and time of the last data are said; a closed stream stays closed", async () => {
  const world = new World();
  const wire = new Wire(() => world.hub);
  wire.refusal = new Error("no ticket");
  const states: string[] = [];
  const { api, WebSocket } = wire;
  const stream = connectStream({ api, topics: ["system"], WebSocket, onFrame() {}, onState: (s) => states.push(s) });
  await until(() => stream.state === "lost");
  assert.match(String(stream.failure), /no ticket/);
  assert.equal(stream.lastDataAt, 0);
  wire.refusal = undefined;
  await until(() => stream.state === "open");
  await until(() => stream.lastDataAt > 0);
  assert.equal(stream.failure, undefined);
  stream.close();
  const { tickets } = wire;
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(wire.tickets, tickets);
  assert.deepEqual(states, ["lost", "open", "closed"]);
  assert.equal(world.hub.stats().clients, 0);
  world.hub[Symbol.dispose]();
});

test("what came is acknowledged, also when it was only text", async () => {
  const world = new World();
  world.commit("ses_1");
  const wire = new Wire(() => world.hub);
  const keeper = new Keeper(wire, ["session:ses_1"]);
  const acks = (): number => wire.said.filter((f) => f.type === "ack" && f.seq === 1).length;
  await until(() => acks() === 1);
  world.live("ses_1", "words");
  await until(() => acks() === 2);
  keeper.stream.close();
  world.hub[Symbol.dispose]();
});

test("a topic that was left is not heard any more, and one that is taken later begins with its state", async () => {
  const world = new World();
  world.commit("ses_1");
  world.commit("ses_2");
  const wire = new Wire(() => world.hub);
  const keeper = new Keeper(wire, ["session:ses_1"]);
  await until(() => keeper.caughtUp === 1);
  keeper.stream.unsubscribe("session:ses_1");
  keeper.stream.subscribe("session:ses_2");
  world.commit("ses_1");
  world.commit("ses_2");
  await until(() => keeper.records.get("session:ses_2")?.length === 2);
  assert.equal(keeper.records.get("session:ses_1")?.length, 1);
  keeper.stream.close();
  world.hub[Symbol.dispose]();
});
