/**
 * Leases of the runs of this process, by monotonic time. The fence is the epoch in the journal; time only says when
 * an owner that could not renew has to stop. The heartbeat renews whoever still owns its epoch. Time in which no
 * heartbeat could run (a blocked loop, a suspended machine) counts against nobody: after a stall all owners are
 * renewed first (K-14).
 */
export const LEASE_MS = 15_000;
export const HEARTBEAT_MS = 1_000;

export class Leases {
  readonly #deadlines = new Map<string, number>();
  readonly #leaseMs: number;
  #lastBeat: number;
  #expired = 0;
  #stalls = 0;

  constructor(now: number, leaseMs: number = LEASE_MS) {
    this.#leaseMs = leaseMs;
    this.#lastBeat = now;
  }

  /** Valid ones, those that ran out, and stalls after which all were renewed. */
  stats(): { readonly active: number; readonly expired: number; readonly stalls: number } {
    return { active: this.#deadlines.size, expired: this.#expired, stalls: this.#stalls };
  }

  take(session: string, now: number): void {
    this.#deadlines.set(session, now + this.#leaseMs);
  }

  release(session: string): void {
    this.#deadlines.delete(session);
  }

  /** One heartbeat. `owns`: whether the session's newest epoch is still ours. Answers who lost its lease. */
  beat(now: number, owns: (session: string) => boolean): string[] {
    const stalled = now - this.#lastBeat >= this.#leaseMs;
    if (stalled) this.#stalls++;
    this.#lastBeat = now;
    const lost: string[] = [];
    for (const [session, deadline] of this.#deadlines) {
      if (owns(session)) this.#deadlines.set(session, now + this.#leaseMs);
      else if (stalled) this.#deadlines.set(session, now + this.#leaseMs);
      else if (deadline <= now) lost.push(session);
    }
    for (const session of lost) this.#deadlines.delete(session);
    this.#expired += lost.length;
    return lost;
  }
}
