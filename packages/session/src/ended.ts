import { HANDOFF_LIMITS, type Handoff, type SessionSummary, type TerminalState } from "@swarm/protocol";

/** The report of a run that the daemon itself ended. */
export function endedByDaemon(state: TerminalState, summary: SessionSummary | undefined, reason: string): Handoff {
  const artifact = summary?.artifact;
  return {
    state,
    title: cut(summary?.title || "Untitled", HANDOFF_LIMITS.title),
    overview: cut(reason, HANDOFF_LIMITS.overview),
    result: artifact ? `Artifact ${artifact.id}, revision ${artifact.revision}, is kept.` : "Nothing was made.",
    artifacts: artifact ? [artifact.id] : [],
    evidence: [],
    recommendation: { decision: state === "cancelled" ? "none" : "look", reason: cut(reason, HANDOFF_LIMITS.overview) },
    codeBlocks: [],
    followUps: [],
    formattedBy: "daemon",
  };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
