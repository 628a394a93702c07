import type { SessionSummary } from "@swarm/protocol";

export interface Gauge {
  readonly sessions: number;
  readonly queued: number;
  readonly running: number;
  readonly waiting: number;
  readonly delivered: number;
  readonly failed: number;
  readonly costNano: number;
  readonly tokens: number;
}

export function gauge(all: Iterable<SessionSummary>): Gauge {
  const g = { sessions: 0, queued: 0, running: 0, waiting: 0, delivered: 0, failed: 0, costNano: 0, tokens: 0 };
  for (const s of all) {
    g.sessions++;
    g.costNano += s.totals.costNano;
    g.tokens += s.totals.input + s.totals.output;
    if (s.phase === "ended") g[s.state === "delivered" ? "delivered" : "failed"]++;
    else if (s.phase === "queued" || s.phase === "idle") g.queued++;
    else if (s.phase === "waiting") g.waiting++;
    else g.running++;
  }
  return g;
}

const BAR = 28;

/** One line: a bar of delivered and failed over all, then what the rest does. */
export function progressLine(g: Gauge, total: number, elapsedS: number, extra: string): string {
  const done = Math.round((BAR * g.delivered) / total);
  const bad = Math.round((BAR * g.failed) / total);
  const bar = "█".repeat(done) + "x".repeat(bad) + "·".repeat(Math.max(0, BAR - done - bad));
  const parts = [`${g.delivered}/${total} delivered`];
  if (g.failed > 0) parts.push(`${g.failed} failed`);
  if (g.running > 0) parts.push(`${g.running} running`);
  if (g.waiting > 0) parts.push(`${g.waiting} waiting`);
  if (g.queued > 0) parts.push(`${g.queued} in line`);
  return `${bar} ${parts.join(", ")}, ${elapsedS.toFixed(0)} s${extra}`;
}

/** Redraws one line on a terminal; elsewhere prints a line at most every ten seconds and at the end. */
export class ProgressPrinter {
  #lastAt = -Infinity;
  #last = "";
  show(line: string, final = false): void {
    if (process.stderr.isTTY) {
      process.stderr.write(`\r\u001b[2K${line}${final ? "\n" : ""}`);
      return;
    }
    const now = performance.now();
    if (!final && (now - this.#lastAt < 10_000 || line === this.#last)) return;
    this.#lastAt = now;
    this.#last = line;
    process.stderr.write(`${line}\n`);
  }
}
