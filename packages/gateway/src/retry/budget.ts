import type { Clock } from "@swarm/std";
import type { Failure } from "../failure.ts";

/** Time, not a count: a wall of many minutes must not end a run with ninety tool calls behind it. */
export interface RetryPolicy {
  /** For rate limits and overload, from the first failure on, ms. */
  readonly overloadMs: number;
  /** For a provider that cannot be reached: most often a wrong address or no network, which a person must cure. */
  readonly networkMs: number;
}
export const RETRY_POLICY: RetryPolicy = { overloadMs: 20 * 60_000, networkMs: 2 * 60_000 };
/** A closed keep-alive socket costs one fresh connection; more in a row is a broken server. */
const FRESH_SOCKETS_MAX = 3;

/** Tells whether one more attempt is worth it. One per request. */
export class RetryBudget {
  readonly #clock: Clock;
  readonly #policy: RetryPolicy;
  #since: number | undefined;
  #freshSockets = 0;
  /** Attempts that failed, without those cured by a fresh socket. */
  failures = 0;

  constructor(clock: Clock, policy: RetryPolicy) {
    this.#clock = clock;
    this.#policy = policy;
  }

  freshSocket(failure: Failure): boolean {
    return failure.retry === "now" && this.#freshSockets++ < FRESH_SOCKETS_MAX;
  }

  allows(failure: Failure): boolean {
    const now = this.#clock.monotonic();
    this.#since ??= now;
    this.failures++;
    if (failure.retry === "never") return false;
    if (failure.attemptsMax !== undefined && this.failures >= failure.attemptsMax) return false;
    const limit = failure.wait === "network" ? this.#policy.networkMs : this.#policy.overloadMs;
    return now - this.#since + (failure.waitMs ?? 0) <= limit;
  }
}
