/**
 * `npm run bench -- sessions [--n 100] [--runs 3] [--json]`: whole sessions on a real daemon process (durable
 * journal, static gate on, runtime gate off, four WebSocket clients on every topic) against the floor, the same
 * loops in a bare Node process, in the same run. Median of the runs. Figures are the daemon's.
 */
import { parseArgs } from "node:util";
import { join } from "node:path";
import { buildAll } from "../../../../scripts/build.ts";
import { LineProcess } from "./process.ts";
import { runOnce, type SessionsRun } from "./sessions-run.ts";

const ROOT = join(import.meta.dirname, "../../../..");

export interface Floor {
  readonly wallS: number;
  readonly cpuPerSessionS: number;
  readonly peakRssMib: number;
  readonly marginalMib: number;
}

async function floor(n: number): Promise<Floor> {
  await using server = new LineProcess([join(ROOT, "apps/century/src/bench/scripted-server.ts")]);
  const { port } = await server.next<{ port: number }>();
  await using loops = new LineProcess([join(ROOT, "apps/century/src/bench/floor.ts"), String(port), String(n)]);
  return await loops.next<Floor>(); // awaited here: the helpers end with this scope
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** Median of each number, member by member; what is not a number is taken from the first run. */
function medians<T extends object>(runs: readonly T[]): T {
  return Object.fromEntries(
    Object.entries(runs[0]!).map(([key, value]) => {
      const all = runs.map((r) => (r as Record<string, unknown>)[key]);
      if (typeof value === "number") return [key, median(all.filter((v) => typeof v === "number"))];
      if (typeof value === "boolean") return [key, all.every(Boolean)];
      if (value !== null && typeof value === "object" && !Array.isArray(value))
        return [key, medians(all.filter((v) => v !== null) as object[])];
      return [key, value];
    }),
  ) as T;
}

const { values } = parseArgs({
  options: { n: { type: "string" }, runs: { type: "string" }, json: { type: "boolean" }, keep: { type: "boolean" } },
});
const n = Number(values.n ?? 100);
const runs = Number(values.runs ?? 3);
if (!Number.isInteger(n) || n < 1 || n > 2000 || !Number.isInteger(runs) || runs < 1 || runs > 21) {
  console.error("--n takes 1 to 2000, --runs 1 to 21");
  process.exit(2);
}
await buildAll({ quiet: true });
const ours: SessionsRun[] = [];
const floors: Floor[] = [];
for (let i = 0; i < runs; i++) {
  floors.push(await floor(n));
  ours.push(await runOnce({ n, root: ROOT, traceSyncs: false }));
  if (!values.json)
    console.error(`run ${i + 1} of ${runs}:`, JSON.stringify(ours.at(-1)), JSON.stringify(floors.at(-1)));
}
// the tracer slows what it counts: a pass of its own, of which only the count is taken
const { syncs } = await runOnce({ n, root: ROOT, traceSyncs: true });
console.log(JSON.stringify({ ...medians(ours), syncs, runs, floor: medians(floors) }));
