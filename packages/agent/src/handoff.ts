import { HANDOFF_LIMITS, type ArtifactBrief, type Handoff } from "@swarm/protocol";
import type { Ending } from "./next-move.ts";

/** Of a final text, what a report repeats; the whole is in the step's record. */
const RESULT_MAX = 4000;

/** The daemon's own report of a run that ended without one. */
export function endedHandoff(
  ending: Ending,
  facts: { readonly title: string; readonly artifact?: ArtifactBrief },
): Handoff {
  const { state, reason } = ending;
  const { artifact } = facts;
  const text = (ending.text ?? "").trim();
  const delivered = state === "delivered";
  const overview = delivered ? text || (artifact ? `Published ${artifact.title}.` : "Answered.") : (reason ?? text);
  return {
    state,
    title: cut(facts.title || artifact?.title || "Untitled", HANDOFF_LIMITS.title),
    overview: cut(overview, HANDOFF_LIMITS.overview),
    result: artifact
      ? `Artifact ${artifact.id}, revision ${artifact.revision}, ${artifact.state}.`
      : cut(text, RESULT_MAX),
    artifacts: artifact ? [artifact.id] : [],
    evidence: artifact ? [evidenceOf(artifact)] : [],
    recommendation: delivered
      ? { decision: "accept", reason: artifact ? "The gate passed it." : "The answer stands above." }
      : { decision: "look", reason: reason ?? "It did not deliver." },
    codeBlocks: [],
    followUps: [],
    formattedBy: "daemon",
  };
}

function evidenceOf({ verdict, passed, checks }: ArtifactBrief): string {
  if (verdict === undefined) return "The gate has not run.";
  const how =
    verdict === "verified" ? "Verified in a browser" : verdict === "static_only" ? "Static gate only" : "Rejected";
  return `${how}: ${passed ?? 0} of ${checks ?? 0} checks passed.`;
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
