import type { ErrorClass } from "./errors.ts";

/** Why an unfinished run does nothing now. */
export type WaitReason = "model" | "tool" | "permission" | "user" | "child" | "rate_limit" | "budget" | "capacity";

export type TerminalState = "delivered" | "blocked" | "failed" | "cancelled" | "budget_exhausted";
export const TERMINAL_STATES: readonly TerminalState[] = [
  "delivered",
  "blocked",
  "failed",
  "cancelled",
  "budget_exhausted",
];

/**
 *   queued ──lease──▶ leased ──▶ running ◀──▶ waiting(reason)
 *     │                 │           │             │
 *     └────────────── cancel / end ─┴─────────────┴──▶ terminal
 * After a crash every non-terminal run is leased again under a higher epoch.
 */
export type RunPhase = "queued" | "leased" | "running" | "waiting" | "ended";

/** Limits of one run. Undefined: no limit. Reached: the run waits on `budget` and asks. */
export interface Budget {
  readonly turns?: number;
  readonly toolCalls?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly usd?: number;
  readonly wallS?: number;
}

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

/** Terminal report of a run. Limits in `HANDOFF_LIMITS`, measured in UTF-16 units (code blocks: bytes). */
export interface Handoff {
  readonly state: TerminalState;
  readonly title: string;
  readonly overview: string;
  readonly result: string;
  readonly artifacts: readonly string[];
  readonly evidence: readonly string[];
  readonly recommendation: { readonly decision: string; readonly reason: string };
  readonly codeBlocks: readonly CodeBlock[];
  readonly followUps: readonly string[];
  readonly formattedBy: "agent" | "daemon";
}
export const HANDOFF_LIMITS = {
  title: 120,
  overview: 600,
  codeBlocks: 3,
  codeBlockBytes: 64 * 1024,
  followUps: 3,
} as const;

export interface RunError {
  readonly code: string;
  readonly class: ErrorClass;
  readonly message: string;
}
