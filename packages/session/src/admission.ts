import { readFileSync } from "node:fs";

/** What one running session may come to hold at most, measured 0.5 MiB, with room for long histories. */
const SESSION_MIB = 1.5;
/** Left to the rest of the machine. */
const RESERVE_MIB = 512;
const READ_EVERY_MS = 2_000;

export interface AdmissionLimits {
  /** A person's own limit. None: memory decides. */
  readonly maxConcurrent?: number;
  /** For tests: available memory instead of the machine's. */
  readonly memoryMib?: number;
}

/** How many sessions may run at once, and why not more: memory, or the limit a person set. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #now: () => number;
  #readAt = -Infinity;
  #available = 0;

  constructor(limits: AdmissionLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** `running`: sessions that hold their memory already. */
  limit(running: number): { readonly limit: number; readonly by: "memory" | "setting" } {
    const free = Math.max(0, this.#availableMib() - RESERVE_MIB);
    const byMemory = Math.max(1, running + Math.floor(free / SESSION_MIB));
    const set = this.#limits.maxConcurrent;
    return set !== undefined && set <= byMemory ? { limit: set, by: "setting" } : { limit: byMemory, by: "memory" };
  }

  #availableMib(): number {
    if (this.#limits.memoryMib !== undefined) return this.#limits.memoryMib;
    const now = this.#now();
    if (now - this.#readAt >= READ_EVERY_MS) {
      this.#readAt = now;
      this.#available = Math.min(machineMib(), cgroupMib());
    }
    return this.#available;
  }
}

function machineMib(): number {
  try {
    return Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** What the daemon's own control group leaves, where there is a limit. */
function cgroupMib(): number {
  try {
    const max = readFileSync("/sys/fs/cgroup/memory.max", "utf8").trim();
    const used = Number(readFileSync("/sys/fs/cgroup/memory.current", "utf8"));
    return max === "max" ? Number.POSITIVE_INFINITY : (Number(max) - used) / 1048576;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
