import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerFrame } from "@swarm/protocol";
import { Places } from "./places.ts";

const TOPIC = "session:ses_1";
const event = (seq: number, prev: number): ServerFrame =>
  ({ type: "event", topic: TOPIC, seq, prev, record: {} }) as unknown as ServerFrame;
const snapshot = (seq: number): ServerFrame => ({
  type: "snapshot",
  topic: TOPIC,
  seq,
  state: { records: [], live: [] },
});
const welcome = (incarnation: string): ServerFrame => ({
  type: "welcome",
  version: 1,
  incarnation,
  seq: 0,
  heartbeatMs: 1,
});

test("events in each of the 24 orders, each twice, are taken once and in order, or end the connection (J-04)", () => {
  const orders = (rest: number[]): number[][] =>
    rest.length === 0 ? [[]] : rest.flatMap((n) => orders(rest.filter((m) => m !== n)).map((order) => [n, ...order]));
  for (const order of orders([1, 2, 3, 4])) {
    const places = new Places([TOPIC]);
    places.take(snapshot(0));
    const taken: number[] = [];
    for (const seq of order.flatMap((s) => [s, s])) {
      const verdict = places.take(event(seq, seq - 1));
      if (verdict === "new") taken.push(seq);
      if (verdict === "gap") break;
    }
    assert.deepEqual(taken, [1, 2, 3, 4].slice(0, taken.length), order.join(" "));
  }
});

test("before its snapshot, and after it was left, a topic says nothing", () => {
  const places = new Places([TOPIC]);
  assert.equal(places.take(event(5, 4)), "old");
  assert.equal(places.take(snapshot(9)), "new");
  assert.equal(places.take(event(5, 4)), "old", "an event at or before the snapshot was in it");
  assert.equal(places.take(event(10, 9)), "new");
  places.remove(TOPIC);
  for (const frame of [event(11, 10), snapshot(12)]) assert.equal(places.take(frame), "old");
});

test("a gap leaves the place where it was; the second at once asks for a snapshot", () => {
  const places = new Places([TOPIC]);
  places.take(snapshot(3));
  assert.equal(places.take(event(9, 8)), "gap");
  assert.deepEqual([...places.entries()], [[TOPIC, 3]]);
  assert.equal(places.take({ type: "caught-up", topic: TOPIC, seq: 9 }), "gap");
  assert.deepEqual([...places.entries()], [[TOPIC, undefined]]);
  places.take(snapshot(9));
  assert.equal(places.take(event(12, 11)), "gap");
  assert.deepEqual([...places.entries()], [[TOPIC, 9]], "it went well in between: the place is good again");
});

test("another incarnation empties the places, the same one keeps them", () => {
  const places = new Places([TOPIC]);
  places.take(welcome("a"));
  places.take(snapshot(3));
  places.take(welcome("a"));
  assert.deepEqual([...places.entries()], [[TOPIC, 3]]);
  assert.equal(places.newest, 3);
  places.take(welcome("b"));
  assert.deepEqual([...places.entries()], [[TOPIC, undefined]]);
  assert.equal(places.newest, 0);
});
