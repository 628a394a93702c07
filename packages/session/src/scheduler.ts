import type { DaemonStatus } from "@swarm/protocol";
import type { Clock, RunId } from "@swarm/std";
import { Admission, type AdmissionLimits } from "./admission.ts";
import { FairQueue, type Waiting } from "./queue.ts";

/** Starts per turn of the loop: each reads a session and builds its state, a thousand at once must not stall it. */
const STARTS_PER_TURN = 8;

/** A run that waits for a place. */
export interface Ticket extends Waiting {
  readonly run: RunId;
}

export interface SchedulerOptions {
  readonly limits: AdmissionLimits;
  readonly clock: Clock;
  /** Runs that hold a place now. */
  busy(): number;
  /** Takes a place at once, in the same turn. */
  begin(ticket: Ticket): void;
}

/** Decides which run starts next, and when. */
export class Scheduler {
  readonly #o: SchedulerOptions;
  readonly #queue = new FairQueue<Ticket>();
  readonly #admission: Admission;
  #state: "holding" | "open" | "stopped" = "open";
  #pumping = false;

  constructor(options: SchedulerOptions) {
    this.#o = options;
    this.#admission = new Admission(options.limits, () => options.clock.monotonic());
  }

  has(session: string): boolean {
    return this.#queue.has(session);
  }
  remove(session: string): void {
    this.#queue.remove(session);
  }

  enqueue(ticket: Ticket): void {
    this.#queue.push(ticket);
    this.pump();
  }

  /** Nothing begins between `hold` and `release`. */
  hold(): void {
    if (this.#state === "open") this.#state = "holding";
  }
  release(): void {
    if (this.#state === "holding") this.#state = "open";
    this.pump();
  }
  /** For good: the daemon is stopping. What waits goes on at the next start. */
  stop(): void {
    this.#state = "stopped";
  }

  pump(): void {
    if (this.#pumping || this.#state !== "open" || this.#queue.size === 0) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      for (let i = 0; i < STARTS_PER_TURN && this.#state === "open"; i++) {
        const busy = this.#o.busy();
        if (busy >= this.#admission.limit(busy).limit) return;
        const ticket = this.#queue.shift();
        if (ticket === undefined) return;
        this.#o.begin(ticket);
      }
      this.pump();
    });
  }

  /** Why runs wait for a place; no reason when none does. */
  admission(): DaemonStatus["admission"] {
    const { limit, by } = this.#admission.limit(this.#o.busy());
    const { size } = this.#queue;
    if (size === 0) return { limit, reason: "" };
    if (this.#state === "stopped") return { limit, reason: `${size} wait: the daemon is stopping` };
    const why = by === "setting" ? `the setting allows ${limit} at once` : `free memory allows ${limit} at once`;
    return { limit, reason: `${size} wait: ${why}` };
  }
}
