/** Clients that come, go, stall, change their mind and come back, over a journal whose reads are slow and run ahead. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Viewer, type Knowledge } from "./testing/viewer.ts";
import { World } from "./testing/world.ts";

const SESSIONS = ["ses_0", "ses_1", "ses_2"] as const;
const TOPICS = ["session:*", "session:ses_0", "session:ses_1", "sessions", "system"] as const;

type Move =
  | { readonly do: "commit" | "write" | "text"; readonly session: number }
  | { readonly do: "burst"; readonly session: number; readonly count: number }
  | { readonly do: "tell" | "flush" | "turn" | "pause" | "resume" | "beat" }
  | { readonly do: "leave" | "stall" | "drain"; readonly viewer: number }
  | { readonly do: "retake"; readonly viewer: number; readonly topic: number };

const session = fc.nat({ max: 2 });
const viewer = fc.nat({ max: 3 });
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("commit", "write", "text"), session }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("burst"), session, count: fc.integer({ min: 90, max: 230 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("tell", "flush", "turn", "pause", "resume", "beat") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("leave", "stall", "drain"), viewer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("retake"), viewer, topic: fc.nat({ max: TOPICS.length - 1 }) }) },
);

async function play(world: World, viewers: Viewer[], step: Move): Promise<void> {
  switch (step.do) {
    case "commit":
      return world.commit(SESSIONS[step.session]!);
    case "write":
      return world.write(SESSIONS[step.session]!);
    case "text":
      return world.live(SESSIONS[step.session]!, `<${world.records.length}>`);
    case "burst":
      for (let i = 0; i < step.count; i++) world.commit(SESSIONS[step.session]!);
      return;
    case "tell":
      return world.tell();
    case "flush":
      return world.hub.flush();
    case "turn":
      return new Promise((resolve) => setImmediate(resolve));
    case "pause":
      return world.pause();
    case "resume":
      return world.resume();
    case "beat":
      return world.hub.beat();
    case "leave":
      viewers[step.viewer] = come(world, viewers[step.viewer]!.leave());
      return;
    case "stall":
      return viewers[step.viewer]!.stall();
    case "drain":
      return viewers[step.viewer]!.drain();
    case "retake":
      viewers[step.viewer]!.say({ type: "unsubscribe", topic: TOPICS[step.topic] });
      viewers[step.viewer]!.subscribe(TOPICS[step.topic]!);
      return;
  }
}

function come(world: World, knows?: Knowledge): Viewer {
  const viewer = new Viewer(world.hub, { incarnation: "inc1", ...(knows === undefined ? {} : { knows }) });
  if (knows === undefined) viewer.knows.places.set("session:*", 0);
  return viewer.subscribe(...TOPICS);
}

/** All clients read again, those that were closed come back, and everything comes to rest. */
async function rest(world: World, viewers: Viewer[]): Promise<void> {
  world.tell();
  world.resume();
  viewers.forEach((v, i) => {
    v.drain();
    if (v.closedWith !== undefined) viewers[i] = come(world, v.leave());
  });
  await world.settle(15);
  for (const name of SESSIONS) world.live(name, "[end]");
  await world.settle(15);
}

function check(world: World, knows: Knowledge): void {
  assert.deepEqual(knows.problems, []);
  assert.deepEqual(knows.records.get("session:*"), world.records);
  for (const name of ["ses_0", "ses_1"]) {
    const { records, text, step } = world.sessions.get(name)!;
    assert.deepEqual(knows.records.get(`session:${name}`), records);
    assert.equal(knows.texts.get(`${name}.${step}`), text);
  }
  for (const name of SESSIONS) assert.deepEqual(knows.summaries.get(name), world.summary(name));
}

test("whatever clients and the store do, each client ends with the journal: no gap, no duplicate, no hole in a text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 80 }), async (moves) => {
      const world = new World();
      for (const name of SESSIONS) world.commit(name);
      const viewers = Array.from({ length: 4 }, () => come(world));
      try {
        for (const step of moves) await play(world, viewers, step);
        await rest(world, viewers);
        for (const { knows } of viewers) check(world, knows);
        const { gaps, clients } = world.hub.stats();
        assert.deepEqual({ gaps, clients }, { gaps: 0, clients: 4 });
      } finally {
        world.hub[Symbol.dispose]();
      }
    }),
    { numRuns: 40 },
  );
});
