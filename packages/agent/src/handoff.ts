import { HANDOFF_LIMITS, type Handoff, type TerminalState } from "@swarm/protocol";

/** The daemon's own report of a run that ended without one. */
export function formatHandoff(input: { readonly state: TerminalState; readonly title: string; readonly text: string; readonly artifact?: { readonly id: string; readonly title: string; readonly revision: number; readonly evidence: string }; readonly reason?: string }): Handoff {
  const { state, artifact } = input;
  const overview = state === "delivered" ? input.text || (artifact ? `Published ${artifact.title}.` : "Answered.") : (input.reason ?? input.text);
  return {
    state,
    title: cut(input.title || artifact?.title || "Untitled", HANDOFF_LIMITS.title),
    overview: cut(overview, HANDOFF_LIMITS.overview),
    result: artifact ? `Artifact ${artifact.id}, revision ${artifact.revision}` : input.text,
    artifacts: artifact ? [artifact.id] : [],
    evidence: artifact ? [artifact.evidence] : [],
    recommendation: state === "delivered" ? { decision: "accept", reason: artifact ? "The gate passed it." : "The answer stands above." } : { decision: "look", reason: input.reason ?? "It did not deliver." },
    codeBlocks: [],
    followUps: [],
    formattedBy: "daemon",
  };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
