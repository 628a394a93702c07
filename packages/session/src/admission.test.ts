import assert from "node:assert/strict";
import { test } from "node:test";
import { Admission, availableMib } from "./admission.ts";

test("memory decides: what is available above the reserve, in steps of a session, on top of those that run", () => {
  const admission = new Admission(
    {},
    () => 0,
    () => 512 + 150,
  );
  assert.deepEqual(admission.limit(10), { limit: 110, by: "memory" });
});

test("a burst within one reading of the memory does not raise its own limit", () => {
  let [now, available] = [0, 512 + 15];
  const admission = new Admission(
    {},
    () => now,
    () => available,
  );
  for (let running = 0; running < 10; running++) assert.equal(admission.limit(running).limit, 10);
  now += 5_000;
  available = 512; // those ten use it now
  assert.equal(admission.limit(10).limit, 10);
});

test("a person's setting wins where it is lower, and one session always runs", () => {
  const admission = new Admission(
    { maxConcurrent: 3 },
    () => 0,
    () => 10_000,
  );
  assert.deepEqual(admission.limit(0), { limit: 3, by: "setting" });
  assert.deepEqual(
    new Admission(
      {},
      () => 0,
      () => 0,
    ).limit(0),
    { limit: 1, by: "memory" },
  );
  assert.deepEqual(
    new Admission(
      { memoryMib: 30 },
      () => 0,
      () => 10_000,
    ).limit(0),
    { limit: 20, by: "memory" },
  );
});

test("this machine's figure is a number above zero", () => {
  assert.ok(availableMib() > 0);
});
