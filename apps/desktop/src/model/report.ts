import type { CheckReport, CheckStage } from "@swarm/protocol";
import { seconds } from "./format.ts";

/** The gate's words. A stage that was not run is never counted as passed, and says why. */
export function stageLine(stage: CheckStage): string {
  if (stage.verdict === "not_run") return `not run: ${stage.reason ?? "no reason given"}`;
  const passed = stage.findings.filter((f) => f.ok).length;
  return `${passed} of ${stage.findings.length} in ${seconds(stage.durationMs)}`;
}

/** `static 12 of 12, runtime not run`. */
export function stagesLine(report: CheckReport): string {
  return report.stages
    .map((stage) => {
      if (stage.verdict === "not_run") return `${stage.stage} not run`;
      return `${stage.stage} ${stage.findings.filter((f) => f.ok).length} of ${stage.findings.length}`;
    })
    .join(", ");
}

export function verdictWord(verdict: CheckReport["verdict"] | null | undefined): string {
  switch (verdict) {
    case "verified":
      return "verified";
    case "static_only":
      return "static only";
    case "rejected":
      return "rejected";
    default:
      return "not checked";
  }
}

export function resultLine(report: CheckReport): string {
  const failed = report.stages.flatMap((s) => s.findings).find((f) => !f.ok);
  if (failed) return failed.message;
  const checks = `passed ${report.passed} of ${report.passed + report.failed}`;
  return report.notRun > 0 ? `${checks}, ${report.notRun} not run` : checks;
}

/** `external_reference` → `External reference`. */
export function checkName(check: string): string {
  const words = check.replaceAll("_", " ").replace(/\b(html|css|svg|id|url)\b/g, (word) => word.toUpperCase());
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
