import assert from "node:assert/strict";
import { after, test } from "node:test";
import { runCrashRounds, runPowerLoss, SABOTEURS, type CrashSummary, type Saboteur } from "@swarm/testkit/crash";
import { withHome } from "@swarm/testkit/journal";

const ROUNDS = 20;
const CUTS = 40;
/** Rounds in which a saboteur must show. */
const SABOTEUR_ROUNDS = 5;

const caught: Saboteur[] = [];
let kills: CrashSummary | undefined;
let losses: CrashSummary | undefined;

function assertHonest({ lost, torn, broken }: CrashSummary): void {
  assert.deepEqual(
    { lost: lost.slice(0, 5), torn: torn.slice(0, 5), broken: broken.slice(0, 5) },
    { lost: [], torn: [], broken: [] },
  );
}

test(`J-21 kill -9, ${ROUNDS} rounds with 100 writers: everything acknowledged is there, nothing is half there`, async () => {
  kills = await withHome((home) => runCrashRounds({ home, rounds: ROUNDS, random: Math.random }));
  assertHonest(kills);
  assert.equal(kills.rounds, ROUNDS);
  assert.ok(kills.acknowledged > ROUNDS * 20, `${kills.acknowledged} acknowledged`);
});

test(`J-22 power loss, ${CUTS} cuts: what was acknowledged was synced`, async () => {
  losses = await runPowerLoss({ cuts: CUTS, random: Math.random });
  assertHonest(losses);
  assert.ok(losses.rounds > CUTS / 2 && losses.acknowledged > 0, `${losses.rounds} cuts`);
});

test("J-21 the harness turns red on a journal that acknowledges before the batch", async () => {
  const found = await withHome((home) =>
    runCrashRounds({ home, rounds: SABOTEUR_ROUNDS, random: Math.random, saboteur: "acknowledged-before-batch" }),
  );
  assert.ok(found.lost.length > 0);
  caught.push("acknowledged-before-batch");
});

test("J-21 the harness turns red on a journal that writes its indexes outside the batch", async () => {
  const found = await withHome((home) =>
    runCrashRounds({ home, rounds: SABOTEUR_ROUNDS, random: Math.random, saboteur: "index-outside-batch" }),
  );
  assert.ok(found.torn.length > 0);
  caught.push("index-outside-batch");
});

test("J-22 the harness turns red on a journal that does not sync", async () => {
  const found = await runPowerLoss({ cuts: CUTS, random: Math.random, saboteur: "no-sync" });
  assert.ok(found.lost.length > 0);
  caught.push("no-sync");
});

after(() => {
  if (!kills || !losses) return;
  const { rounds, acknowledged, lost, torn, inFlightLeast } = kills;
  console.log(
    `crash harness: ${rounds} kills, ${acknowledged} acknowledged, ${lost.length} lost, ${torn.length} torn, at least ${inFlightLeast} in flight; ` +
      `${losses.rounds} power losses, ${losses.lost.length} lost, ${losses.torn.length} torn; saboteurs caught ${caught.length} of ${SABOTEURS.length}`,
  );
});
