import type { CheckReport, CheckStage, Finding } from "@swarm/protocol";

/** The summary goes back to the model inside an error of at most 1 KB. */
const SUMMARY_BYTES = 1024;

/**
 * Joins the stages to the report that is kept with the revision. A stage that passed needs no finding of its own;
 * one that could not run is counted in `notRun` and never lifts the verdict.
 */
export function assembleReport(sha256: string, stages: readonly CheckStage[]): CheckReport {
  const findings = stages.flatMap((stage) => stage.findings);
  const failed = findings.filter((finding) => !finding.ok);
  const staticPassed = stages.some((stage) => stage.stage === "static" && stage.verdict === "passed");
  const runtimePassed = stages.some((stage) => stage.stage === "runtime" && stage.verdict === "passed");
  const rejected = !staticPassed || stages.some((stage) => stage.verdict === "failed");
  return {
    sha256,
    stages,
    verdict: rejected ? "rejected" : runtimePassed ? "verified" : "static_only",
    summary: summarise(failed),
    passed: findings.length - failed.length,
    failed: failed.length,
    notRun: stages.filter((stage) => stage.verdict === "not_run").length,
  };
}

/** One sentence for each failed check, cut between sentences: half a sentence would send the model astray. */
export function summarise(failed: readonly Finding[]): string {
  let text = "";
  for (const [index, finding] of failed.entries()) {
    const sentence = sentenceOf(finding);
    const rest = failed.length - index;
    const more = ` (${rest} more.)`;
    const next = text === "" ? sentence : `${text} ${sentence}`;
    const room = SUMMARY_BYTES - (rest > 1 ? Buffer.byteLength(more) : 0);
    if (Buffer.byteLength(next) > room) return text + more;
    text = next;
  }
  return text;
}

const SENTENCE_CHARS = 420;

function sentenceOf(finding: Finding): string {
  const where = finding.line === undefined ? "" : ` (line ${finding.line})`;
  const fix = finding.fix === undefined ? "" : `; fix: ${trimStop(finding.fix)}`;
  const sentence = `${finding.check}${where}: ${trimStop(finding.message)}${fix}`;
  return `${sentence.length > SENTENCE_CHARS ? `${sentence.slice(0, SENTENCE_CHARS)}…` : sentence}.`;
}

function trimStop(text: string): string {
  return text.replace(/[.\s]+$/u, "");
}
