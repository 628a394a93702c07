import { readFileSync } from "node:fs";
import type { CreateSession, Diagnostics, SessionSummary } from "@swarm/protocol";
import type { NodeSpec } from "@swarm/protocol/nodes";
import { sleep } from "@swarm/std";
import { descendants, readProcess, Sampler, type Sample, type Target } from "@swarm/telemetry/sampler";
import type { TierRaw } from "../report/raw.ts";
import { briefFor, nodesFor } from "./brief.ts";
import { openAudience } from "./clients.ts";
import type { DaemonHandle } from "./daemon.ts";
import { gauge, ProgressPrinter, progressLine } from "./progress.ts";
import type { Tier } from "./tiers.ts";

export interface TierOptions {
  readonly tier: Tier;
  readonly shape: "burst" | "waves";
  readonly model: string;
  /** Unique per ladder: the same id and node are the same session, whoever asks again. */
  readonly ladderId: string;
  readonly budgetUsdPerCard: number | undefined;
  readonly daemon: DaemonHandle;
  readonly simulatorPort: () => Promise<number | undefined>;
  readonly quiet: boolean;
}

export interface TierRun {
  readonly raw: TierRaw;
  readonly samples: readonly Sample[];
}

const REST_MS = 3_000;
const POLL_MS = 500;

export async function runTier(options: TierOptions): Promise<TierRun> {
  const { tier, daemon } = options;
  await using audience = openAudience(() => daemon.api());
  await sleep(REST_MS);
  const baseline = readProcess(daemon.run().pid);
  const before = await daemon.api().diagnostics();
  await simulator(options, "reset");
  using sampler = new Sampler(() => targets(daemon));
  const printer = new ProgressPrinter();
  const started = performance.now();
  const ids = new Set<string>();
  const width = options.shape === "burst" ? tier.sessions : tier.wave;
  const nodes = nodesFor(tier.sessions);
  const show = (final = false): void => {
    if (options.quiet) return;
    const mine = [...audience.summaries.values()].filter((s) => ids.has(s.id));
    const rss = sampler.samples.findLast((s) => s.group === "daemon")?.rssKb ?? 0;
    printer.show(
      progressLine(
        gauge(mine),
        tier.sessions,
        (performance.now() - started) / 1000,
        `, daemon ${(rss / 1024).toFixed(0)} MiB`,
      ),
      final,
    );
  };
  for (let from = 0; from < nodes.length; from += width) {
    const wave = nodes.slice(from, from + width);
    const waveIds = await Promise.all(wave.map((node, i) => create(options, node, from + i)));
    waveIds.forEach((id) => ids.add(id));
    await untilEnded(options, audience.summaries, waveIds, show);
  }
  const wallS = (performance.now() - started) / 1000;
  sampler.sample();
  show(true);
  const summaries = await finalSummaries(daemon, [...ids]);
  const server = await simulator(options, "stats");
  const after = await daemon.api().diagnostics();
  const raw: TierRaw = {
    tier: tier.tier,
    shape: options.shape,
    sessions: tier.sessions,
    wallS,
    baselineRssMib: baseline ? baseline.rssKb / 1024 : null,
    summaries,
    before: daemon.restarts() > 0 ? zeroed(before) : before,
    after,
    server,
    clients: audience.tallies(),
    restarts: daemon.restarts(),
  };
  return { raw, samples: sampler.samples };
}

async function create(options: TierOptions, node: NodeSpec, index: number): Promise<string> {
  const body: CreateSession = {
    task: briefFor(node),
    title: node.name,
    label: node.id,
    profile: "builder",
    model: options.model,
    group: `Century Run, tier ${options.tier.tier}`,
    ...(options.budgetUsdPerCard === undefined ? {} : { budget: { usd: options.budgetUsdPerCard } }),
  };
  const key = `${options.ladderId}-${options.tier.tier}-${options.shape}-${index}`;
  for (;;) {
    try {
      return (await options.daemon.api().createSession(body, key)).session;
    } catch (error) {
      if (!isConnectionError(error)) throw error;
      await options.daemon.watch();
      await sleep(POLL_MS);
    }
  }
}

/** A refused or broken connection, as opposed to an answer that says no. */
function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError || (error as { code?: string }).code === "network";
}

async function untilEnded(
  options: TierOptions,
  summaries: ReadonlyMap<string, SessionSummary>,
  ids: readonly string[],
  show: () => void,
): Promise<void> {
  while (!ids.every((id) => summaries.get(id)?.phase === "ended")) {
    await sleep(POLL_MS);
    await options.daemon.watch();
    show();
  }
}

async function finalSummaries(daemon: DaemonHandle, ids: readonly string[]): Promise<SessionSummary[]> {
  const all: SessionSummary[] = [];
  for (const id of ids) all.push(await daemon.api().session(id));
  return all;
}

/** The daemon, and its helpers told apart by what they run. */
export function targets(daemon: DaemonHandle): Target[] {
  const { pid } = daemon.run();
  const groups: Record<string, number[]> = { daemon: [pid], checker: [], browser: [], simulator: [] };
  for (const child of descendants(pid)) groups[classOf(child)]?.push(child);
  return Object.entries(groups).map(([group, pids]) => ({ group, pids }));
}

const classes = new Map<number, string>();
function classOf(pid: number): string {
  const known = classes.get(pid);
  if (known !== undefined && known !== "starting") return known;
  const line = commandLine(pid);
  const name = /chromium|chrome|bwrap/.test(line)
    ? "browser"
    : line.includes("modelsim")
      ? "simulator"
      : line.includes("checker")
        ? "checker"
        : "starting";
  classes.set(pid, name);
  return name;
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

async function simulator(options: TierOptions, what: "reset" | "stats"): Promise<TierRaw["server"]> {
  const port = await options.simulatorPort();
  if (port === undefined) return null;
  const response = await fetch(`http://127.0.0.1:${port}/_sim/${what}`, { method: what === "reset" ? "POST" : "GET" });
  const stats = (await response.json()) as { maxOpen?: number; requests?: number; faults?: number };
  return { maxOpen: stats.maxOpen ?? 0, requests: stats.requests ?? 0, faults: stats.faults ?? 0 };
}

/** After a restart the counters began at zero: what was before the crash is gone with the process. */
function zeroed(d: Diagnostics): Diagnostics {
  return { ...d, journal: { ...d.journal, mutations: 0, groups: 0, stalls: 0, bytes: 0, conflicts: 0 } };
}
