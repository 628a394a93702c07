import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { AnyRecord } from "@swarm/protocol";
import type { AnyMutation, Applied } from "@swarm/protocol/ports";
import { MemoryStore } from "@swarm/kv";
import { FaultyStore, type Fault } from "@swarm/kv/sim";
import { leaseOf, messageOf, openTally, placeOver, tally, type Tally } from "@swarm/testkit/journal";

const SESSIONS = ["ses_a", "ses_b", "ses_c"];

/** A call: some mutations; `wait` turns of the event loop before the next one is made. Few keys, so that many are retries. */
const call = fc.record({
  wait: fc.nat({ max: 2 }),
  mutations: fc.array(
    fc.record({
      session: fc.constantFrom(...SESSIONS),
      key: fc.nat({ max: 25 }),
      text: fc.constantFrom("x", "yy"),
      expectedRev: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

function mutationsOf(
  specs: readonly { session: string; key: number; text: string; expectedRev: number | undefined }[],
): AnyMutation[] {
  return specs.map(({ session, key, text, expectedRev }) =>
    messageOf(session, `k${key}`, text, expectedRev === undefined ? {} : { expectedRev }),
  );
}

const fold = (records: readonly AnyRecord[], session: string): Tally | undefined =>
  records
    .filter((record) => record.session === session)
    .reduce<Tally | undefined>((state, record) => tally.reduce(state, record), undefined);

const fault = fc.option(
  fc.constantFrom<Fault>(
    { type: "error", code: "EIO" },
    { type: "applied-error", code: "EIO" },
    { type: "slow", ms: 1 },
  ),
  { nil: undefined, freq: 6 },
);

test("J-3 J-7 J-10 J-16 any interleaving of writers and faults: no gap, one record a key, answers that hold, projections equal to the fold", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 25 }), fc.array(fault, { maxLength: 12 }), async (calls, faults) => {
      const store = new FaultyStore(new MemoryStore(), { faultOf: (n) => (n === 1 ? undefined : faults[n - 2]) });
      const journal = await openTally({ place: placeOver(async () => store.reopen()) });
      const published: AnyRecord[] = [];
      journal.onCommit((batch) => published.push(...batch.map(({ record }) => record)));
      const answers: { mutations: AnyMutation[]; applied: readonly Applied[] }[] = [];
      const running: Promise<unknown>[] = [];
      for (const { wait, mutations: specs } of calls) {
        const mutations = mutationsOf(specs);
        running.push(
          journal.apply(mutations).then(
            (applied) => answers.push({ mutations, applied }),
            () => undefined,
          ),
        );
        if (wait > 0) void journal.project("tally", mutations[0]!.session).catch(() => undefined);
        for (let i = 0; i < wait; i++) await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(running);

      const records = await journal.recordsSince(0, 10_000);
      assert.deepEqual(
        records.map(({ seq }) => seq),
        Array.from(records, (_, i) => i + 1),
      );
      assert.deepEqual(
        published.map((r) => r.seq),
        records.map((r) => r.seq),
      );
      for (const session of SESSIONS) {
        const own = records.filter((record) => record.session === session);
        assert.deepEqual(
          own.map(({ rev }) => rev),
          Array.from(own, (_, i) => i + 1),
        );
        assert.deepEqual(await journal.project("tally", session), fold(records, session));
      }
      const first = new Map<string, number>();
      for (const { mutations, applied } of answers) {
        for (const [i, mutation] of mutations.entries()) {
          const record = records[applied[i]!.seq - 1];
          assert.deepEqual(
            [record?.session, record?.rev, record?.payload],
            [mutation.session, applied[i]!.rev, mutation.payload],
          );
          assert.equal(first.get(mutation.key) ?? applied[i]!.seq, applied[i]!.seq, "one key led to two records");
          first.set(mutation.key, applied[i]!.seq);
        }
      }
      const again = await openTally({ place: placeOver(async () => store.reopen()) });
      for (const session of SESSIONS) assert.deepEqual(await again.project("tally", session), fold(records, session));
      for (const { mutations, applied } of answers) {
        const plain = mutations.map((mutation) => ({ ...mutation, expectedRev: undefined }) as unknown as AnyMutation);
        assert.deepEqual(
          await again.apply(plain),
          applied.map(({ seq, rev }) => ({ seq, rev, replayed: true })),
        );
      }
      assert.deepEqual((await again.verify()).problems, []);
    }),
    { numRuns: 60 },
  );
});

test("J-4 whoever writes under a lease: after a new one was given nothing of the old one is added", async () => {
  const step = fc.record({ epoch: fc.integer({ min: 1, max: 4 }), lease: fc.boolean(), wait: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const journal = await openTally();
      const running = steps.map(async ({ epoch, lease, wait }, i) => {
        if (wait) await new Promise((resolve) => setImmediate(resolve));
        const mutation = lease
          ? leaseOf("ses_a", epoch, { key: `l${i}` })
          : messageOf("ses_a", `m${i}`, String(epoch), { epoch });
        await journal.apply(mutation).catch((error: { code: string }) => assert.equal(error.code, "fenced"));
      });
      await Promise.all(running);
      let current = 0;
      for (const record of await journal.records("ses_a", { limit: 1000 })) {
        if (record.kind === "run.leased") assert.equal(record.payload.epoch, ++current);
        if (record.kind === "message.added")
          assert.ok(
            Number(record.payload.text) >= current,
            `epoch ${JSON.stringify(record.payload.text)} wrote under ${current}`,
          );
      }
    }),
    { numRuns: 60 },
  );
});
