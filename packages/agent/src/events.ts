import type {
  FinishReason,
  Handoff,
  RunError,
  TerminalState,
  ToolCall,
  Usage,
  Cost,
  WaitReason,
} from "@swarm/protocol";
import type { ToolOutcome } from "@swarm/protocol/ports";

/** What a run does, in order. Each is durable before the next thing happens. Exactly one `ended`, last. */
export type AgentEvent =
  | {
      readonly type: "step-started";
      readonly step: number;
      readonly model: string;
      readonly prefixHash: string;
      readonly prefixBytes: number;
      readonly breakCause?: string;
    }
  | { readonly type: "waiting"; readonly on: WaitReason; readonly detail: string; readonly untilMs?: number }
  | { readonly type: "resumed" }
  | {
      readonly type: "step-finished";
      readonly step: number;
      readonly text: string;
      readonly reasoning?: string;
      readonly calls: readonly ToolCall[];
      readonly finish: FinishReason;
      readonly usage: Usage;
      readonly cost: Cost;
      readonly model: string;
      readonly ttftMs: number;
      readonly durationMs: number;
      readonly signature?: string;
    }
  | { readonly type: "step-failed"; readonly step: number; readonly error: RunError }
  /** The daemon's own words to the model: a correction, a nudge, a budget warning. */
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "tool-started"; readonly step: number; readonly call: ToolCall }
  | {
      readonly type: "tool-finished";
      readonly step: number;
      readonly call: ToolCall;
      readonly outcome: ToolOutcome;
      readonly durationMs: number;
    }
  | { readonly type: "ended"; readonly state: TerminalState; readonly handoff: Handoff; readonly error?: RunError };
