/**
 * Durable mutations per second and acknowledgement times, against a raw log in the same run: the same bytes already
 * encoded, append + fdatasync, groups of at most 256, the same loop. Interleaved pairs, median of the ratios.
 * `node journal.bench.ts [--json]`
 */
import { hash } from "node:crypto";
import { close, fdatasync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writev } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { promisify } from "node:util";
import { quantileOf, silentLogger, systemClock } from "@swarm/std";
import { openJournal, type KindDefinition } from "./index.ts";

const WRITERS = [1, 10, 100] as const;
const PAIRS = 3;
const RUN_MS = 450;
const STEADY_PER_S = 1000;
const STEADY_MS = 1000;
const GROUP_MAX = 256;

interface Run {
  readonly perS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
interface Subject {
  write(text: string, session: string): Promise<unknown>;
  close(): Promise<void>;
}

const kinds = [
  { kind: "message.added", schema: (payload: unknown) => payload },
] as unknown as readonly KindDefinition[];

/** Some 1.2 KB of text, no two alike and no better to compress than text is. */
let made = 0;
const nextText = (): string =>
  Array.from(
    { length: 6 },
    () =>
      hash("sha256", `${made++}`, "hex") +
      ` and then the words of event ${made} went on for a little while, as they do. `,
  ).join("");

async function openJournalSubject(home: string): Promise<Subject> {
  const journal = await openJournal({ home, kinds, projections: [], clock: systemClock, logger: silentLogger });
  let key = 0;
  return {
    write: (text, session) =>
      journal.apply({
        session,
        key: `k${key++}`,
        kind: "message.added",
        actor: "bench",
        payload: { text, by: "person" },
      }),
    close: () => journal.close(),
  };
}

/** The limit: nothing but group commit. */
function openRawLog(path: string): Subject {
  const fd = openSync(path, "a");
  let queue: { bytes: Buffer; done: () => void }[] = [];
  let running = false;
  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      const group = queue.splice(0, GROUP_MAX);
      await promisify(writev)(
        fd,
        group.map(({ bytes }) => bytes),
      );
      await promisify(fdatasync)(fd);
      for (const { done } of group) done();
      await new Promise((resolve) => setImmediate(resolve));
    }
    running = false;
  };
  return {
    write: (text, session) =>
      new Promise<void>((resolve) => {
        queue.push({
          bytes: Buffer.from(
            `{"seq":1,"session":"${session}","rev":1,"kind":"message.added","at":1,"actor":"bench","payload":{"text":"${text}","by":"person"}}\n`,
          ),
          done: resolve,
        });
        if (running) return;
        running = true;
        setImmediate(() => void run());
      }),
    async close() {
      queue = [];
      await promisify(close)(fd);
    },
  };
}

async function closedLoop(subject: Subject, writers: number): Promise<Run> {
  const acks: number[] = [];
  const from = performance.now();
  const until = from + RUN_MS;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const session = `ses_${writer}`;
      while (performance.now() < until) {
        const text = nextText();
        const at = performance.now();
        await subject.write(text, session);
        acks.push(performance.now() - at);
      }
    }),
  );
  return summary(acks, performance.now() - from);
}

async function steady(subject: Subject): Promise<Run> {
  const acks: number[] = [];
  const running: Promise<void>[] = [];
  const from = performance.now();
  for (let n = 0; n < (STEADY_PER_S * STEADY_MS) / 1000;) {
    const due = Math.floor(((performance.now() - from) * STEADY_PER_S) / 1000);
    for (; n < due; n++) {
      const at = performance.now();
      running.push(subject.write(nextText(), `ses_${n % 100}`).then(() => void acks.push(performance.now() - at)));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
  return summary(acks, performance.now() - from);
}

function summary(acks: readonly number[], ms: number): Run {
  return { perS: (acks.length / ms) * 1000, p50Ms: quantileOf(acks, 0.5)!, p99Ms: quantileOf(acks, 0.99)! };
}

const median = (runs: readonly Run[]): Run => ({
  perS: Math.round(
    quantileOf(
      runs.map((r) => r.perS),
      0.5,
    )!,
  ),
  p50Ms: round(
    quantileOf(
      runs.map((r) => r.p50Ms),
      0.5,
    )!,
  ),
  p99Ms: round(
    quantileOf(
      runs.map((r) => r.p99Ms),
      0.5,
    )!,
  ),
});
const round = (value: number): number => Math.round(value * 100) / 100;

async function compare(
  home: string,
  body: (subject: Subject) => Promise<Run>,
): Promise<{ journal: Run; raw: Run; throughputRatio: number; p50Ratio: number }> {
  mkdirSync(home, { recursive: true });
  const [journal, raw] = [await openJournalSubject(join(home, "journal")), openRawLog(join(home, "raw.log"))];
  const runs: { journal: Run; raw: Run }[] = [];
  for (let pair = 0; pair < PAIRS; pair++) runs.push({ raw: await body(raw), journal: await body(journal) });
  await journal.close();
  await raw.close();
  return {
    journal: median(runs.map((r) => r.journal)),
    raw: median(runs.map((r) => r.raw)),
    throughputRatio: round(
      quantileOf(
        runs.map((r) => r.journal.perS / r.raw.perS),
        0.5,
      )!,
    ),
    p50Ratio: round(
      quantileOf(
        runs.map((r) => r.journal.p50Ms / r.raw.p50Ms),
        0.5,
      )!,
    ),
  };
}

/** What 100 small sessions of 12 mutations (1.2 KB each) keep on disk, in bytes a session, after the store was opened again. */
async function bytesPerSession(home: string): Promise<number> {
  const [sessions, mutations] = [100, 12];
  for (const round of [0, 1]) {
    const subject = await openJournalSubject(home);
    if (round === 0)
      await Promise.all(
        Array.from({ length: sessions * mutations }, (_, i) => subject.write(nextText(), `ses_${i % sessions}`)),
      );
    await subject.close();
  }
  const folder = join(home, "journal");
  return Math.round(readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / sessions);
}

/** Takes some 10 s. */
export async function run(): Promise<object> {
  const home = mkdtempSync(join(tmpdir(), "swarm-journal-bench-"));
  try {
    const results: Record<string, object> = {};
    const delay = monitorEventLoopDelay({ resolution: 1 });
    for (const writers of WRITERS) {
      delay.reset();
      delay.enable();
      const result = await compare(join(home, String(writers)), (subject) => closedLoop(subject, writers));
      delay.disable();
      results[`writers${writers}`] = { ...result, loopDelayP99Ms: round(delay.percentile(99) / 1e6) };
    }
    results["steady1000PerS"] = await compare(join(home, "steady"), steady);
    return { ...results, diskBytesPerSession: await bytesPerSession(join(home, "disk")) };
  } finally {
    rmSync(home, { recursive: true });
  }
}

if (import.meta.main) console.log(JSON.stringify(await run(), undefined, process.argv.includes("--json") ? 0 : 2));
