import { quantileOf } from "@swarm/std";
import { ERROR_CLASSES, type ErrorClass } from "@swarm/protocol";
import { samplesFile, type LadderRaw, type SampleRow, type TierRaw } from "./raw.ts";

/** One row of the tables. null is a blank: it was not measured. */
export interface TierResult {
  readonly tier: number;
  readonly shape: "burst" | "waves";
  readonly sessions: number;
  readonly delivered: number;
  readonly verified: number;
  readonly staticOnly: number;
  readonly maxInFlightAtServer: number | null;
  readonly wallS: number;
  readonly groups: Readonly<Record<string, GroupUse>>;
  readonly daemonPeakRssMib: number | null;
  readonly baselineRssMib: number | null;
  readonly marginalMib: number | null;
  readonly daemonCpuPercent: number | null;
  readonly daemonCpuPerSessionS: number | null;
  readonly requests: number;
  readonly requestsPerCard: number | null;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cachedOverInput: number | null;
  readonly cachedOverTotal: number | null;
  readonly costUsd: number;
  readonly costPerCardUsd: number | null;
  readonly repairs: number;
  readonly errors: Readonly<Record<ErrorClass, number>>;
  readonly errorsTotal: number;
  readonly internalErrors: number;
  readonly ackP50Ms: number | null;
  readonly ackP99Ms: number | null;
  readonly ackMaxMs: number | null;
  readonly stalls: number;
  readonly mutations: number;
  readonly mutationsPerSync: number | null;
  readonly gaps: number;
  readonly loopDelayP99Ms: number | null;
  readonly sessionWallP50S: number | null;
  readonly restarts: number;
  readonly failures: readonly { readonly label: string; readonly state: string; readonly why: string }[];
}

export interface GroupUse {
  readonly peakRssMib: number | null;
  readonly cpuS: number | null;
  readonly peakThreads: number | null;
}

export function analyse(raw: LadderRaw, samples: ReadonlyMap<string, readonly SampleRow[]>): TierResult[] {
  return raw.tiers.map((tier) => analyseTier(tier, samples.get(samplesFile(tier)) ?? []));
}

function analyseTier(tier: TierRaw, rows: readonly SampleRow[]): TierResult {
  const groups = groupUse(rows);
  const peak = groups["daemon"]?.peakRssMib ?? null;
  const cpuS = groups["daemon"]?.cpuS ?? null;
  const delivered = tier.summaries.filter((s) => s.state === "delivered" && s.artifact?.state === "published");
  const sum = (of: (s: TierRaw["summaries"][number]) => number): number =>
    tier.summaries.reduce((n, s) => n + of(s), 0);
  const input = sum((s) => s.totals.input);
  const cached = sum((s) => s.totals.cached);
  const output = sum((s) => s.totals.output);
  const requests = sum((s) => s.totals.requests);
  const costUsd = sum((s) => s.totals.costNano) / 1e9;
  const errors = Object.fromEntries(ERROR_CLASSES.map((c) => [c, sum((s) => s.errors[c] ?? 0)])) as Record<
    ErrorClass,
    number
  >;
  const groupsCommitted = tier.after.journal.groups - tier.before.journal.groups;
  const mutations = tier.after.journal.mutations - tier.before.journal.mutations;
  const walls = tier.summaries.flatMap((s) => (s.endedAt === undefined ? [] : [(s.endedAt - s.createdAt) / 1000]));
  return {
    tier: tier.tier,
    shape: tier.shape,
    sessions: tier.sessions,
    delivered: delivered.length,
    verified: delivered.filter((s) => s.artifact?.verdict === "verified").length,
    staticOnly: delivered.filter((s) => s.artifact?.verdict === "static_only").length,
    maxInFlightAtServer: tier.server?.maxOpen ?? null,
    wallS: tier.wallS,
    groups,
    daemonPeakRssMib: peak,
    baselineRssMib: tier.baselineRssMib,
    marginalMib:
      peak === null || tier.baselineRssMib === null ? null : Math.max(0, peak - tier.baselineRssMib) / tier.sessions,
    daemonCpuPercent: cpuS === null ? null : (100 * cpuS) / tier.wallS,
    daemonCpuPerSessionS: cpuS === null ? null : cpuS / tier.sessions,
    requests,
    requestsPerCard: delivered.length === 0 ? null : requests / delivered.length,
    inputTokens: input,
    cachedTokens: cached,
    outputTokens: output,
    reasoningTokens: sum((s) => s.totals.reasoning),
    cachedOverInput: input === 0 ? null : cached / input,
    cachedOverTotal: input + output === 0 ? null : cached / (input + output),
    costUsd,
    costPerCardUsd: delivered.length === 0 ? null : costUsd / delivered.length,
    repairs: sum((s) => s.repairs),
    errors,
    errorsTotal: Object.values(errors).reduce((a, b) => a + b, 0),
    internalErrors: errors.internal,
    ackP50Ms: tier.after.journal.ackP50Ms,
    ackP99Ms: tier.after.journal.ackP99Ms,
    ackMaxMs: tier.after.journal.ackMaxMs,
    stalls: Math.max(0, tier.after.journal.stalls - tier.before.journal.stalls),
    mutations: Math.max(0, mutations),
    mutationsPerSync: groupsCommitted > 0 ? mutations / groupsCommitted : null,
    gaps: tier.clients.reduce((n, c) => n + c.gaps, 0),
    loopDelayP99Ms: tier.after.runtime.loopDelayP99Ms,
    sessionWallP50S: quantileOf(walls, 0.5) ?? null,
    restarts: tier.restarts,
    failures: tier.summaries
      .filter((s) => !delivered.includes(s))
      .map((s) => ({ label: `${s.label ?? s.id} ${s.title}`, state: s.state ?? s.phase, why: s.now })),
  };
}

function groupUse(rows: readonly SampleRow[]): Record<string, GroupUse> {
  const byGroup = new Map<string, SampleRow[]>();
  for (const row of rows) byGroup.set(row.group, [...(byGroup.get(row.group) ?? []), row]);
  return Object.fromEntries(
    [...byGroup].map(([group, of]) => {
      const rss = numbers(of.map((r) => r.rssKb));
      const ticks = numbers(of.map((r) => r.cpuTicks));
      const threads = numbers(of.map((r) => r.threads));
      return [
        group,
        {
          peakRssMib: rss.length === 0 ? null : Math.max(...rss) / 1024,
          cpuS: ticks.length < 2 ? null : (ticks.at(-1)! - ticks[0]!) / 100,
          peakThreads: threads.length === 0 ? null : Math.max(...threads),
        },
      ];
    }),
  );
}

function numbers(values: readonly (number | null)[]): number[] {
  return values.filter((v) => v !== null);
}
