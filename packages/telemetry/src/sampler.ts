/** Door for clients that observe other processes: readings from /proc and the 500 ms sampler. */
import { readProcess, readPssKb, type ProcessReading } from "./process-reading.ts";

export { descendants, readProcess, readPssKb, TICKS_PER_S, type ProcessReading } from "./process-reading.ts";

/** One class of processes at one instant: sums over its processes. */
export interface Sample {
  /** Milliseconds since the sampler started. */
  readonly atMs: number;
  /** `daemon`, `checker`, `browser`, `simulator` … */
  readonly group: string;
  readonly processes: number;
  readonly rssKb: number;
  /** Largest VmHWM among them for one process, sum of current peaks otherwise. */
  readonly hwmKb: number;
  readonly sizeKb: number;
  readonly threads: number;
  readonly utimeTicks: number;
  readonly stimeTicks: number;
  readonly switches: number;
  readonly majorFaults: number;
  readonly openFiles: number | null;
  readonly writtenBytes: number | null;
  /** Blank between its own, slower readings. */
  readonly pssKb: number | null;
}

export interface Target {
  readonly group: string;
  readonly pids: readonly number[];
}

export const SAMPLE_INTERVAL_MS = 500;
/** PSS costs 5 ms and the target's memory lock: every 5 s and at each new peak of 5 %. */
const PSS_INTERVAL_MS = 5000;
const PSS_PEAK_STEP = 1.05;

/** Samples every `intervalMs` until disposed. CPU of processes that ended stays counted in their group. */
export class Sampler implements Disposable {
  readonly samples: Sample[] = [];
  readonly #targets: () => readonly Target[];
  readonly #timer: NodeJS.Timeout;
  readonly #started = performance.now();
  readonly #ended = new Map<string, { last: Map<number, ProcessReading>; utime: number; stime: number }>();
  readonly #pss = new Map<string, { at: number; peakKb: number }>();

  constructor(targets: () => readonly Target[], intervalMs: number = SAMPLE_INTERVAL_MS) {
    this.#targets = targets;
    this.#timer = setInterval(() => this.sample(), intervalMs);
    this.sample();
  }

  sample(): void {
    const atMs = Math.round(performance.now() - this.#started);
    for (const { group, pids } of this.#targets()) {
      const readings = pids.map(readProcess).filter((r) => r !== undefined);
      const gone = this.#countEnded(group, readings);
      if (readings.length === 0 && gone.utime + gone.stime === 0) continue;
      const rssKb = sum(readings, (r) => r.rssKb);
      this.samples.push({
        atMs,
        group,
        processes: readings.length,
        rssKb,
        hwmKb: sum(readings, (r) => r.hwmKb),
        sizeKb: sum(readings, (r) => r.sizeKb),
        threads: sum(readings, (r) => r.threads),
        utimeTicks: sum(readings, (r) => r.utimeTicks) + gone.utime,
        stimeTicks: sum(readings, (r) => r.stimeTicks) + gone.stime,
        switches: sum(readings, (r) => r.voluntarySwitches + r.involuntarySwitches),
        majorFaults: sum(readings, (r) => r.majorFaults),
        openFiles: sumOrNull(readings, (r) => r.openFiles),
        writtenBytes: sumOrNull(readings, (r) => r.writtenBytes),
        pssKb: this.#pssOf(group, pids, atMs, rssKb),
      });
    }
  }

  #countEnded(group: string, readings: readonly ProcessReading[]): { utime: number; stime: number } {
    const state = this.#ended.get(group) ?? { last: new Map<number, ProcessReading>(), utime: 0, stime: 0 };
    this.#ended.set(group, state);
    const alive = new Set(readings.map((r) => r.pid));
    for (const [pid, last] of state.last) {
      if (alive.has(pid)) continue;
      state.utime += last.utimeTicks;
      state.stime += last.stimeTicks;
      state.last.delete(pid);
    }
    for (const reading of readings) state.last.set(reading.pid, reading);
    return state;
  }

  #pssOf(group: string, pids: readonly number[], atMs: number, rssKb: number): number | null {
    const state = this.#pss.get(group) ?? { at: -PSS_INTERVAL_MS, peakKb: 0 };
    this.#pss.set(group, state);
    if (atMs - state.at < PSS_INTERVAL_MS && rssKb < state.peakKb * PSS_PEAK_STEP) return null;
    state.at = atMs;
    state.peakKb = Math.max(state.peakKb, rssKb);
    const readings = pids.map(readPssKb).filter((v) => v !== null);
    return readings.length === 0 ? null : readings.reduce((a, b) => a + b, 0);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

function sum(readings: readonly ProcessReading[], of: (r: ProcessReading) => number): number {
  return readings.reduce((total, r) => total + of(r), 0);
}

function sumOrNull(readings: readonly ProcessReading[], of: (r: ProcessReading) => number | null): number | null {
  const values = readings.map(of).filter((v) => v !== null);
  return values.length === 0 ? null : values.reduce((a, b) => a + b, 0);
}
