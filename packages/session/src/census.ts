import {
  addTotals,
  ZERO_TOTALS,
  type DaemonStatus,
  type ErrorClass,
  type SessionSummary,
  type Totals,
} from "@swarm/protocol";
import { unreachable } from "@swarm/std";

type Bucket = "queued" | "running" | "waiting" | "ended";

/** Maintained counters over all sessions: a health answer never scans them (K-16). */
export class Census {
  readonly #buckets: Record<Bucket, number> = { queued: 0, running: 0, waiting: 0, ended: 0 };
  readonly #errors = new Map<ErrorClass, number>();
  #total = 0;
  #totals: Totals = ZERO_TOTALS;

  add(summary: SessionSummary): void {
    this.#total++;
    this.#shift(summary, 1);
    this.#totals = addTotals(this.#totals, summary.totals);
    this.#countErrors(summary.errors, 1);
  }

  /** `before` and `after` share what did not change: most records cost two comparisons. */
  change(before: SessionSummary, after: SessionSummary): void {
    if (before.phase !== after.phase) {
      this.#shift(before, -1);
      this.#shift(after, 1);
    }
    if (before.totals !== after.totals) this.#totals = addTotals(this.#totals, difference(after.totals, before.totals));
    if (before.errors !== after.errors) {
      this.#countErrors(before.errors, -1);
      this.#countErrors(after.errors, 1);
    }
  }

  counts(): DaemonStatus["sessions"] {
    return { total: this.#total, ...this.#buckets };
  }
  totals(): Totals {
    return this.#totals;
  }
  errors(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#errors);
  }

  #shift(summary: SessionSummary, by: 1 | -1): void {
    const bucket = bucketOf(summary);
    if (bucket !== undefined) this.#buckets[bucket] += by;
  }

  #countErrors(errors: SessionSummary["errors"], sign: 1 | -1): void {
    for (const [name, count] of Object.entries(errors) as [ErrorClass, number][]) {
      this.#errors.set(name, (this.#errors.get(name) ?? 0) + sign * count);
    }
  }
}

function difference(a: Totals, b: Totals): Totals {
  return {
    requests: a.requests - b.requests,
    input: a.input - b.input,
    cached: a.cached - b.cached,
    output: a.output - b.output,
    reasoning: a.reasoning - b.reasoning,
    costNano: a.costNano - b.costNano,
    simulated: a.simulated,
  };
}

function bucketOf({ phase }: SessionSummary): Bucket | undefined {
  switch (phase) {
    case "leased":
    case "running":
      return "running";
    case "queued":
    case "waiting":
    case "ended":
      return phase;
    case "idle":
      return undefined;
    default:
      return unreachable(phase);
  }
}
