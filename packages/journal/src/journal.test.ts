import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryStore, type KvStore, type KvWrite } from "@swarm/kv";
import { FaultyStore } from "@swarm/kv/sim";
import {
  collectLogs,
  GUARD_MAX,
  leaseOf,
  MESSAGE_INDEX,
  messageKey,
  messageOf,
  openTally,
  seenOf,
  type Tally,
} from "@swarm/testkit/journal";
import type { CommittedRecord } from "./index.ts";

/** Counts batches and can hold them back. */
class Gate extends FaultyStore {
  readonly writes: (readonly KvWrite[])[] = [];
  readonly syncs: boolean[] = [];
  #hold: Promise<void> | undefined;
  constructor(inner: KvStore = new MemoryStore()) {
    super(inner, { faultOf: () => undefined });
  }
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hold = promise;
    return () => {
      this.#hold = undefined;
      resolve();
    };
  }
  override async batch(writes: readonly KvWrite[], options: { readonly sync: boolean }): Promise<void> {
    this.writes.push(writes);
    this.syncs.push(options.sync);
    await this.#hold;
    await super.batch(writes, options);
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("apply", () => {
  test("J-1 J-7 a call over several sessions is applied whole: gapless seq, contiguous rev", async () => {
    await using journal = await openTally();
    const applied = await journal.apply([
      messageOf("ses_a", "1", "x"),
      messageOf("ses_b", "2", "y"),
      messageOf("ses_a", "3", "z"),
    ]);
    assert.deepEqual(applied, [
      { seq: 1, rev: 1, replayed: false },
      { seq: 2, rev: 1, replayed: false },
      { seq: 3, rev: 2, replayed: false },
    ]);
    assert.deepEqual(
      (await journal.recordsSince(0, 10)).map((r) => `${r.seq} ${r.session} ${r.rev}`),
      ["1 ses_a 1", "2 ses_b 1", "3 ses_a 2"],
    );
    assert.equal(journal.cursor().seq, 3);
  });

  test("J-1 one refused mutation refuses its whole call and leaves nothing", async () => {
    await using journal = await openTally();
    await assert.rejects(
      journal.apply([messageOf("ses_a", "1", "x"), messageOf("ses_b", "2", "y", { expectedRev: 7 })]),
      { code: "rev_conflict" },
    );
    assert.equal(journal.cursor().seq, 0);
    assert.equal(await journal.head("ses_a"), undefined);
    const [again] = await journal.apply(messageOf("ses_a", "1", "x"));
    assert.deepEqual(again, { seq: 1, rev: 1, replayed: false });
  });

  test("J-2 what is wrong in form is refused as bad_request before anything else", async () => {
    await using journal = await openTally();
    const wrong = [
      messageOf("ses/a", "1", "x"),
      messageOf("ses_a", "", "x"),
      messageOf("ses_a", "k\0", "x"),
      messageOf("ses_a", "1", "x", { kind: "plan.set" }),
      messageOf("ses_a", "1", 5 as unknown as string),
    ];
    for (const mutation of wrong) await assert.rejects(journal.apply(mutation), { code: "bad_request" });
    await assert.rejects(journal.apply([]), { code: "bad_request" });
    await assert.rejects(journal.apply([messageOf("ses_a", "1", "x"), messageOf("ses_b", "1", "x")]), {
      code: "bad_request",
    });
    assert.equal(journal.cursor().seq, 0);
  });

  test("J-3 the same key and payload give the first result, another payload a conflict, another actor a new record", async () => {
    await using journal = await openTally();
    const first = messageOf("ses_a", "k", "x");
    assert.deepEqual(await journal.apply(first), [{ seq: 1, rev: 1, replayed: false }]);
    assert.deepEqual(await journal.apply(first), [{ seq: 1, rev: 1, replayed: true }]);
    assert.deepEqual(await journal.apply({ ...first, payload: { by: "person", text: "x" } } as typeof first), [
      { seq: 1, rev: 1, replayed: true },
    ]);
    await assert.rejects(journal.apply(messageOf("ses_a", "k", "y")), { code: "idempotency_conflict" });
    await assert.rejects(journal.apply(messageOf("ses_b", "k", "x")), { code: "idempotency_conflict" });
    assert.deepEqual(await journal.apply({ ...first, actor: "other" }), [{ seq: 2, rev: 2, replayed: false }]);
  });

  test("J-3 a duplicate in flight waits for the first; after a refusal it is tried itself", async () => {
    const gate = new Gate();
    await using journal = await openTally({ store: gate });
    const release = gate.hold();
    const both = [
      journal.apply(messageOf("ses_a", "k", "x")),
      journal.apply(messageOf("ses_a", "k", "x")),
      journal.apply(messageOf("ses_a", "k", "other")),
    ] as const;
    const conflict = assert.rejects(both[2], { code: "idempotency_conflict" });
    await turn();
    release();
    assert.deepEqual(
      [await both[0], await both[1]],
      [[{ seq: 1, rev: 1, replayed: false }], [{ seq: 1, rev: 1, replayed: true }]],
    );
    await conflict;
    const refused = journal.apply(messageOf("ses_a", "j", "x", { expectedRev: 9 }));
    const retried = journal.apply(messageOf("ses_a", "j", "x", { expectedRev: 1 }));
    await assert.rejects(refused, { code: "rev_conflict" });
    assert.deepEqual(await retried, [{ seq: 2, rev: 2, replayed: false }]);
  });

  test("J-2 J-4 a retry of an applied write learns its result though its epoch is over", async () => {
    await using journal = await openTally();
    await journal.apply([leaseOf("ses_a", 1), messageOf("ses_a", "k", "x", { epoch: 1 })]);
    await journal.apply(leaseOf("ses_a", 2));
    assert.deepEqual(await journal.apply(messageOf("ses_a", "k", "x", { epoch: 1 })), [
      { seq: 2, rev: 2, replayed: true },
    ]);
    await assert.rejects(journal.apply(messageOf("ses_a", "l", "x", { epoch: 1, expectedRev: 77 })), {
      code: "fenced",
    });
    await assert.rejects(journal.apply(leaseOf("ses_a", 2, { key: "again" })), { code: "fenced" });
    await assert.rejects(journal.apply(leaseOf("ses_a", 4)), { code: "fenced" });
    assert.deepEqual(await journal.head("ses_a"), { rev: 3, epoch: 2 });
  });

  test("J-5 another revision than the expected one is a conflict that names the current one", async () => {
    await using journal = await openTally();
    await journal.apply(messageOf("ses_a", "1", "x", { expectedRev: 0 }));
    const [one, two] = await Promise.allSettled([
      journal.apply(messageOf("ses_a", "2", "x", { expectedRev: 1 })),
      journal.apply(messageOf("ses_a", "3", "x", { expectedRev: 1 })),
    ]);
    assert.equal(one.status, "fulfilled");
    assert.equal(two.status, "rejected");
    assert.deepEqual([two.reason.code, two.reason.details.rev], ["rev_conflict", 2]);
    assert.equal(journal.stats().conflicts, 1);
  });

  test("J-6 a guard sees everything before it: durable, in the same group and in the same call", async () => {
    await using journal = await openTally();
    const messages = Array.from({ length: GUARD_MAX }, (_, i) => messageOf("ses_a", `m${i}`, "x"));
    await journal.apply(messages.slice(0, 2));
    await journal.project("tally", "ses_a"); // live: the guards below are decided in one group
    const group = Promise.allSettled([
      journal.apply(messages.slice(2)),
      journal.apply(seenOf("ses_a", "s1")),
      journal.apply([messageOf("ses_a", "more", "x"), seenOf("ses_a", "s2")]),
    ]);
    assert.deepEqual(
      (await group).map((r) => (r.status === "fulfilled" ? "ok" : r.reason.code)),
      ["ok", "ok", "invalid_state"],
    );
    await journal.apply(messageOf("ses_a", "more", "x"));
    await assert.rejects(journal.apply(seenOf("ses_a", "s3")), { code: "invalid_state" });
    assert.equal((await journal.project<Tally>("tally", "ses_a"))?.messages, GUARD_MAX + 1);
  });

  test("J-8 what comes while a batch is in flight shares the next; every batch is synced", async () => {
    const gate = new Gate();
    await using journal = await openTally({ store: gate });
    const before = gate.writes.length;
    const release = gate.hold();
    const first = journal.apply(messageOf("ses_a", "0", "x"));
    await turn();
    const rest = Array.from({ length: 50 }, (_, i) => journal.apply(messageOf(`ses_${i}`, `k${i}`, "x")));
    await turn();
    assert.equal(journal.cursor().seq, 0);
    release();
    await Promise.all([first, ...rest]);
    assert.equal(gate.writes.length - before, 2);
    assert.ok(gate.syncs.every(Boolean));
  });

  test("J-8 a group takes at most 256 mutations, but a larger call goes whole", async () => {
    const gate = new Gate();
    await using journal = await openTally({ store: gate });
    const sizes: number[] = [];
    journal.onCommit((batch) => sizes.push(batch.length));
    await Promise.all(Array.from({ length: 300 }, (_, i) => journal.apply(messageOf("ses_a", `a${i}`, "x"))));
    await journal.apply(Array.from({ length: 400 }, (_, i) => messageOf("ses_b", `b${i}`, "x")));
    assert.deepEqual(sizes, [256, 44, 400]);
  });

  test("J-7 J-9 listeners get durable batches in seq order before the writers are answered, encoded once", async () => {
    const gate = new Gate();
    await using journal = await openTally({ store: gate, logger: collectLogs() });
    const seen: CommittedRecord[] = [];
    const answered: number[] = [];
    journal.onCommit(() => {
      throw new Error("a broken listener");
    });
    const stop = journal.onCommit((batch) => seen.push(...batch));
    const release = gate.hold();
    const writes = Array.from({ length: 20 }, (_, i) =>
      (async () => {
        const [applied] = await journal.apply(messageOf("ses_a", `k${i}`, `grüße "${i}" 😀`));
        assert.ok(seen.some(({ record }) => record.seq === applied!.seq));
        answered.push(applied!.seq);
      })(),
    );
    await turn();
    assert.equal(seen.length, 0);
    release();
    await Promise.all(writes);
    assert.deepEqual(
      seen.map(({ record }) => record.seq),
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    assert.equal(answered.length, 20);
    for (const { record, json } of seen) assert.equal(json, JSON.stringify(record));
    assert.deepEqual(
      await journal.recordsSince(0, 100),
      seen.map(({ record }) => record),
    );
    stop();
    await journal.apply(messageOf("ses_a", "last", "x"));
    assert.equal(seen.length, 20);
  });

  test("a closed journal answers what was asked and refuses what comes after", async () => {
    const journal = await openTally();
    const last = journal.apply(messageOf("ses_a", "1", "x"));
    const closing = journal.close();
    await assert.rejects(journal.apply(messageOf("ses_a", "2", "x")), { code: "storage_unavailable" });
    assert.equal((await last)[0]?.seq, 1);
    await closing;
    await journal.close();
  });
});

describe("reads", () => {
  test("records are paged by revision and by seq", async () => {
    await using journal = await openTally();
    for (let i = 0; i < 7; i++)
      await journal.apply([messageOf("ses_a", `a${i}`, "x"), messageOf("ses_b", `b${i}`, "x")]);
    assert.deepEqual(
      (await journal.records("ses_a", { limit: 3 })).map((r) => r.rev),
      [1, 2, 3],
    );
    assert.deepEqual(
      (await journal.records("ses_a", { after: 5, limit: 3 })).map((r) => r.rev),
      [6, 7],
    );
    assert.deepEqual(await journal.records("ses_a", { after: 7, limit: 3 }), []);
    assert.deepEqual(await journal.records("ses_none", { limit: 3 }), []);
    assert.deepEqual(
      (await journal.recordsSince(2, 4)).map((r) => r.seq),
      [3, 4, 5, 6],
    );
    assert.deepEqual(
      (await journal.recordsSince(3, 4)).map((r) => r.seq),
      [4, 5, 6, 7],
    );
    assert.deepEqual(
      (await journal.recordsSince(12, 100)).map((r) => r.seq),
      [13, 14],
    );
    assert.deepEqual(await journal.recordsSince(14, 100), []);
  });

  test("J-13 an index is read by prefix, bounds, limit and direction; entries go with their record's batch", async () => {
    await using journal = await openTally();
    for (let i = 1; i <= 4; i++)
      await journal.apply([messageOf("ses_a", `a${i}`, "x"), messageOf("ses_b", `b${i}`, "x")]);
    const keys = async (range: Parameters<typeof journal.index>[1]): Promise<string[]> =>
      (await journal.index(MESSAGE_INDEX, range)).map(({ key }) => `${key.slice(4, 5)}${key.slice(-1)}`);
    assert.deepEqual(await keys({ limit: 100 }), ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"]);
    assert.deepEqual(await keys({ prefix: "ses_b", limit: 2, reverse: true }), ["b4", "b3"]);
    assert.deepEqual(await keys({ after: messageKey("ses_a", 3), limit: 2 }), ["a4", "b1"]);
    assert.deepEqual(
      await keys({ prefix: "ses_b", after: messageKey("ses_a", 3), before: messageKey("ses_b", 3), limit: 9 }),
      ["b1", "b2"],
    );
    assert.deepEqual(await keys({ prefix: "ses_a", before: messageKey("ses_b", 3), limit: 9, reverse: true }), [
      "a4",
      "a3",
      "a2",
      "a1",
    ]);
    assert.deepEqual(await journal.index(MESSAGE_INDEX, { prefix: messageKey("ses_b", 2), limit: 9 }), [
      { key: messageKey("ses_b", 2), value: { seq: 4 } },
    ]);
    await journal.apply({
      session: "ses_a",
      key: "rm",
      kind: "daemon.stopped",
      actor: "tester",
      payload: { reason: messageKey("ses_a", 1) },
    });
    assert.deepEqual(await keys({ prefix: "ses_a", limit: 9 }), ["a2", "a3", "a4"]);
    assert.deepEqual(await journal.index("none", { limit: 9 }), []);
  });

  test("J-12 a blob is kept once, counted by use, and comes back as it was", async () => {
    const store = new MemoryStore();
    await using journal = await openTally({ store });
    const html = Buffer.from("<p>grüße</p>".repeat(2000));
    const blob = journal.blob(html);
    const withBlob = (key: string, blobs = [blob]) => messageOf("ses_a", key, "see blob", { blobs });
    await Promise.all([
      journal.apply(withBlob("1")),
      journal.apply(withBlob("2")),
      journal.apply(withBlob("3", [blob, journal.blob(Buffer.from("small"))])),
    ]);
    assert.deepEqual(Buffer.from((await journal.readBlob(blob.ref.blob))!), html);
    assert.equal(await journal.readText(blob.ref), html.toString());
    assert.equal(await journal.readText("inline"), "inline");
    assert.equal(await journal.readBlob("0".repeat(64)), undefined);
    await assert.rejects(journal.readText({ blob: "0".repeat(64), bytes: 1 }), { code: "not_found" });
    assert.ok(store.getSync(`b/${blob.ref.blob}`)!.length < html.length / 10);
    assert.match(Buffer.from(store.getSync(`n/${blob.ref.blob}`)!).toString(), /3$/);
    assert.deepEqual(await journal.verify().then(({ ok, blobs }) => ({ ok, blobs })), { ok: true, blobs: 2 });
  });

  test("J-20 a journal opened again stands where it stood, under the same incarnation", async () => {
    const store = new MemoryStore();
    const first = await openTally({ store });
    await first.apply([leaseOf("ses_a", 1), messageOf("ses_a", "1", "x")]);
    const cursor = first.cursor();
    await first.apply(messageOf("ses_a", "2", "x"));
    const second = await openTally({ store });
    assert.deepEqual(second.cursor(), { incarnation: cursor.incarnation, seq: 3 });
    assert.deepEqual(await second.head("ses_a"), { rev: 3, epoch: 1 });
    assert.deepEqual(await second.apply(messageOf("ses_a", "1", "x")), [{ seq: 2, rev: 2, replayed: true }]);
    assert.deepEqual((await second.apply(messageOf("ses_a", "3", "x")))[0], { seq: 4, rev: 4, replayed: false });
    assert.equal((await second.verify()).ok, true);
  });
});
