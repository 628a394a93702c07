import assert from "node:assert/strict";
import { test } from "node:test";
import { Leases } from "./leases.ts";

test("K-14 an owner is renewed by each beat and after a stall first; nothing runs out while nobody could renew", () => {
  const leases = new Leases(0, 2_000);
  leases.take("a", 0);
  for (const now of [1_000, 2_000, 7_000, 8_000, 60_000])
    assert.deepEqual(
      leases.beat(now, () => true),
      [],
    );
  assert.deepEqual(leases.stats(), { active: 1, expired: 0, stalls: 2 });
});

test("who is not the owner any more loses its lease when it has run out, and not before", () => {
  const leases = new Leases(0, 2_000);
  leases.take("a", 0);
  leases.take("b", 0);
  const owns = (session: string): boolean => session === "a";
  assert.deepEqual(leases.beat(1_000, owns), []);
  assert.deepEqual(leases.beat(2_000, owns), ["b"]);
  assert.deepEqual(leases.beat(3_000, owns), []);
  assert.deepEqual(leases.stats(), { active: 1, expired: 1, stalls: 0 });
});

test("after a stall also a doubtful owner gets one lease to be renewed in", () => {
  const leases = new Leases(0, 2_000);
  leases.take("a", 0);
  assert.deepEqual(
    leases.beat(9_000, () => false),
    [],
  );
  assert.deepEqual(
    leases.beat(10_000, () => false),
    [],
  );
  assert.deepEqual(
    leases.beat(11_000, () => false),
    ["a"],
  );
});
