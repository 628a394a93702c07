import type { ErrorCode } from "@swarm/protocol";

export type WaitKind = "rate_limit" | "overloaded" | "network";

/** Why one HTTP attempt gave no answer, and what follows from it: decided here, read by the retry loop only. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status?: number;
  /** `never`: the same request fails again. `own`: this request waits. `shared`: all requests of the gate wait. `now`: a fresh connection cures it. */
  readonly retry: "never" | "own" | "shared" | "now";
  readonly wait: WaitKind;
  /** What the provider asked for, ms. */
  readonly waitMs?: number;
  /** Attempts worth making at all, where time alone does not cure it. */
  readonly attemptsMax?: number;
}
