import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, type KvStore, type KvWrite } from "../index.ts";
import { FaultyStore, VolatileStore } from "./index.ts";

const put = (key: string): KvWrite => ({ type: "put", key, value: "1" });
const keys = async (store: KvStore): Promise<string> => (await store.range({ limit: 100 })).map((e) => e.key).join("");

test("a failed batch leaves nothing, and all later ones fail until the store is opened again", async () => {
  const store = new FaultyStore(new MemoryStore(), {
    faultOf: (n) => (n === 2 ? { type: "error", code: "ENOSPC" } : undefined),
  });
  await store.batch([put("a")], { sync: true });
  await assert.rejects(store.batch([put("b")], { sync: true }), { code: "ENOSPC" });
  await assert.rejects(store.batch([put("c")], { sync: true }), { code: "ENOSPC" });
  assert.equal(await keys(store), "a");
  await store.reopen().batch([put("d")], { sync: true });
  assert.equal(await keys(store), "ad");
});

test("a torn batch keeps its first writes and fails; an applied-error keeps all and fails", async () => {
  const torn = new FaultyStore(new MemoryStore(), { faultOf: () => ({ type: "torn", keep: 1 }) });
  await assert.rejects(torn.batch([put("a"), put("b")], { sync: true }), { code: "EIO" });
  assert.equal(await keys(torn), "a");
  const late = new FaultyStore(new MemoryStore(), { faultOf: () => ({ type: "applied-error", code: "EIO" }) });
  await assert.rejects(late.batch([put("a"), put("b")], { sync: true }), { code: "EIO" });
  assert.equal(await keys(late), "ab");
});

test("a power loss takes every batch after the last synced one, or all but a prefix of them", async () => {
  const machine = new VolatileStore();
  await machine.batch([put("a")], { sync: false });
  await machine.batch([put("b")], { sync: true });
  await machine.batch([put("c")], { sync: false });
  await machine.batch([put("d")], { sync: false });
  assert.equal(machine.unsynced, 2);
  assert.equal(await keys(machine), "abcd");
  assert.equal(await keys(await machine.afterPowerLoss()), "ab");
  assert.equal(await keys(await machine.afterPowerLoss(1)), "abc");
});
