import type { ArtifactBrief, Budget, RunError, TerminalState, ToolCall } from "@swarm/protocol";
import type { ToolOutcome } from "@swarm/protocol/ports";
import { judgeBudget } from "./budget.ts";
import { correctionOf, isMalformed } from "./prose.ts";
import { BUDGET_NOTE, CORRECTION, type AgentState, type Silence } from "./state.ts";

export interface Ending {
  readonly state: TerminalState;
  readonly reason?: string;
  readonly text?: string;
  readonly error?: RunError;
  readonly handoff?: ToolOutcome["handoff"];
}

/** What the loop does next. */
export type Move =
  | { readonly do: "calls" }
  | { readonly do: "request" }
  | { readonly do: "say"; readonly text: string }
  /** As `say`; the call that could not be read is counted as an error of the model's. */
  | { readonly do: "correct-call"; readonly text: string }
  | { readonly do: "hand-off"; readonly call: ToolCall }
  | { readonly do: "ask-budget"; readonly detail: string }
  | { readonly do: "end"; readonly ending: Ending };

/** What the decision needs beside the state. */
export interface View {
  readonly wantsArtifact: boolean;
  readonly artifact: ArtifactBrief | undefined;
  readonly budget: Budget;
  readonly elapsedS: number;
}

/** Corrections in a row before a run that does not act is called blocked. */
const CORRECTIONS_MAX = 1;
/** A cut answer can be made shorter, an unreadable call made again: these are given another try. */
const CUT_MAX = 2;
const MALFORMED_MAX = 3;

/** Pure: a run that was killed and rebuilt from its records decides the same. The order of the rules is in SPEC.md. */
export function nextMove(state: AgentState, view: View): Move {
  if (state.pending.length > 0) return { do: "calls" };
  // a person's words are answered, whatever the run was about to end with
  const addressed = state.held.length > 0;
  if (!addressed && state.handoff !== undefined) return { do: "hand-off", call: state.handoff };
  const { verdict } = state;
  if (!addressed && verdict.kind === "stop") {
    return {
      do: "end",
      ending: {
        state: "blocked",
        reason: verdict.reason,
        error: { code: "loop", class: "limit", message: verdict.reason },
      },
    };
  }
  if (verdict.kind === "nudge") return { do: "say", text: verdict.reason };
  if (!addressed && state.silent !== undefined) return afterSilence(state, state.silent, view);
  const judged = judgeBudget(view.budget, state.spent, view.elapsedS, state.warned);
  switch (judged.kind) {
    case "fine":
      return { do: "request" };
    case "warn":
      return { do: "say", text: `${BUDGET_NOTE}${judged.limit}: ${judged.detail}. Finish what matters and hand off.` };
    case "exhausted":
      return { do: "ask-budget", detail: judged.detail };
  }
}

/** An answer without a call: delivered, or one correction that names the call, or blocked. */
function afterSilence(state: AgentState, { text, finish }: Silence, { wantsArtifact, artifact }: View): Move {
  if (finish === "content_filter")
    return { do: "end", ending: { state: "blocked", reason: "The provider's content filter stopped the answer." } };
  const said = text.trim() !== "" && finish !== "length";
  if (artifact?.state === "published" || (!wantsArtifact && said))
    return { do: "end", ending: { state: "delivered", text } };
  const malformed = isMalformed(text, finish);
  const allowed = malformed ? MALFORMED_MAX : finish === "length" ? CUT_MAX : CORRECTIONS_MAX;
  if (state.corrections >= allowed)
    return {
      do: "end",
      ending: { state: "blocked", reason: blockedReason(malformed, finish === "length", wantsArtifact), text },
    };
  return {
    do: malformed ? "correct-call" : "say",
    text: CORRECTION + correctionOf(text, finish, wantsArtifact, artifact),
  };
}

function blockedReason(malformed: boolean, cut: boolean, wantsArtifact: boolean): string {
  if (malformed) return "The model's calls could not be read, several times in a row.";
  if (cut) return "The model's answer was cut at its output limit, several times in a row.";
  return wantsArtifact
    ? "The agent answered in text twice and published no artifact."
    : "The agent gave no usable answer twice.";
}
