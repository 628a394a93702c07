import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRecord, World } from "./testing/world.ts";
import { Viewer } from "./testing/viewer.ts";

test("a subscriber of everything sees every record once, in order, and a session's subscriber its own", async () => {
  const world = new World();
  const viewer = new Viewer(world.hub).subscribe("session:*", "session:ses_1", "sessions");
  await world.settle();
  for (let i = 0; i < 50; i++) world.commit(`ses_${i % 3}`);
  await world.settle();
  const { problems, records, summaries } = viewer.knows;
  assert.deepEqual(problems, []);
  assert.deepEqual(records.get("session:*"), world.records);
  assert.deepEqual(records.get("session:ses_1"), world.sessions.get("ses_1")?.records);
  assert.deepEqual([...summaries.keys()].sort(), ["ses_0", "ses_1", "ses_2"]);
  for (const [id, row] of summaries) assert.deepEqual(row, world.summary(id));
  world.hub[Symbol.dispose]();
});

test("a client that comes back is served what it missed and nothing else; one of another incarnation a snapshot", async () => {
  const world = new World();
  const first = new Viewer(world.hub).subscribe("session:ses_1");
  await world.settle();
  for (let i = 0; i < 10; i++) world.commit("ses_1");
  await world.settle();
  const knows = first.leave();
  for (let i = 0; i < 500; i++) world.commit("ses_1");
  const places = new Map(knows.places);
  const back = new Viewer(world.hub, { incarnation: "inc1", knows }).subscribe("session:ses_1");
  await world.settle();
  assert.deepEqual(knows.problems, []);
  assert.equal(
    back.frames.some((f) => f.type === "snapshot"),
    false,
  );
  assert.equal(back.frames.filter((f) => f.type === "event").length, 500);
  const other = new Viewer(world.hub, { incarnation: "inc0" });
  for (const [topic, place] of places) other.knows.places.set(topic, place);
  other.subscribe("session:ses_1");
  await world.settle();
  assert.ok(other.frames.some((f) => f.type === "snapshot"));
  assert.equal(other.knows.records.get("session:ses_1")?.length, 510);
  world.hub[Symbol.dispose]();
});

test("coming back to a long session reads what was missed, not its history", async () => {
  const world = new World({ records: Array.from({ length: 5000 }, (_, i) => makeRecord(i + 1, "ses_1", i + 1)) });
  const viewer = new Viewer(world.hub, { incarnation: "inc1" });
  viewer.knows.places.set("session:ses_1", 4_990);
  viewer.subscribe("session:ses_1");
  await world.settle();
  assert.deepEqual(
    viewer.knows.records.get("session:ses_1")?.map((r) => r.rev),
    [4991, 4992, 4993, 4994, 4995, 4996, 4997, 4998, 4999, 5000],
  );
  assert.ok(world.recordsRead < 50, `${world.recordsRead} records read for the ten that were missed`);
  assert.deepEqual(viewer.knows.problems, []);
  world.hub[Symbol.dispose]();
});

test("clients that missed a change of a session get that session, not all of them", async () => {
  const world = new World();
  for (let i = 0; i < 300; i++) world.commit(`ses_${i}`);
  const first = new Viewer(world.hub).subscribe("sessions");
  await world.settle();
  assert.equal(first.knows.summaries.size, 300);
  const knows = first.leave();
  world.commit("ses_7");
  world.commit("ses_9");
  world.commit("ses_7");
  const back = new Viewer(world.hub, { incarnation: "inc1", knows }).subscribe("sessions");
  await world.settle();
  assert.deepEqual(
    back.frames.map((f) => (f.type === "event" && "session" in f ? f.session.id : f.type)),
    ["welcome", "ses_9", "ses_7", "caught-up"],
  );
  assert.deepEqual(knows.problems, []);
  for (const [id, row] of knows.summaries) assert.deepEqual(row, world.summary(id));
  world.hub[Symbol.dispose]();
});

test("a session that changes while the pages of a snapshot are read is in it as it is now (J-03)", async () => {
  const world = new World();
  for (let i = 0; i < 700; i++) world.commit(`ses_${i}`);
  const viewer = new Viewer(world.hub).subscribe("sessions");
  while (world.reads < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!viewer.frames.some((f) => f.type === "snapshot"), "the first page is read, the last is not");
  world.commit("ses_3");
  await world.settle();
  assert.equal(viewer.knows.summaries.get("ses_3")?.rev, 2);
  assert.deepEqual(viewer.knows.problems, []);
  world.hub[Symbol.dispose]();
});

test("a snapshot is sent although sessions change all the time", async () => {
  const world = new World();
  for (let i = 0; i < 50; i++) world.commit(`ses_${i}`);
  const viewer = new Viewer(world.hub).subscribe("sessions");
  for (let i = 0; i < 200 && !viewer.frames.some((f) => f.type === "snapshot"); i++) {
    world.commit(`ses_${i % 50}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(viewer.frames.some((f) => f.type === "snapshot"));
  world.hub[Symbol.dispose]();
});

test("of very many ended sessions a snapshot has the newest", async () => {
  const world = new World();
  for (let i = 0; i < 2_300; i++) world.commit(`ses_${i}`);
  const viewer = new Viewer(world.hub).subscribe("sessions");
  await world.settle();
  assert.equal(viewer.knows.summaries.size, 2_000);
  assert.ok(viewer.knows.summaries.has("ses_2299"));
  assert.ok(!viewer.knows.summaries.has("ses_299"));
  world.hub[Symbol.dispose]();
});

test("live text of one stream grows into one frame a flush and stands where it happened among the records", async () => {
  const world = new World();
  world.commit("ses_1");
  const viewer = new Viewer(world.hub).subscribe("session:ses_1");
  await world.settle();
  viewer.frames.length = 0;
  world.live("ses_1", "Hel");
  world.live("ses_1", "lo");
  world.commit("ses_1");
  world.live("ses_1", "again");
  world.hub.flush();
  const seen = viewer.frames.map((f) => (f.type === "live" ? `live ${f.offset} ${f.text}` : f.type));
  assert.deepEqual(seen, ["live 0 Hello", "event", "live 0 again"]);
  world.hub[Symbol.dispose]();
});

test("who comes in the middle of an answer has its text so far, and who was away too", async () => {
  const world = new World();
  world.commit("ses_1");
  const first = new Viewer(world.hub).subscribe("session:ses_1");
  await world.settle();
  world.live("ses_1", "one ");
  world.hub.flush();
  const knows = first.leave();
  world.live("ses_1", "two ");
  const fresh = new Viewer(world.hub).subscribe("session:ses_1");
  const back = new Viewer(world.hub, { incarnation: "inc1", knows }).subscribe("session:ses_1");
  await world.settle();
  world.live("ses_1", "three");
  await world.settle();
  for (const viewer of [fresh, back]) {
    assert.equal(viewer.knows.texts.get("ses_1.1"), "one two three");
    assert.deepEqual(viewer.knows.problems, []);
  }
  world.hub[Symbol.dispose]();
});

test("a 200 KB answer in 4-byte pieces costs its clients less than 3 times its size (J-09)", async () => {
  const world = new World();
  world.commit("ses_1");
  const viewer = new Viewer(world.hub).subscribe("session:ses_1");
  await world.settle();
  const before = viewer.sentBytes;
  for (let i = 0; i < 50_000; i++) {
    world.live("ses_1", "abc ");
    if (i % 200 === 0) world.hub.flush();
  }
  world.hub.flush();
  const text = viewer.knows.texts.get("ses_1.1")!;
  assert.equal(text.length, 200_000);
  assert.ok(viewer.sentBytes - before < 3 * text.length, `${viewer.sentBytes - before} bytes`);
  world.hub[Symbol.dispose]();
});

test("clients with the same topics get the same bytes, made once", async () => {
  const world = new World();
  const sent: Uint8Array[][] = [[], [], []];
  const viewers = sent.map((list) => {
    const viewer = new Viewer(world.hub);
    const send = viewer.send.bind(viewer);
    viewer.send = (data) => {
      list.push(data);
      send(data);
    };
    return viewer;
  });
  viewers[0]!.subscribe("session:*", "sessions");
  viewers[1]!.subscribe("sessions", "session:*");
  viewers[2]!.subscribe("session:*");
  await world.settle();
  world.commit("ses_1");
  world.hub.flush();
  const last = sent.map((list) => list.at(-1)!);
  assert.equal(last[0], last[1], "one buffer for the equal sets");
  assert.notEqual(last[0], last[2]);
  world.hub[Symbol.dispose]();
});

test("a stuck client leaves the live path, costs no more bytes, slows nobody, and has missed nothing when it reads again (A-07, J-05)", async () => {
  const world = new World();
  const [stuck, fine] = [new Viewer(world.hub), new Viewer(world.hub)];
  for (const viewer of [stuck, fine]) viewer.subscribe("session:*", "session:ses_1", "sessions");
  await world.settle();
  stuck.stall();
  const before = stuck.sentBytes;
  for (let i = 0; i < 300; i++) {
    world.commit("ses_1");
    if (i % 10 === 0) world.hub.flush();
  }
  const reads = world.reads;
  await world.settle();
  assert.ok(stuck.sentBytes - before < 300, `only the word that it lags: ${stuck.sentBytes - before} bytes`);
  assert.equal(world.reads, reads, "nothing is read for a client that takes nothing");
  assert.equal(fine.knows.records.get("session:*")?.length, 300);
  stuck.drain();
  await world.settle();
  for (const { knows } of [stuck, fine]) {
    assert.deepEqual(knows.problems, []);
    for (const topic of ["session:*", "session:ses_1"]) assert.equal(knows.records.get(topic)?.length, 300, topic);
    assert.equal(knows.summaries.get("ses_1")?.rev, 300);
  }
  assert.equal(stuck.frames.filter((f) => f.type === "lagging").length, 3);
  world.hub[Symbol.dispose]();
});

test("a client that never says what it read runs out of credit, and goes on when it says so", async () => {
  const world = new World();
  world.commit("ses_1");
  const viewer = new Viewer(world.hub, { acks: false }).subscribe("session:*");
  await world.settle();
  for (let i = 0; i < 12; i++) {
    world.live("ses_1", "x".repeat(1024 * 1024));
    world.commit("ses_1");
    world.hub.flush();
  }
  assert.ok(viewer.frames.some((f) => f.type === "lagging"));
  assert.ok(viewer.sentBytes < 10 * 1024 * 1024, `${viewer.sentBytes} bytes`);
  viewer.say({ type: "ack", seq: Math.max(...viewer.knows.places.values()) });
  await world.settle();
  assert.deepEqual(
    viewer.knows.records.get("session:*")?.map((r) => r.seq),
    world.records.slice(1).map((r) => r.seq),
  );
  assert.deepEqual(viewer.knows.problems, []);
  world.hub[Symbol.dispose]();
});

test("one that takes nothing for two heartbeats is closed and forgotten; one that is only quiet is sent a sign of life", async () => {
  const world = new World();
  const [stuck, quiet] = [new Viewer(world.hub).subscribe("session:*"), new Viewer(world.hub).subscribe("session:*")];
  await world.settle();
  stuck.stall();
  for (let i = 0; i < 3; i++) {
    assert.equal(stuck.closedWith, undefined);
    world.hub.beat();
  }
  assert.equal(stuck.closedWith, 1008);
  assert.equal(world.hub.stats().clients, 1);
  const before = quiet.messages;
  world.hub.beat();
  assert.equal(quiet.messages, before + 1);
  assert.equal(quiet.closedWith, undefined);
  world.hub[Symbol.dispose]();
});

test("a record that can be read before it is told is seen once by those who were there and those who come", async () => {
  const world = new World();
  world.commit("ses_1");
  const there = new Viewer(world.hub).subscribe("session:ses_1", "session:*", "sessions");
  const away = Array.from({ length: 4 }, () => new Viewer(world.hub).subscribe("sessions"));
  await world.settle();
  for (const viewer of away) viewer.leave();
  world.commit("ses_2");
  world.write("ses_1");
  for (const { knows } of away) new Viewer(world.hub, { incarnation: "inc1", knows }).subscribe("sessions");
  const coming = new Viewer(world.hub, { incarnation: "inc1" });
  coming.knows.places.set("session:*", 0);
  coming.subscribe("session:ses_1", "session:*", "sessions");
  await world.settle();
  world.tell();
  world.commit("ses_1");
  await world.settle();
  for (const { knows } of [there, coming]) {
    assert.deepEqual(knows.problems, []);
    assert.deepEqual(
      knows.records.get("session:ses_1")?.map((r) => r.rev),
      [1, 2, 3],
    );
  }
  for (const { knows } of [there, coming, ...away]) {
    assert.deepEqual(knows.problems, []);
    assert.equal(knows.summaries.get("ses_1")?.rev, 3);
  }
  assert.equal(coming.knows.records.get("session:*")?.length, 4);
  world.hub[Symbol.dispose]();
});

test("a topic that is left and taken again while its pages are read is served once", async () => {
  const world = new World();
  for (let i = 0; i < 450; i++) world.commit("ses_1");
  const viewer = new Viewer(world.hub).subscribe("session:ses_1");
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    viewer.say({ type: "unsubscribe", topic: "session:ses_1" });
    viewer.knows.places.clear();
    viewer.subscribe("session:ses_1");
  }
  await world.settle();
  assert.deepEqual(viewer.knows.problems, []);
  assert.equal(viewer.knows.records.get("session:ses_1")?.length, 450);
  assert.equal(viewer.frames.filter((f) => f.type === "caught-up").length, 1);
  world.hub[Symbol.dispose]();
});

test("when the journal cannot be read the client is told and closed, so that it comes again", async () => {
  const world = new World();
  world.commit("ses_1");
  world.broken = new Error("the disk is gone");
  const viewer = new Viewer(world.hub).subscribe("session:ses_1");
  await world.settle();
  assert.match(JSON.stringify(viewer.frames.at(-1)), /storage_unavailable.*the disk is gone/);
  assert.equal(viewer.closedWith, 1011);
  assert.equal(world.hub.stats().clients, 0);
  world.hub[Symbol.dispose]();
});

test("what is no frame is answered in words, an unknown version is closed, topics have a limit", () => {
  const world = new World();
  const viewer = new Viewer(world.hub);
  for (const text of ["", "{", "[]", '{"type":"subscribe","topic":"../x"}', '{"type":"drop"}'])
    viewer.attached.message(text);
  assert.equal(viewer.frames.filter((f) => f.type === "error").length, 5);
  for (let i = 0; i < 1_001; i++) viewer.say({ type: "subscribe", topic: `session:ses_${i}` });
  assert.match(JSON.stringify(viewer.frames.at(-1)), /too_many_requests/);
  viewer.say({ type: "hello", version: 999 });
  assert.match(JSON.stringify(viewer.frames.at(-1)), /speaks protocol/);
  assert.equal(viewer.closedWith, 1008);
  world.hub[Symbol.dispose]();
});
