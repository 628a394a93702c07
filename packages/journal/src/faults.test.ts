import assert from "node:assert/strict";
import { hash, createHmac } from "node:crypto";
import { test } from "node:test";
import { KvError, MemoryStore, type KvStore } from "@swarm/kv";
import { FaultyStore, type Fault } from "@swarm/kv/sim";
import { collectLogs, leaseOf, messageOf, openTally, placeOver, type Tally } from "@swarm/testkit/journal";
import { ChainKey } from "./index.ts";

/** A store whose n-th batch fails (the first belongs to the opening), and a place that opens it again. */
async function openFaulty(faultOf: (batch: number) => Fault | undefined, probe?: () => Promise<void>) {
  const store = new FaultyStore(new MemoryStore(), { faultOf });
  const logger = collectLogs();
  const journal = await openTally({ place: placeOver(async () => store.reopen(), probe), logger });
  return { store, journal, logger };
}

for (const fault of [
  { type: "error", code: "EIO" },
  { type: "applied-error", code: "EIO" },
] as const) {
  test(`J-16 after a failed batch (${fault.type}) each mutation is answered from what is found, without gap or double`, async () => {
    const { journal, store } = await openFaulty((n) => (n === 3 ? fault : undefined));
    const seen: number[] = [];
    journal.onCommit((batch) => seen.push(...batch.map(({ record }) => record.seq)));
    await journal.apply([leaseOf("ses_a", 1), messageOf("ses_a", "0", "x")]);
    await journal.project("tally", "ses_a");
    const writes = Array.from({ length: 20 }, (_, i) => journal.apply(messageOf(`ses_${i % 3}`, `k${i}`, "x")));
    const late = journal.apply(messageOf("ses_a", "late", "x", { epoch: 1 }));
    const applied = (await Promise.all([...writes, late])).flat();
    assert.deepEqual(
      applied.map((a) => a.seq).sort((a, b) => a - b),
      Array.from({ length: 21 }, (_, i) => i + 3),
    );
    assert.ok(applied.every((a) => !a.replayed));
    assert.deepEqual(
      seen,
      Array.from({ length: 23 }, (_, i) => i + 1),
    );
    assert.deepEqual(journal.state(), { state: "ok", reason: "" });
    assert.ok(store.batches >= 3);
    const report = await journal.verify();
    assert.deepEqual([report.problems, report.records], [[], 23]);
    assert.equal((await journal.project<Tally>("tally", "ses_a"))?.messages, 2);
  });
}

test("J-16 a store that keeps failing answers storage_unavailable and goes on when it heals", async () => {
  let broken = false;
  const { journal } = await openFaulty(() => (broken ? { type: "error", code: "EIO" } : undefined));
  await journal.apply(messageOf("ses_a", "1", "x"));
  broken = true;
  await assert.rejects(journal.apply(messageOf("ses_a", "2", "x")), { code: "storage_unavailable" });
  assert.equal((await journal.records("ses_a", { limit: 10 })).length, 1);
  broken = false;
  let applied: readonly { seq: number }[] = [];
  while (applied.length === 0) applied = await journal.apply(messageOf("ses_a", "2", "x")).catch(() => []);
  assert.equal(applied[0]?.seq, 2);
  assert.equal((await journal.verify()).ok, true);
});

test("J-17 no space: disk_full, reads go on, a probe brings writing back, nothing acknowledged is lost", async () => {
  let full = false;
  const probe = async (): Promise<void> => {
    if (full) throw new KvError("ENOSPC", "no space left on device");
  };
  const { journal } = await openFaulty(() => (full ? { type: "error", code: "ENOSPC" } : undefined), probe);
  await journal.apply(messageOf("ses_a", "1", "x"));
  full = true;
  const failed = await Promise.allSettled(
    Array.from({ length: 5 }, (_, i) => journal.apply(messageOf("ses_a", `f${i}`, "x"))),
  );
  assert.deepEqual(
    failed.map((r) => (r.status === "rejected" ? r.reason.code : "ok")),
    Array(5).fill("disk_full"),
  );
  assert.equal(journal.state().state, "read_only");
  assert.match(journal.state().reason, /no space left/);
  await assert.rejects(journal.apply(messageOf("ses_a", "g", "x")), { code: "disk_full", retry: "later" });
  assert.equal((await journal.records("ses_a", { limit: 10 })).length, 1);
  assert.equal((await journal.project<Tally>("tally", "ses_a"))?.messages, 1);
  journal.chunk("s", 0, "not kept while there is no room");
  full = false;
  while (journal.state().state !== "ok") await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(await journal.apply(messageOf("ses_a", "f0", "x")), [{ seq: 2, rev: 2, replayed: false }]);
  assert.equal((await journal.verify()).ok, true);
});

test("J-14 a torn group, which no engine may leave, is found by verify", async () => {
  const { journal, store } = await openFaulty(
    (n) => (n === 2 ? { type: "torn", keep: 2 } : undefined),
    async () => {
      throw new KvError("ENOSPC", "stays shut");
    },
  );
  await assert.rejects(journal.apply([messageOf("ses_a", "1", "x"), messageOf("ses_b", "2", "x")]), {
    code: "disk_full",
  });
  const again = await openTally({ place: placeOver(async () => store.reopen()) });
  const report = await again.verify();
  assert.equal(report.ok, false);
  assert.ok(
    report.problems.some(({ session }) => session === "ses_a"),
    JSON.stringify(report.problems),
  );
});

async function tampered(change: (store: MemoryStore) => Promise<void>, open: { place?: boolean } = {}) {
  const store = new MemoryStore();
  const before = await openTally({ store });
  for (let i = 1; i <= 5; i++)
    await before.apply([messageOf("ses_a", `a${i}`, `text ${i}`), messageOf("ses_b", `b${i}`, "x")]);
  await change(store);
  const logger = collectLogs();
  const journal = await openTally({ ...(open.place ? { place: placeOver(async () => store) } : { store }), logger });
  return { journal, logger };
}

async function flip(store: KvStore, key: string, at = -3): Promise<void> {
  const value = Buffer.from((await store.get(key))!);
  value[at < 0 ? value.length + at : at]! ^= 1;
  await store.batch([{ type: "put", key, value }], { sync: true });
}

test("J-15 a damaged record is named, the rest of its session and all others stay readable, and the session opens", async () => {
  const { journal, logger } = await tampered((store) => flip(store, "r/ses_a/00000003"));
  await assert.rejects(
    journal.records("ses_a", { limit: 10 }),
    (error: { code: string; details: Record<string, unknown> }) => {
      assert.equal(error.code, "data_corrupt");
      assert.deepEqual([error.details["session"], error.details["rev"]], ["ses_a", 3]);
      return true;
    },
  );
  assert.deepEqual(
    (await journal.records("ses_a", { limit: 2 })).map((r) => r.rev),
    [1, 2],
  );
  assert.deepEqual(
    (await journal.records("ses_a", { after: 3, limit: 10 })).map((r) => r.rev),
    [4, 5],
  );
  assert.equal((await journal.records("ses_b", { limit: 10 })).length, 5);
  await assert.rejects(journal.recordsSince(0, 100), {
    code: "data_corrupt",
    details: { what: "record", session: "ses_a", rev: 3, seq: 5, message: "record 3 of ses_a (seq 5) is damaged" },
  });
  assert.equal((await journal.recordsSince(5, 100)).length, 5);
  assert.equal((await journal.project<Tally>("tally", "ses_a"))?.messages, 4);
  assert.deepEqual(
    journal.damage().map(({ session, rev }) => [session, rev]),
    [["ses_a", 3]],
  );
  assert.equal(logger.lines.filter((line) => line.includes("record 3 of ses_a")).length, 1);
  assert.equal((await journal.apply(messageOf("ses_a", "more", "x")))[0]?.rev, 6);
});

test("J-15 a missing record is named as missing", async () => {
  const { journal } = await tampered((store) =>
    store.batch([{ type: "del", key: "r/ses_a/00000003" }], { sync: true }),
  );
  await assert.rejects(journal.records("ses_a", { limit: 10 }), /record 3 of ses_a is missing/);
  assert.deepEqual(
    (await journal.records("ses_a", { after: 3, limit: 10 })).map((r) => r.rev),
    [4, 5],
  );
});

test("J-15 a missing last record is named: the head says that it was there", async () => {
  const { journal } = await tampered((store) =>
    store.batch([{ type: "del", key: "r/ses_a/00000005" }], { sync: true }),
  );
  await assert.rejects(journal.records("ses_a", { limit: 10 }), /record 5 of ses_a is missing/);
});

test("J-15 a damaged head of a session is made again from its last record", async () => {
  const { journal } = await tampered((store) => flip(store, "h/ses_a"));
  assert.equal((await journal.apply(messageOf("ses_a", "more", "x", { expectedRev: 5 })))[0]?.rev, 6);
  assert.equal((await journal.verify()).ok, true);
});

test("J-15 a damaged newest commit is named at the opening, and writing goes on behind it", async () => {
  const { journal } = await tampered((store) => flip(store, "g/000000000009"));
  assert.deepEqual(
    journal.damage().map(({ what, seq }) => [what, seq]),
    [["group", 10]],
  );
  assert.equal((await journal.apply(messageOf("ses_a", "more", "x")))[0]?.seq, 11);
  await assert.rejects(
    journal.recordsSince(4, 100),
    (error: { details: Record<string, unknown> }) => error.details["seq"] === 9 && error.details["next"] === 11,
  );
  assert.deepEqual(
    (await journal.recordsSince(4, 4)).map((r) => r.seq),
    [5, 6, 7, 8],
  );
});

test("J-15 one damaged copy of the journal's head stops nothing, two do", async () => {
  const { journal } = await tampered((store) => flip(store, "m/head"));
  assert.equal(journal.cursor().seq, 10);
  await assert.rejects(
    tampered(async (store) => {
      await flip(store, "m/head");
      await flip(store, "g/000000000009");
    }),
    { code: "data_corrupt" },
  );
});

test("J-15 a damaged index entry, blob, checkpoint or idempotency entry is never answered as whole", async () => {
  const sha = hash("sha256", "body", "hex");
  const { journal } = await tampered(async (store) => {
    const writer = await openTally({ store });
    await writer.apply(messageOf("ses_a", "blob", "x", { blobs: [writer.blob(Buffer.from("body"))] }));
    await flip(store, `b/${sha}`);
    await flip(store, "x/messages/ses_a/00000002");
    await flip(store, "i/tester\0a1");
  });
  await assert.rejects(journal.readBlob(sha), { code: "data_corrupt" });
  assert.equal((await journal.index("messages", { prefix: "ses_a", limit: 10 })).length, 5);
  assert.ok(journal.damage().some(({ what }) => what === "index"));
  await assert.rejects(journal.apply(messageOf("ses_a", "a1", "text 1")), { code: "data_corrupt" });
  assert.deepEqual((await journal.verify()).problems.map(({ what }) => what).sort(), ["blob", "index", "index"]);
});

test("J-14 verify finds a rewritten record with a right CRC, a swapped one, and a removed tail", async () => {
  const rewritten = await tampered(async (store) => {
    const other = new MemoryStore();
    const forger = await openTally({ place: placeOver(async () => other) });
    for (let i = 1; i <= 5; i++)
      await forger.apply([messageOf("ses_a", `a${i}`, "forged"), messageOf("ses_b", `b${i}`, "x")]);
    await store.batch([{ type: "put", key: "r/ses_a/00000002", value: (await other.get("r/ses_a/00000002"))! }], {
      sync: true,
    });
  });
  assert.ok((await rewritten.journal.verify()).problems.some((p) => p.what === "chain" && p.session === "ses_a"));
  const swapped = await tampered(async (store) => {
    const [one, two] = await store.getMany(["r/ses_a/00000002", "r/ses_a/00000003"]);
    await store.batch(
      [
        { type: "put", key: "r/ses_a/00000002", value: two! },
        { type: "put", key: "r/ses_a/00000003", value: one! },
      ],
      { sync: true },
    );
  });
  assert.equal((await swapped.journal.verify()).ok, false);
  const cut = await tampered((store) =>
    store.batch(
      [
        { type: "del", key: "r/ses_b/00000005" },
        { type: "del", key: "g/000000000009" },
      ],
      { sync: true },
    ),
  );
  assert.equal((await cut.journal.verify()).ok, false);
});

test("J-14 a journal opened with another chain key says so", async () => {
  const { journal, logger } = await tampered(async () => {}, { place: true });
  assert.ok(
    logger.lines.some((line) => line.includes("does not carry this journal's MAC")),
    logger.lines.join("\n"),
  );
  assert.equal((await journal.verify()).ok, false);
});

test("J-14 the MAC is HMAC-SHA-256", () => {
  const key = hash("sha256", "key", "hex");
  for (const text of ["", "x", "grüße 😀".repeat(100)])
    assert.equal(new ChainKey(key).mac(text), createHmac("sha256", key).update(text).digest("base64url"));
});

test("J-19 data of a newer format are refused and not touched", async () => {
  const store = new MemoryStore();
  await openTally({ store });
  const { seal } = await import("./codec.ts");
  await store.batch([{ type: "put", key: "m/format", value: seal("99") }], { sync: true });
  const before = await store.range({ limit: 100 });
  await assert.rejects(openTally({ store }), { code: "data_newer", message: /format 99.*upgrade/ });
  assert.equal(before.length, 2);
});
