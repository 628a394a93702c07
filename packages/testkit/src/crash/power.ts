import type { Applied } from "@swarm/protocol/ports";
import { VolatileStore } from "@swarm/kv/sim";
import { openTally, placeOver } from "../journal/open.ts";
import { checkJournal, type Acknowledged } from "./check.ts";
import { sabotage, type Saboteur } from "./saboteurs.ts";
import { stepOf } from "./workload.ts";
import type { CrashSummary } from "./rounds.ts";

const WRITERS = 40;
const STEPS = 30;

/**
 * Power loss, which a kill cannot show: the page cache outlives a process. Writers run on a machine whose store
 * records what was synced; at each cut the machine is built again from the synced batches and, in every second
 * cut, some of the others, and compared with what had been acknowledged by then.
 */
export async function runPowerLoss(options: {
  readonly cuts: number;
  readonly random: () => number;
  readonly saboteur?: Saboteur;
}): Promise<CrashSummary> {
  const { cuts, random, saboteur } = options;
  const all = { lost: [] as string[], torn: [] as string[], broken: [] as string[] };
  const machine = new VolatileStore();
  const journal = await openTally({ place: placeOver(async () => (saboteur ? sabotage(machine, saboteur) : machine)) });
  const acknowledged: Acknowledged[] = [];
  const taken: { machine: VolatileStore; acknowledged: readonly Acknowledged[] }[] = [];
  const total = WRITERS * STEPS;
  let begun = 0;
  const writing = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 0; n < STEPS; n++) {
      const applied: readonly Applied[] = await journal.apply(stepOf(journal, "p", writer, n).mutations);
      acknowledged.push({ round: "p", writer, n, applied });
      if (begun >= cuts || random() > (1.5 * cuts) / total) continue;
      begun++;
      const soFar = [...acknowledged];
      const keep = begun % 2 === 0 ? 0 : Math.floor(random() * (machine.unsynced + 1));
      taken.push({ machine: await machine.afterPowerLoss(keep), acknowledged: soFar });
    }
  });
  await Promise.all(writing);
  await journal.close();
  for (const [cut, found] of taken.entries()) {
    await using again = await openTally({ place: placeOver(async () => found.machine) });
    const findings = await checkJournal(again, found.acknowledged);
    for (const kind of ["lost", "torn", "broken"] as const)
      all[kind].push(...findings[kind].map((finding) => `cut ${cut}: ${finding}`));
  }
  return {
    rounds: taken.length,
    acknowledged: taken.reduce((sum, cut) => sum + cut.acknowledged.length, 0),
    records: journal.cursor().seq,
    inFlightLeast: 0,
    ...all,
  };
}
