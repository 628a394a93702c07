/**
 * Leases of the runs of this process, by monotonic time. The fence is the epoch in the journal; time only says when
 * an owner that stopped renewing loses its run. After a stall of the loop (or a suspend) every owner is renewed
 * first: time in which nobody could renew counts against nobody (K-14).
 */
export const LEASE_MS = 15_000;
export const HEARTBEAT_MS = 1_000;

export class Leases {
  readonly #deadlines = new Map<string, number>();
  readonly #leaseMs: number;
  #lastTick: number;
  expired = 0;

  constructor(now: number, leaseMs: number = LEASE_MS) {
    this.#leaseMs = leaseMs;
    this.#lastTick = now;
  }

  get active(): number {
    return this.#deadlines.size;
  }

  take(session: string, now: number): void {
    this.#deadlines.set(session, now + this.#leaseMs);
  }

  release(session: string): void {
    this.#deadlines.delete(session);
  }

  /** One heartbeat. `alive` says whether an owner still works; answers the sessions whose lease ran out. */
  tick(now: number, alive: (session: string) => boolean): string[] {
    const stalled = now - this.#lastTick > this.#leaseMs / 2;
    this.#lastTick = now;
    const lost: string[] = [];
    for (const [session, deadline] of this.#deadlines) {
      if (alive(session) || stalled) this.#deadlines.set(session, now + this.#leaseMs);
      else if (deadline <= now) lost.push(session);
    }
    for (const session of lost) this.#deadlines.delete(session);
    this.expired += lost.length;
    return lost;
  }
}
