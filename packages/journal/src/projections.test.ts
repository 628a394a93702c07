import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyRecord } from "@swarm/protocol";
import { MemoryStore } from "@swarm/kv";
import { collectLogs, leaseOf, messageOf, openTally, tally, type Tally } from "@swarm/testkit/journal";
import type { ProjectionDefinition } from "./index.ts";

const fold = (records: readonly AnyRecord[]): Tally | undefined =>
  records.reduce<Tally | undefined>((state, record) => tally.reduce(state, record), undefined);

test("J-10 live, rebuilt and from a checkpoint: the same state", async () => {
  const store = new MemoryStore();
  const first = await openTally({ store });
  assert.equal(await first.project("tally", "ses_a"), undefined);
  for (let i = 0; i < 70; i++) {
    await first.apply(i === 3 ? leaseOf("ses_a", 1) : messageOf("ses_a", `k${i}`, "x".repeat(i)));
    if (i === 0) await first.project("tally", "ses_a");
  }
  const live = await first.project<Tally>("tally", "ses_a");
  assert.deepEqual(live, fold(await first.records("ses_a", { limit: 1000 })));
  await first.apply(messageOf("ses_a", "later", "x"));
  assert.ok(store.getSync("p/ses_a/tally@1"), "no checkpoint after 64 records");

  let folded = 0;
  const counting: ProjectionDefinition = {
    ...tally,
    reduce: (state, record) => (folded++, tally.reduce(state as Tally | undefined, record)),
  };
  const second = await openTally({ store, projections: [counting] });
  assert.deepEqual(await second.project("tally", "ses_a"), fold(await second.records("ses_a", { limit: 1000 })));
  assert.ok(folded > 0 && folded < 10, `${folded} records folded behind the checkpoint`);
  assert.equal(store.getSync("p/ses_b/tally@1"), undefined);

  const third = await openTally({ store, projections: [{ ...tally, version: 2 }] });
  assert.deepEqual(await third.project("tally", "ses_a"), fold(await third.records("ses_a", { limit: 1000 })));
});

test("J-10 a state loaded while its session is written joins at the right record", async () => {
  await using journal = await openTally();
  for (let i = 0; i < 600; i += 100)
    await journal.apply(Array.from({ length: 100 }, (_, n) => messageOf("ses_a", `k${i + n}`, "x")));
  const writes = Array.from({ length: 50 }, (_, i) => journal.apply(messageOf("ses_a", `w${i}`, "y")));
  const states = await Promise.all(Array.from({ length: 5 }, () => journal.project<Tally>("tally", "ses_a")));
  await Promise.all(writes);
  for (const state of states) assert.ok(state!.messages >= 600 && state!.messages <= 650);
  assert.deepEqual(await journal.project("tally", "ses_a"), fold(await journal.records("ses_a", { limit: 1000 })));
});

test("J-10 closing writes the state of a session down, so that opening it later folds only what came after", async () => {
  const store = new MemoryStore();
  const keep = new (class extends MemoryStore {
    override async close(): Promise<void> {}
  })();
  const first = await openTally({ store: keep });
  await first.project("tally", "ses_a");
  await first.apply(Array.from({ length: 20 }, (_, i) => messageOf("ses_a", `k${i}`, "x")));
  await first.project("tally", "ses_a");
  await first.close();
  assert.ok(keep.getSync("p/ses_a/tally@1"));
  const short = await openTally({ store });
  await short.apply(messageOf("ses_a", "k", "x"));
  await short.project("tally", "ses_a");
  assert.equal(store.getSync("p/ses_a/tally@1"), undefined);
});

test("a projection that throws is named, and neither the write nor other sessions suffer", async () => {
  const logger = collectLogs();
  const broken: ProjectionDefinition = {
    ...tally,
    reduce(state, record) {
      if (record.kind === "message.added" && record.payload.text === "bad") throw new Error("cannot fold bad");
      return tally.reduce(state as Tally | undefined, record);
    },
  };
  await using journal = await openTally({ projections: [broken], logger });
  await journal.apply([messageOf("ses_a", "1", "x"), messageOf("ses_b", "2", "x")]);
  await journal.project("tally", "ses_a");
  await journal.apply(messageOf("ses_a", "3", "bad"));
  assert.ok(
    logger.lines.some((line) => line.includes("cannot fold bad") && line.includes("ses_a")),
    logger.lines.join("\n"),
  );
  await assert.rejects(journal.project("tally", "ses_a"), /cannot fold bad/);
  await assert.rejects(journal.project("none", "ses_a"), { code: "bad_request" });
  assert.equal((await journal.project<Tally>("tally", "ses_b"))?.messages, 1);
});
