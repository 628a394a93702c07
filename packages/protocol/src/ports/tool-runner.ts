import type { ErrorClass } from "../errors.ts";
import type { JsonSchema, ToolSpec } from "../messages.ts";

export type EffectClass = "read" | "write" | "execute" | "network" | "delegate" | "ask";

/** The declaration of a tool: model list, permission table, docs and the desktop's cards are made from it. */
export interface ToolDeclaration extends ToolSpec {
  readonly parameters: JsonSchema;
  readonly effect: EffectClass;
  /** May be run again after a crash between start and result. */
  readonly idempotent: boolean;
  readonly timeoutMs: number;
}

export interface ToolError {
  /** Stable, snake_case, e.g. `invalid_arguments`, `stale_base`, `check_failed`. */
  readonly code: string;
  readonly class: ErrorClass;
  readonly message: string;
  /** The call that would succeed, when one is known. */
  readonly next?: string;
}

export interface ToolOutcome {
  readonly ok: boolean;
  /** One line for a person. */
  readonly summary: string;
  /** What the model reads, capped. */
  readonly output: string;
  readonly error?: ToolError;
  readonly repaired: readonly string[];
  readonly truncated: boolean;
  /** Set by the `handoff` tool: the run ends after this step. */
  readonly handoff?: import("../run.ts").Handoff;
}

export interface ToolContext {
  readonly session: string;
  readonly run: string;
  readonly step: number;
  readonly epoch: number;
  readonly callId: string;
  readonly model: string;
  readonly signal: AbortSignal;
}

/** Validate, permit, run, cap. Never throws for what a model did wrong: that is an outcome. */
export interface ToolRunner {
  /** Sorted by name: the frozen list of a profile. Unknown profile: AppError `bad_request`. */
  list(profile: string): readonly ToolDeclaration[];
  run(name: string, rawArgs: string, context: ToolContext): Promise<ToolOutcome>;
}
