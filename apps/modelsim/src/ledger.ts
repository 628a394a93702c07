/** What the simulator saw: counts and a bounded log of requests, for tests and benchmarks to assert on. */
export interface LogEntry {
  readonly n: number;
  /** ms since start or reset, monotonic. */
  readonly atMs: number;
  readonly wire: "gemini" | "chat";
  readonly model: string;
  readonly bytes: number;
  /** Hash of the whole body, and of tools + system alone. */
  readonly hash: string;
  readonly prefixHash: string;
  readonly inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  status: number;
  fault: string | undefined;
  firstTokenAtMs: number | undefined;
  endedAtMs: number | undefined;
  outcome: "open" | "complete" | "cut" | "client_gone" | "refused";
}

const LOG_MAX = 20_000;

export interface Stats {
  readonly open: number;
  readonly maxOpen: number;
  readonly requests: number;
  readonly byModel: Readonly<Record<string, number>>;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly faults: number;
}

export class Ledger {
  #entries: LogEntry[] = [];
  #open = 0;
  #maxOpen = 0;
  #requests = 0;
  #faults = 0;
  #input = 0;
  #cached = 0;
  #output = 0;
  #byModel: Record<string, number> = {};
  #hits = new Map<string, number>();

  get requests(): number {
    return this.#requests;
  }

  /** A request arrived: its ordinal, starting at 1. */
  begin(
    entry: Omit<
      LogEntry,
      "n" | "cachedTokens" | "outputTokens" | "status" | "fault" | "firstTokenAtMs" | "endedAtMs" | "outcome"
    >,
  ): LogEntry {
    this.#requests++;
    this.#byModel[entry.model] = (this.#byModel[entry.model] ?? 0) + 1;
    this.#open++;
    this.#maxOpen = Math.max(this.#maxOpen, this.#open);
    this.#input += entry.inputTokens;
    const full: LogEntry = {
      ...entry,
      n: this.#requests,
      cachedTokens: 0,
      outputTokens: 0,
      status: 200,
      fault: undefined,
      firstTokenAtMs: undefined,
      endedAtMs: undefined,
      outcome: "open",
    };
    this.#entries.push(full);
    if (this.#entries.length > LOG_MAX) this.#entries.splice(0, LOG_MAX / 10);
    return full;
  }

  fault(entry: LogEntry, name: string, status: number): void {
    this.#faults++;
    entry.fault = name;
    entry.status = status;
  }

  usage(entry: LogEntry, cached: number, output: number): void {
    entry.cachedTokens = cached;
    entry.outputTokens = output;
    this.#cached += cached;
    this.#output += output;
  }

  end(entry: LogEntry, outcome: LogEntry["outcome"], atMs: number): void {
    if (entry.outcome !== "open") return;
    entry.outcome = outcome;
    entry.endedAtMs = atMs;
    this.#open--;
  }

  /** How often this rule already struck these bytes; counts the present time. */
  strike(rule: number, hash: string): number {
    const key = `${rule}:${hash}`;
    const before = this.#hits.get(key) ?? 0;
    this.#hits.set(key, before + 1);
    return before;
  }

  after(n: number, limit: number): readonly LogEntry[] {
    return this.#entries.filter((e) => e.n > n).slice(0, limit);
  }

  stats(): Stats {
    return {
      open: this.#open,
      maxOpen: this.#maxOpen,
      requests: this.#requests,
      byModel: { ...this.#byModel },
      inputTokens: this.#input,
      cachedTokens: this.#cached,
      outputTokens: this.#output,
      faults: this.#faults,
    };
  }

  /** Counts start again; responses still open stay counted as open. */
  reset(): void {
    this.#entries = [];
    this.#hits.clear();
    this.#byModel = {};
    this.#maxOpen = this.#open;
    this.#requests = this.#faults = this.#input = this.#cached = this.#output = 0;
  }
}
