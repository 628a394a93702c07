/** The ladder's steps. `wave`: the original's shape (never more than `wave` at once); a burst starts all at once. */
export interface Tier {
  readonly tier: number;
  readonly sessions: number;
  readonly wave: number;
  readonly name: string;
  readonly original: string;
}

export const TIERS: readonly Tier[] = [
  { tier: 1, sessions: 1, wave: 1, name: "Single session", original: "1 session" },
  { tier: 2, sessions: 5, wave: 1, name: "Multi-session", original: "5 sessions, one after another" },
  { tier: 3, sessions: 25, wave: 5, name: "Swarm wave", original: "5 waves of 5" },
  { tier: 4, sessions: 50, wave: 5, name: "Mega swarm", original: "10 waves of 5" },
  { tier: 5, sessions: 100, wave: 10, name: "Century Run", original: "10 waves of 10" },
];

/** What the original published for its own machine (12 cores), first and later report. Never ours. */
export interface OriginalFigures {
  readonly peakRssMib: number;
  readonly marginalMib: number;
  readonly wallS: number;
  readonly cpuPercent: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly costPerArtifactUsd: number;
  readonly errors: number;
  readonly laterCostUsd: number;
  readonly laterErrors: number;
  readonly laterPeakRssMib: number | null;
  readonly laterMarginalMib: number | null;
}

export const ORIGINAL: Readonly<Record<number, OriginalFigures>> = {
  1: {
    peakRssMib: 586.81,
    marginalMib: 440.89,
    wallS: 96.21,
    cpuPercent: 118.97,
    inputTokens: 145_040,
    cachedTokens: 142_813,
    outputTokens: 425,
    costUsd: 0.7168,
    costPerArtifactUsd: 0.7168,
    errors: 4,
    laterCostUsd: 0.12,
    laterErrors: 0,
    laterPeakRssMib: null,
    laterMarginalMib: 484.8,
  },
  2: {
    peakRssMib: 612.45,
    marginalMib: 88.83,
    wallS: 277.75,
    cpuPercent: 142.65,
    inputTokens: 838_513,
    cachedTokens: 820_691,
    outputTokens: 2_847,
    costUsd: 3.9213,
    costPerArtifactUsd: 0.7843,
    errors: 19,
    laterCostUsd: 0.42,
    laterErrors: 0,
    laterPeakRssMib: null,
    laterMarginalMib: null,
  },
  3: {
    peakRssMib: 1033.74,
    marginalMib: 36.76,
    wallS: 234.59,
    cpuPercent: 176.76,
    inputTokens: 1_841_222,
    cachedTokens: 1_526_767,
    outputTokens: 73_277,
    costUsd: 13.8473,
    costPerArtifactUsd: 0.5539,
    errors: 179,
    laterCostUsd: 3.03,
    laterErrors: 16,
    laterPeakRssMib: null,
    laterMarginalMib: null,
  },
  4: {
    peakRssMib: 1412.35,
    marginalMib: 25.68,
    wallS: 396.08,
    cpuPercent: 215.4,
    inputTokens: 6_552_401,
    cachedTokens: 6_244_375,
    outputTokens: 47_212,
    costUsd: 72.599,
    costPerArtifactUsd: 1.452,
    errors: 752,
    laterCostUsd: 4.23,
    laterErrors: 7,
    laterPeakRssMib: null,
    laterMarginalMib: null,
  },
  5: {
    peakRssMib: 1820.65,
    marginalMib: 14.76,
    wallS: 487.87,
    cpuPercent: 245.8,
    inputTokens: 7_358_292,
    cachedTokens: 6_564_932,
    outputTokens: 234_515,
    costUsd: 48.5643,
    costPerArtifactUsd: 0.4856,
    errors: 513,
    laterCostUsd: 9.97,
    laterErrors: 26,
    laterPeakRssMib: 1213.7,
    laterMarginalMib: 11.12,
  },
};
