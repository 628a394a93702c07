import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { kvContract, type KvSubject } from "./contract.ts";
import { KV_LOCKED, MemoryStore, openLevelStore, type KvStore } from "./index.ts";
import { FaultyStore, VolatileStore } from "./sim/index.ts";

const inMemory = (make: () => KvStore): KvSubject => ({
  persistent: false,
  place: async () => ({ open: async () => make(), remove: async () => {} }),
});

kvContract(
  "memory",
  inMemory(() => new MemoryStore()),
);
kvContract(
  "volatile machine",
  inMemory(() => new VolatileStore()),
);
kvContract(
  "faulty, every third batch slow",
  inMemory(
    () => new FaultyStore(new MemoryStore(), { faultOf: (n) => (n % 3 === 0 ? { type: "slow", ms: 1 } : undefined) }),
  ),
);
kvContract("embedded engine", {
  persistent: true,
  place: async () => {
    const folder = await mkdtemp(join(tmpdir(), "swarm-kv-"));
    return { open: () => openLevelStore(join(folder, "store")), remove: () => rm(folder, { recursive: true }) };
  },
});

test("KV-11 a second opener of an exclusive place is refused with KV_LOCKED", async () => {
  const folder = await mkdtemp(join(tmpdir(), "swarm-kv-"));
  const store = await openLevelStore(folder);
  await assert.rejects(openLevelStore(folder), { code: KV_LOCKED });
  await store.close();
  await (await openLevelStore(folder)).close();
  await rm(folder, { recursive: true });
});

test("KV-12 a folder that cannot be made is refused with its errno", async () => {
  await assert.rejects(openLevelStore("/dev/null/store"), { code: "ENOTDIR" });
});
