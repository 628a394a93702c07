import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CLASSES } from "@swarm/protocol";
import { analyse, type TierResult } from "./analyse.ts";
import { fixed, mib, percent, seconds, usd } from "./format.ts";
import { reportHtml } from "./html.ts";
import { readRaw, type LadderRaw } from "./raw.ts";

/** Makes report.html, report.json, report.csv and report.md from `dir/raw` and nothing else: equal input, equal bytes. */
export function writeReport(dir: string): {
  raw: LadderRaw;
  results: readonly TierResult[];
  html: string;
} {
  const { raw, samples } = readRaw(dir);
  const results = analyse(raw, samples);
  const html = join(dir, "report.html");
  writeFileSync(html, reportHtml(raw, results, samples));
  const { tiers: _tiers, ...head } = raw;
  writeFileSync(join(dir, "report.json"), `${JSON.stringify({ ...head, tiers: results }, null, 1)}\n`);
  writeFileSync(join(dir, "report.csv"), reportCsv(results));
  writeFileSync(join(dir, "report.md"), reportMarkdown(raw, results));
  return { raw, results, html };
}

type Scalar = string | number | null;

function reportCsv(results: readonly TierResult[]): string {
  const rows = results.map((r) => {
    const { groups, errors, failures: _failures, ...rest } = r;
    const row: Record<string, Scalar> = { ...rest };
    for (const group of ["daemon", "checker", "browser", "simulator"]) {
      row[`${group}PeakMib`] = groups[group]?.peakRssMib ?? null;
      row[`${group}CpuS`] = groups[group]?.cpuS ?? null;
    }
    for (const name of ERROR_CLASSES) row[`errors_${name}`] = errors[name];
    return row;
  });
  const names = Object.keys(rows[0] ?? {});
  return `${names.join(",")}\n${rows.map((row) => names.map((n) => row[n] ?? "").join(",")).join("\n")}\n`;
}

function reportMarkdown(raw: LadderRaw, results: readonly TierResult[]): string {
  const head = [
    "Tier",
    "Sessions",
    "In flight",
    "Delivered",
    "Verified",
    "Time",
    "Peak MiB",
    "Per session MiB",
    "Cached ÷ input",
    raw.simulated ? "Cost (simulated)" : "Cost",
    "Errors",
    "Internal",
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
    usd(r.costUsd),
    fixed(r.errorsTotal),
    fixed(r.internalErrors),
  ]);
  return `# Century Run, ${raw.startedAt}\n\nModel ${raw.model}${raw.simulated ? " (simulated)" : ""}, seed ${raw.seed}, speed ${raw.speed}.\n\n| ${head.join(" | ")} |\n|${head.map(() => "---").join("|")}|\n${rows.map((r) => `| ${r.join(" | ")} |`).join("\n")}\n\n\`${raw.command}\`\n`;
}
