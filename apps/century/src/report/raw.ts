import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostics, SessionSummary } from "@swarm/protocol";
import type { Sample } from "@swarm/telemetry/sampler";

/** Raw data of a ladder: everything the report is made from, and nothing else is. */
export interface LadderRaw {
  readonly format: 1;
  readonly startedAt: string;
  readonly command: string;
  readonly model: string;
  readonly simulated: boolean;
  readonly seed: number;
  readonly speed: number;
  readonly contractSha256: string;
  readonly host: HostFacts;
  readonly runtimeGate: { readonly ran: boolean; readonly reason: string };
  readonly tiers: readonly TierRaw[];
}

export interface HostFacts {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryMib: number;
  readonly kernel: string;
  readonly os: string;
  readonly node: string;
  readonly version: string;
  readonly commit: string | null;
  readonly loadBefore: number;
  readonly browser: string | null;
}

export interface TierRaw {
  readonly tier: number;
  readonly shape: "burst" | "waves";
  readonly sessions: number;
  readonly wallS: number;
  /** Daemon RSS after ready, checker started, and 3 s of rest; before the first session of the tier. */
  readonly baselineRssMib: number | null;
  readonly summaries: readonly SessionSummary[];
  readonly before: Diagnostics;
  readonly after: Diagnostics;
  /** Counted at the model server; null where the provider is real and cannot be asked. */
  readonly server: { readonly maxOpen: number; readonly requests: number; readonly faults: number } | null;
  readonly clients: readonly ClientTally[];
  /** Times the daemon died and was started again during the tier. */
  readonly restarts: number;
}

export interface ClientTally {
  readonly name: string;
  readonly frames: number;
  readonly events: number;
  readonly gaps: number;
  readonly duplicates: number;
  readonly reconnects: number;
}

/** The original's columns first, then ours. Blank: not measured. */
const COLUMNS: readonly [string, (s: Sample) => number | string | null][] = [
  ["timestamp_ms", (s) => s.atMs],
  ["vm_rss_kb", (s) => s.rssKb],
  ["vm_size_kb", (s) => s.sizeKb],
  ["threads", (s) => s.threads],
  ["utime_ticks", (s) => s.utimeTicks],
  ["stime_ticks", (s) => s.stimeTicks],
  ["group", (s) => s.group],
  ["processes", (s) => s.processes],
  ["vm_hwm_kb", (s) => s.hwmKb],
  ["pss_kb", (s) => s.pssKb],
  ["context_switches", (s) => s.switches],
  ["major_faults", (s) => s.majorFaults],
  ["open_files", (s) => s.openFiles],
  ["written_bytes", (s) => s.writtenBytes],
];

export function samplesToCsv(samples: readonly Sample[]): string {
  const rows = samples.map((s) => COLUMNS.map(([, of]) => of(s) ?? "").join(","));
  return `${COLUMNS.map(([name]) => name).join(",")}\n${rows.join("\n")}\n`;
}

/** A sample as read back: a dropped column or an empty cell is null, never 0. */
export interface SampleRow {
  readonly atMs: number | null;
  readonly group: string;
  readonly rssKb: number | null;
  readonly cpuTicks: number | null;
  readonly threads: number | null;
  readonly openFiles: number | null;
}

export function csvToSamples(text: string): SampleRow[] {
  const [head = "", ...lines] = text.trim().split("\n");
  const names = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    const cell = (name: string): string | undefined => {
      const at = names.indexOf(name);
      return at < 0 ? undefined : cells[at];
    };
    const number = (name: string): number | null => {
      const value = cell(name);
      return value === undefined || value === "" || Number.isNaN(Number(value)) ? null : Number(value);
    };
    const user = number("utime_ticks");
    const system = number("stime_ticks");
    return {
      atMs: number("timestamp_ms"),
      group: cell("group") ?? "",
      rssKb: number("vm_rss_kb"),
      cpuTicks: user === null || system === null ? null : user + system,
      threads: number("threads"),
      openFiles: number("open_files"),
    };
  });
}

export function samplesFile(tier: Pick<TierRaw, "tier" | "shape">): string {
  return `samples-tier${tier.tier}-${tier.shape}.csv`;
}

export function writeRaw(dir: string, raw: LadderRaw, samples: ReadonlyMap<string, string>): void {
  mkdirSync(join(dir, "raw"), { recursive: true });
  writeFileSync(join(dir, "raw", "ladder.json"), `${JSON.stringify(raw, null, 1)}\n`);
  for (const [name, csv] of samples) writeFileSync(join(dir, "raw", name), csv);
}

export function readRaw(dir: string): { raw: LadderRaw; samples: ReadonlyMap<string, readonly SampleRow[]> } {
  const raw = JSON.parse(readFileSync(join(dir, "raw", "ladder.json"), "utf8")) as LadderRaw;
  const samples = new Map<string, readonly SampleRow[]>();
  for (const tier of raw.tiers) {
    const name = samplesFile(tier);
    samples.set(name, csvToSamples(readFileSync(join(dir, "raw", name), "utf8")));
  }
  return { raw, samples };
}
