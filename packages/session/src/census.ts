import { addTotals, ZERO_TOTALS, type DaemonStatus, type ErrorClass, type SessionSummary, type Totals } from "@swarm/protocol";

type Bucket = "queued" | "running" | "waiting" | "ended";

/** Maintained counters over all sessions: a health answer never scans them. */
export class Census {
  readonly #buckets: Record<Bucket, number> = { queued: 0, running: 0, waiting: 0, ended: 0 };
  #total = 0;
  #totals: Totals = ZERO_TOTALS;
  readonly #errors = new Map<ErrorClass, number>();

  add(summary: SessionSummary): void {
    this.#total++;
    this.#shift(summary, 1);
  }

  change(before: SessionSummary, after: SessionSummary): void {
    this.#shift(before, -1);
    this.#shift(after, 1);
  }

  #shift(s: SessionSummary, sign: 1 | -1): void {
    const bucket = bucketOf(s);
    if (bucket !== undefined) this.#buckets[bucket] += sign;
    const t = s.totals;
    this.#totals = addTotals(this.#totals, { requests: sign * t.requests, input: sign * t.input, cached: sign * t.cached, output: sign * t.output, reasoning: sign * t.reasoning, costNano: sign * t.costNano, simulated: t.simulated });
    for (const [name, count] of Object.entries(s.errors) as [ErrorClass, number][]) this.#errors.set(name, (this.#errors.get(name) ?? 0) + sign * count);
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
}

function bucketOf(s: SessionSummary): Bucket | undefined {
  switch (s.phase) {
    case "queued":
      return "queued";
    case "leased":
    case "running":
      return "running";
    case "waiting":
      return "waiting";
    case "ended":
      return "ended";
    case "idle":
      return undefined;
  }
}
