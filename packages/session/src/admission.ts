import { readFileSync } from "node:fs";

/** What a running session may come to hold: 0.5 MiB was measured, with room for long histories. */
export const SESSION_MIB = 1.5;
/** Left to the rest of the machine. */
const RESERVE_MIB = 512;
/** Reading the kernel's figures costs some 50 µs: not for each start. */
const READ_EVERY_MS = 2_000;

export interface AdmissionLimits {
  /** A person's own limit. None: memory decides. */
  readonly maxConcurrent?: number;
  /** Memory that running sessions may use together. None: what the machine has available. */
  readonly memoryMib?: number;
}

/** How many sessions may run at once, and why not more: memory, or the limit a person set. Never below 1. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #now: () => number;
  readonly #available: () => number;
  #readAt = -Infinity;
  #byMachine = 0;

  constructor(limits: AdmissionLimits, now: () => number, available: () => number = availableMib) {
    this.#limits = limits;
    this.#now = now;
    this.#available = available;
  }

  /** `running`: sessions that hold their memory already. */
  limit(running: number): { readonly limit: number; readonly by: "memory" | "setting" } {
    const now = this.#now();
    if (now - this.#readAt >= READ_EVERY_MS) {
      this.#readAt = now;
      // counted from the running ones at the time of the reading: those started since are not admitted twice
      this.#byMachine = running + Math.floor(Math.max(0, this.#available() - RESERVE_MIB) / SESSION_MIB);
    }
    const { maxConcurrent, memoryMib } = this.#limits;
    const byBudget = memoryMib === undefined ? Infinity : Math.floor(memoryMib / SESSION_MIB);
    const byMemory = Math.max(1, Math.min(this.#byMachine, byBudget));
    if (maxConcurrent !== undefined && maxConcurrent <= byMemory) return { limit: maxConcurrent, by: "setting" };
    return { limit: byMemory, by: "memory" };
  }
}

/** Of the machine, or of the daemon's control group where that leaves less. */
export function availableMib(): number {
  return Math.min(machineMib(), ...CGROUPS.map(cgroupMib));
}

const CGROUPS = [
  { max: "/sys/fs/cgroup/memory.max", used: "/sys/fs/cgroup/memory.current" },
  { max: "/sys/fs/cgroup/memory/memory.limit_in_bytes", used: "/sys/fs/cgroup/memory/memory.usage_in_bytes" },
] as const;

function machineMib(): number {
  try {
    return Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return Infinity;
  }
}

function cgroupMib(files: { readonly max: string; readonly used: string }): number {
  try {
    const max = Number(readFileSync(files.max, "utf8")); // "max": no number, no limit
    return Number.isNaN(max) ? Infinity : (max - Number(readFileSync(files.used, "utf8"))) / 1048576;
  } catch {
    return Infinity;
  }
}
