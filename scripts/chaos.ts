/** `npm run chaos [-- --rounds N --cuts N]`: the journal's crash harness at length, with its saboteurs; fails when it must. */
import { parseArgs } from "node:util";
import { runCrashRounds, runPowerLoss, SABOTEURS, type CrashSummary, type Saboteur } from "@swarm/testkit/crash";
import { withHome } from "@swarm/testkit/journal";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "100" }, cuts: { type: "string", default: "300" } },
});
const rounds = Number(values.rounds);
const cuts = Number(values.cuts);
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(cuts) || cuts < 1) {
  console.error("--rounds and --cuts take whole numbers from 1");
  process.exit(2);
}
const SABOTEUR_ROUNDS = 5;
const SABOTEUR_CUTS = 40;
const random = Math.random;

function clean({ lost, torn, broken }: CrashSummary): boolean {
  return lost.length === 0 && torn.length === 0 && broken.length === 0;
}

const kills = await withHome((home) => runCrashRounds({ home, rounds, random }));
console.log(
  `${kills.rounds} kills, ${kills.acknowledged} acknowledged, ${kills.lost.length} lost, ${kills.torn.length} torn, at least ${kills.inFlightLeast} in flight`,
);
const losses = await runPowerLoss({ cuts, random });
console.log(
  `${losses.rounds} power losses, ${losses.acknowledged} acknowledged, ${losses.lost.length} lost, ${losses.torn.length} torn`,
);
let caught = 0;
for (const saboteur of SABOTEURS) {
  const found = await sabotaged(saboteur);
  if (!clean(found)) caught++;
  console.log(`saboteur ${saboteur}: ${clean(found) ? "NOT caught" : "caught"}`);
}
const good = clean(kills) && clean(losses) && caught === SABOTEURS.length;
console.log(good ? "nothing acknowledged was lost" : "FAILED: see above");
process.exit(good ? 0 : 1);

function sabotaged(saboteur: Saboteur): Promise<CrashSummary> {
  if (saboteur === "no-sync") return runPowerLoss({ cuts: SABOTEUR_CUTS, random, saboteur });
  return withHome((home) => runCrashRounds({ home, rounds: SABOTEUR_ROUNDS, random, saboteur }));
}
