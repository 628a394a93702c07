import type { ArtifactBrief, Budget } from "@swarm/protocol";
import type { LanguageModel, ToolRunner } from "@swarm/protocol/ports";
import type { Clock } from "@swarm/std";
import type { AgentEvent } from "./events.ts";
import type { AgentProfile } from "./profiles.ts";
import type { AgentState } from "./state.ts";

/** Everything a run needs from outside. */
export interface AgentInput {
  readonly profile: AgentProfile;
  readonly model: LanguageModel;
  readonly tools: ToolRunner;
  readonly session: string;
  readonly run: string;
  readonly epoch: number;
  readonly state: AgentState;
  /** Over the profile's own, limit by limit. */
  readonly budget: Budget;
  /** Wall ms since the run's first lease, for the budget of time. */
  readonly elapsedMs: () => number;
  readonly interactive: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Durable when it resolves: the loop does not go on before. Calls of one step are recorded at the same time; the order
   * of the sink's calls is the order of the events.
   */
  sink(event: AgentEvent): Promise<void>;
  /** Streamed text, synchronous, once per socket read and stream. `offset` in UTF-16 units of that stream. */
  live(step: number, stream: string, offset: number, text: string): void;
  /** A person's words since the last call, already journaled by the caller. */
  inbox(): readonly string[];
  facts(): Facts;
  /** Asks for a higher budget; only called when `interactive`. */
  askBudget(detail: string): Promise<Budget | "declined">;
}

export interface Facts {
  readonly title: string;
  /** The session's artifact as it stands now. */
  readonly artifact?: ArtifactBrief;
}
