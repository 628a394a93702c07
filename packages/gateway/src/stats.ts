/** Counters of one gateway since its start. Every HTTP attempt is counted: retries have one owner, this package. */
export interface GatewayStats {
  readonly requests: number;
  readonly attempts: number;
  readonly retries: number;
  readonly finished: number;
  readonly aborted: number;
  /** `error` parts by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Streams open now. */
  readonly open: number;
  /** Requests waiting now for a limit, an overload or a place. */
  readonly waiting: number;
  readonly estimatedUsages: number;
}

export class StatsKeeper {
  requests = 0;
  attempts = 0;
  retries = 0;
  finished = 0;
  aborted = 0;
  open = 0;
  waiting = 0;
  estimatedUsages = 0;
  readonly errors: Record<string, number> = {};

  error(code: string): void {
    this.errors[code] = (this.errors[code] ?? 0) + 1;
  }

  snapshot(): GatewayStats {
    const { requests, attempts, retries, finished, aborted, open, waiting, estimatedUsages } = this;
    return {
      requests,
      attempts,
      retries,
      finished,
      aborted,
      open,
      waiting,
      estimatedUsages,
      errors: { ...this.errors },
    };
  }
}
