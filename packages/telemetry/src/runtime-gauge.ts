import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import type { Diagnostics } from "@swarm/protocol";
import { readMemory } from "./process-reading.ts";

/** Loop delay is measured at 1 ms; the histogram holds delays, the timer's own period taken off. */
const RESOLUTION_MS = 1;

/** What the daemon says about its own runtime. Blank where nothing was measured. */
export class RuntimeGauge implements Disposable {
  readonly #loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #gc: PerformanceObserver;
  #gcMaxMs: number | null = null;

  constructor() {
    this.#loop.enable();
    this.#gc = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#gcMaxMs = Math.max(this.#gcMaxMs ?? 0, entry.duration);
    });
    this.#gc.observe({ entryTypes: ["gc"] });
  }

  read(): Diagnostics["runtime"] {
    const own = readMemory(process.pid);
    const delay = (ns: number): number | null =>
      this.#loop.count === 0 ? null : Math.max(0, ns / 1e6 - RESOLUTION_MS);
    return {
      rssMib: own ? own.rssKb / 1024 : process.memoryUsage.rss() / 1048576,
      peakRssMib: own ? own.hwmKb / 1024 : process.resourceUsage().maxRSS / 1024,
      loopDelayP50Ms: delay(this.#loop.percentile(50)),
      loopDelayP99Ms: delay(this.#loop.percentile(99)),
      loopDelayMaxMs: delay(this.#loop.max),
      gcMaxMs: this.#gcMaxMs,
      heapUsedMib: process.memoryUsage().heapUsed / 1048576,
    };
  }

  /** Starts the loop and collector figures anew: a bench calls it between warm-up and load. */
  reset(): void {
    this.#loop.reset();
    this.#gcMaxMs = null;
  }

  [Symbol.dispose](): void {
    this.#loop.disable();
    this.#gc.disconnect();
  }
}
