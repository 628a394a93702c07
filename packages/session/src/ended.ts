import type { Handoff, SessionSummary, TerminalState } from "@swarm/protocol";

/** The report of a run that the daemon itself ended. */
export function endedByDaemon(state: TerminalState, summary: SessionSummary | undefined, reason: string): Handoff {
  return {
    state,
    title: (summary?.title || "Untitled").slice(0, 120),
    overview: reason.slice(0, 600),
    result: summary?.artifact ? `Artifact ${summary.artifact.id}, revision ${summary.artifact.revision}, is kept.` : "Nothing was made.",
    artifacts: summary?.artifact ? [summary.artifact.id] : [],
    evidence: [],
    recommendation: { decision: state === "cancelled" ? "none" : "look", reason },
    codeBlocks: [],
    followUps: [],
    formattedBy: "daemon",
  };
}
