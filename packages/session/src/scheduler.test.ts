import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@swarm/std";
import { Scheduler, type Ticket } from "./scheduler.ts";
import { turns } from "./testing/world.ts";

const ticket = (i: number): Ticket => ({
  session: `ses_${i}`,
  run: `run_${i}` as never,
  group: "",
  interactive: false,
});

function open(limits: object = { memoryMib: 1e6 }) {
  const begun: Ticket[] = [];
  const world = { begun, busy: 0, scheduler: undefined as unknown as Scheduler };
  world.scheduler = new Scheduler({
    limits,
    clock: systemClock,
    busy: () => world.busy,
    begin(next) {
      world.busy++;
      begun.push(next);
    },
  });
  return world;
}

test("a thousand starts are spread over turns of the loop, a few each", async () => {
  const world = open({ maxConcurrent: 1_000 });
  for (let i = 0; i < 100; i++) world.scheduler.enqueue(ticket(i));
  assert.equal(world.begun.length, 0);
  for (let turn = 1, before = 0; world.begun.length < 100; turn++) {
    await turns();
    assert.ok(world.begun.length - before <= 8, `${world.begun.length - before} in turn ${turn}`);
    before = world.begun.length;
  }
});

test("no more than the limit begin; a free place is taken by the next in line, and the reason is said", async () => {
  const world = open({ maxConcurrent: 2 });
  for (let i = 0; i < 5; i++) world.scheduler.enqueue(ticket(i));
  await turns(3);
  assert.equal(world.begun.length, 2);
  assert.deepEqual(world.scheduler.admission(), { limit: 2, reason: "3 wait: the setting allows 2 at once" });
  world.busy--;
  world.scheduler.pump();
  await turns(3);
  assert.equal(world.begun.length, 3);
});

test("nothing begins while it holds, nothing at all after it stopped", async () => {
  const world = open();
  world.scheduler.hold();
  world.scheduler.enqueue(ticket(1));
  await turns(3);
  assert.equal(world.begun.length, 0);
  world.scheduler.release();
  await turns(3);
  assert.equal(world.begun.length, 1);
  world.scheduler.stop();
  world.scheduler.release();
  world.scheduler.enqueue(ticket(2));
  await turns(3);
  assert.equal(world.begun.length, 1);
  assert.match(world.scheduler.admission().reason, /1 wait: the daemon is stopping/);
});
