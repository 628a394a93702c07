import assert from "node:assert/strict";
import { test } from "node:test";
import type { Journal } from "@swarm/journal";
import { Board } from "./board.ts";
import { answerTask, openWorld } from "./testing/world.ts";

const handoff = {
  state: "cancelled",
  title: "",
  overview: "",
  result: "",
  artifacts: [],
  evidence: [],
  recommendation: { decision: "", reason: "" },
  codeBlocks: [],
  followUps: [],
  formattedBy: "daemon",
} as const;

async function create(journal: Journal, session: string, ended: boolean): Promise<void> {
  const base = { session, actor: "t" } as const;
  const run = `run_${session}` as never;
  await journal.apply([
    {
      ...base,
      key: `${session}/1`,
      kind: "session.created",
      payload: { title: "t", profile: "assistant", model: "a/b" },
    },
    { ...base, key: `${session}/2`, kind: "run.queued", payload: { run, budget: {}, interactive: false } },
    ...(ended
      ? [{ ...base, key: `${session}/3`, kind: "run.ended", payload: { run, state: "cancelled", handoff } } as const]
      : []),
  ]);
}

test("A-01 ended sessions beyond a thousand leave memory, also while an old one never ends", async () => {
  await using world = await openWorld({ script: () => ({ text: "" }), idle: true });
  const board = new Board(world.journal);
  await create(world.journal, "ses_old", false);
  await Promise.all(Array.from({ length: 1_200 }, (_, i) => create(world.journal, `ses_${i}`, true)));
  assert.deepEqual(board.size, { live: 1, ended: 1_000 });
  assert.equal(board.census.counts().ended, 1_200);
  assert.equal((await board.summary("ses_0"))!.phase, "ended");
  using pinned = await board.pin("ses_0");
  assert.equal(pinned!.summary.phase, "ended");
  assert.deepEqual(board.size, { live: 1, ended: 1_000 });
  assert.equal(await board.pin("ses_none"), undefined);
  board.close();
});

test("a pinned session is seen as it is when records come while it is read", async () => {
  await using world = await openWorld({ script: () => ({ text: "" }), idle: true });
  await create(world.journal, "ses_1", true);
  const seen = { session: "ses_1", actor: "t", key: "seen", kind: "session.seen", payload: { rev: 3 } } as const;
  const project = async (name: string, session: string): Promise<unknown> => {
    const state = await world.journal.project(name, session);
    await world.journal.apply(seen); // durable after the read, before its answer is here
    return state;
  };
  const journal = new Proxy(world.journal, {
    get: (of, key) => (key === "project" ? project : Reflect.get(of, key, of).bind?.(of)),
  });
  const board = new Board(journal); // knows nothing of it
  using pinned = await board.pin("ses_1");
  assert.equal(pinned!.summary.unseen, false);
  assert.equal(pinned!.summary.rev, 4);
  board.close();
});

test("pages are stable while sessions come: none is missing, none twice, the last has no next", async () => {
  await using world = await openWorld({ script: () => ({ text: "x" }) });
  const ids: string[] = [];
  for (let i = 0; i < 7; i++)
    ids.push((await world.host.create(answerTask(`${i}`, { group: i % 2 ? "odd/ü" : "even" }), "t", `${i}`)).session);
  const first = await world.host.list({ limit: 4 });
  const late = await world.host.create(answerTask("late"), "t", "late");
  const second = await world.host.list({ limit: 4, after: first.next! });
  assert.deepEqual(
    [...first.items, ...second.items].map((s) => s.id),
    [...ids, late.session],
  );
  assert.equal(second.next, null);
  const odd = await world.host.list({ limit: 2, group: "odd/ü" });
  const rest = await world.host.list({ limit: 2, group: "odd/ü", after: odd.next! });
  assert.deepEqual(
    [...odd.items, ...rest.items].map((s) => s.id),
    ids.filter((_, i) => i % 2),
  );
  assert.equal(rest.next, null);
});
