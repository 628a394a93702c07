import assert from "node:assert/strict";
import { test } from "node:test";
import { FairQueue, INTERACTIVE_IN_A_ROW } from "./queue.ts";

const ticket = (session: string, group = "", interactive = false) => ({ session, group, interactive });

function all(queue: FairQueue<ReturnType<typeof ticket>>): string {
  const out: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) out.push(next.session);
  return out.join(" ");
}

test("groups take turns, first come first served within a group, people first", () => {
  const queue = new FairQueue<ReturnType<typeof ticket>>();
  for (const [session, group] of [
    ["a1", "a"],
    ["a2", "a"],
    ["a3", "a"],
    ["b1", "b"],
    ["b2", "b"],
    ["c1", "c"],
  ] as const)
    queue.push(ticket(session, group));
  queue.push(ticket("person", "a", true));
  assert.equal(queue.size, 7);
  assert.equal(all(queue), "person a1 b1 c1 a2 b2 a3");
  assert.equal(queue.shift(), undefined);
});

test("a group that comes back goes to the end of the round", () => {
  const queue = new FairQueue<ReturnType<typeof ticket>>();
  queue.push(ticket("a1", "a"));
  queue.push(ticket("b1", "b"));
  assert.equal(queue.shift()!.session, "a1");
  queue.push(ticket("a2", "a"));
  assert.equal(all(queue), "b1 a2");
});

test("an endless stream of interactive runs leaves the background its turn", () => {
  const queue = new FairQueue<ReturnType<typeof ticket>>();
  queue.push(ticket("low"));
  for (let i = 0; ; i++) {
    assert.ok(i <= INTERACTIVE_IN_A_ROW, "starved");
    queue.push(ticket(`p${i}`, "", true));
    if (queue.shift()!.session === "low") break;
  }
});

test("who is removed is never next; a second ticket of a session replaces the first", () => {
  const queue = new FairQueue<ReturnType<typeof ticket>>();
  for (const s of ["x", "y", "z"]) queue.push(ticket(s, "g"));
  assert.equal(queue.remove("y")!.session, "y");
  assert.equal(queue.remove("y"), undefined);
  queue.push(ticket("x", "g", true));
  assert.equal(queue.size, 2);
  assert.equal(all(queue), "x z");
  assert.equal(queue.has("x"), false);
});
