import { backoffMs, type Clock } from "@swarm/std";
import type { Failure } from "../failure.ts";

/** Longest wait that we compute ourselves; a provider may ask for more. */
export const BACKOFF_CAP_MS = 60_000;
export const BACKOFF_BASE_MS = 1_000;
/** On top of a stated wait, up to this share of it: a hundred sessions told "20 s" come back over 5 s, none early. */
const SPREAD = 0.25;
const SPREAD_MIN_MS = 250;

/**
 * One per provider, model and key: when one request is told to wait, all do.
 *
 *   open ──shared failure──▶ blocked until T ──T passes──▶ open (waiters leave one by one, jittered)
 *                               │  ▲
 *                               └──┘ a failure of a request sent after the block began: a longer block
 *
 * Failures of requests that were sent before the block began say nothing new: they join it without raising it.
 */
export class Gate {
  readonly #clock: Clock;
  readonly #random: () => number;
  #blockedUntil = 0;
  #spreadMs = 0;
  #epoch = 0;
  #why: Failure | undefined;
  #level = 0;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** To be kept by a request when it is sent and given back with its outcome. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The failure that blocked it last. */
  get why(): Failure | undefined {
    return this.#why;
  }

  get blocked(): boolean {
    return this.leftMs > 0;
  }

  /** What is left of the block; 0 when the gate is open. */
  get leftMs(): number {
    return Math.max(0, Math.ceil(this.#blockedUntil - this.#clock.monotonic()));
  }

  /** How long a request has to wait now, with its own share of the spread; 0 when the gate is open. */
  delayMs(): number {
    const left = this.leftMs;
    return left === 0 ? 0 : Math.ceil(left + this.#random() * this.#spreadMs);
  }

  succeeded(epoch: number): void {
    if (epoch === this.#epoch) this.#level = 0;
  }

  failed(epoch: number, failure: Failure): void {
    const now = this.#clock.monotonic();
    if (failure.waitMs !== undefined) {
      this.#block(now + failure.waitMs, Math.max(SPREAD_MIN_MS, failure.waitMs * SPREAD), failure);
    } else if (epoch === this.#epoch) {
      const ceiling = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** this.#level);
      this.#level = Math.min(this.#level + 1, 16);
      this.#block(now + ceiling / 2, ceiling / 2, failure);
    }
    if (epoch === this.#epoch) this.#epoch++;
  }

  #block(untilMs: number, spreadMs: number, why: Failure): void {
    if (untilMs <= this.#blockedUntil) return;
    this.#why = why;
    this.#blockedUntil = untilMs;
    this.#spreadMs = spreadMs;
  }
}

/** The wait of one request whose failure says nothing about others. */
export function ownDelayMs(failure: Failure, attempt: number, random: () => number): number {
  if (failure.waitMs === undefined) return backoffMs(attempt, BACKOFF_BASE_MS, BACKOFF_CAP_MS, random);
  return Math.ceil(failure.waitMs + random() * Math.max(SPREAD_MIN_MS, failure.waitMs * SPREAD));
}
