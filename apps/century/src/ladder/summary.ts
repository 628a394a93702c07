import type { TierResult } from "../report/analyse.ts";
import { fixed, mib, percent, seconds, usd } from "../report/format.ts";

/** The closing table on the terminal: the figures of the report's headline, one row a tier. */
export function printSummary(results: readonly TierResult[], simulated: boolean): void {
  const head = [
    "tier",
    "sessions",
    "in flight",
    "delivered",
    "verified",
    "time",
    "peak MiB",
    "MiB/session",
    "cached",
    simulated ? "$/card (sim)" : "$/card",
    "errors",
    "internal",
    "stalls",
    "gaps",
  ];
  const rows = results.map((r) => [
    `${r.tier} ${r.shape}`,
    fixed(r.sessions),
    fixed(r.maxInFlightAtServer),
    `${r.delivered}/${r.sessions}`,
    fixed(r.verified),
    seconds(r.wallS),
    mib(r.daemonPeakRssMib),
    mib(r.marginalMib),
    percent(r.cachedOverInput),
    usd(r.costPerCardUsd),
    fixed(r.errorsTotal),
    fixed(r.internalErrors),
    fixed(r.stalls),
    fixed(r.gaps),
  ]);
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((r) => r[i]!.length)));
  process.stdout.write(`\n${all.map((r) => r.map((c, i) => c.padStart(widths[i]!)).join("  ")).join("\n")}\n\n`);
  for (const r of results) {
    if (r.staticOnly > 0)
      process.stdout.write(
        `tier ${r.tier}: ${r.staticOnly} cards passed the static gate only, the runtime gate did not run\n`,
      );
    for (const f of r.failures) process.stdout.write(`tier ${r.tier}: ${f.label} ${f.state}: ${f.why}\n`);
  }
}
