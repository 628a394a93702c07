import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { openTally } from "../journal/open.ts";
import { checkJournal, type Acknowledged, type Findings } from "./check.ts";
import type { Saboteur } from "./saboteurs.ts";

/** A kill says something only while work is under way. */
const IN_FLIGHT_MIN = 50;
const WRITERS = 100;
/** A round that cannot be counted is done again, so many times over all. */
const UNCOUNTED_MAX = 10;
const RUN_MS = { least: 20, most: 120 } as const;

export interface CrashSummary {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly records: number;
  readonly inFlightLeast: number;
  readonly lost: readonly string[];
  readonly torn: readonly string[];
  readonly broken: readonly string[];
}

export interface CrashOptions {
  readonly home: string;
  readonly rounds: number;
  readonly random: () => number;
  readonly saboteur?: Saboteur;
}

/**
 * Kills a process with 100 writers at random instants, opens what it left and compares it with what it
 * had acknowledged. With a saboteur it stops at the first finding.
 */
export async function runCrashRounds({ home, rounds, random, saboteur }: CrashOptions): Promise<CrashSummary> {
  const acknowledged: Acknowledged[] = [];
  const all = { lost: [] as string[], torn: [] as string[], broken: [] as string[] };
  let [counted, records, inFlightLeast] = [0, 0, WRITERS];
  for (let tried = 0; counted < rounds; tried++) {
    if (tried >= rounds + UNCOUNTED_MAX)
      throw new Error(`only ${counted} of ${tried} rounds had ${IN_FLIGHT_MIN} mutations in flight`);
    const run = await killedRun(home, `r${tried}`, RUN_MS.least + random() * (RUN_MS.most - RUN_MS.least), saboteur);
    acknowledged.push(...run.acknowledged);
    if (run.inFlight >= IN_FLIGHT_MIN) {
      counted++;
      inFlightLeast = Math.min(inFlightLeast, run.inFlight);
    }
    const findings = await checkHome(home, acknowledged);
    records = findings.records;
    for (const kind of ["lost", "torn", "broken"] as const)
      all[kind].push(...findings[kind].map((finding) => `round ${tried}: ${finding}`));
    if (saboteur && all.lost.length + all.torn.length > 0) break;
  }
  return {
    rounds: counted,
    acknowledged: acknowledged.reduce((sum, { applied }) => sum + applied.length, 0),
    records,
    inFlightLeast,
    ...all,
  };
}

async function checkHome(home: string, acknowledged: readonly Acknowledged[]): Promise<Findings> {
  await using journal = await openTally({ home });
  return await checkJournal(journal, acknowledged);
}

/** Starts the writers, lets them run, kills them; answers what they had acknowledged. */
async function killedRun(
  home: string,
  round: string,
  runMs: number,
  saboteur: Saboteur | undefined,
): Promise<{ acknowledged: Acknowledged[]; inFlight: number }> {
  const config = JSON.stringify({ home, round, writers: WRITERS, ...(saboteur ? { saboteur } : {}) });
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", fileURLToPath(import.meta.resolve("./child.ts")), config],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const acknowledged: Acknowledged[] = [];
  let [started, answered, rest, errors, ready] = [0, 0, "", "", false];
  const closed = once(child, "close");
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const first = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const [what, writer, n, ...applied] = line.split(" ");
      if (what === "S") started++;
      if (what !== "A") continue;
      answered++;
      acknowledged.push({ round, writer: Number(writer), n: Number(n), applied: applied.map(parseApplied) });
      first.resolve();
    }
    ready ||= text.startsWith("READY");
  });
  void closed.then(() => first.reject(new Error(`the writers ended by themselves: ${errors}`)));
  try {
    await first.promise;
    await new Promise((resolve) => setTimeout(resolve, runMs));
  } finally {
    child.kill("SIGKILL");
    await closed;
  }
  return { acknowledged, inFlight: started - answered };
}

function parseApplied(text: string): { seq: number; rev: number } {
  const [seq, rev] = text.split(":");
  return { seq: Number(seq), rev: Number(rev) };
}
