import { readdirSync, readFileSync } from "node:fs";

/** One look at a process, from /proc. Kilobytes are KiB as the kernel prints them; ticks are 1/100 s. */
export interface ProcessReading {
  readonly pid: number;
  readonly rssKb: number;
  readonly hwmKb: number;
  readonly sizeKb: number;
  readonly threads: number;
  readonly utimeTicks: number;
  readonly stimeTicks: number;
  readonly voluntarySwitches: number;
  readonly involuntarySwitches: number;
  readonly minorFaults: number;
  readonly majorFaults: number;
  /** null when not readable (another user's process). */
  readonly openFiles: number | null;
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
}

export const TICKS_PER_S = 100;

/** undefined when the process is gone. Costs about 0.1 ms; touches no lock of the target's memory. */
export function readProcess(pid: number): ProcessReading | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const io = tryRead(`/proc/${pid}/io`);
    return {
      pid,
      rssKb: field(status, "VmRSS"),
      hwmKb: field(status, "VmHWM"),
      sizeKb: field(status, "VmSize"),
      threads: field(status, "Threads"),
      utimeTicks: Number(fields[11]),
      stimeTicks: Number(fields[12]),
      voluntarySwitches: field(status, "voluntary_ctxt_switches"),
      involuntarySwitches: field(status, "nonvoluntary_ctxt_switches"),
      minorFaults: Number(fields[7]),
      majorFaults: Number(fields[9]),
      openFiles: countOpenFiles(pid),
      readBytes: io === undefined ? null : field(io, "read_bytes"),
      writtenBytes: io === undefined ? null : field(io, "write_bytes"),
    };
  } catch {
    return undefined;
  }
}

/** Resident memory now and at its peak, KiB: one file, for what is asked often. undefined when the process is gone. */
export function readMemory(pid: number): { readonly rssKb: number; readonly hwmKb: number } | undefined {
  const status = tryRead(`/proc/${pid}/status`);
  return status === undefined ? undefined : { rssKb: field(status, "VmRSS"), hwmKb: field(status, "VmHWM") };
}

/** Proportional set size in KiB; 5 ms and the target's memory lock, so not at every sample. null when unreadable. */
export function readPssKb(pid: number): number | null {
  const rollup = tryRead(`/proc/${pid}/smaps_rollup`);
  return rollup === undefined ? null : field(rollup, "Pss");
}

/** All living descendants of a process, itself not included. */
export function descendants(pid: number): number[] {
  const found: number[] = [];
  const queue = [pid];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of childrenOf(next)) {
      found.push(child);
      queue.push(child);
    }
  }
  return found;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      (tryRead(`/proc/${pid}/task/${task}/children`) ?? "").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function field(text: string, name: string): number {
  const at = text.startsWith(`${name}:`) ? 0 : text.indexOf(`\n${name}:`) + 1;
  if (at === 0 && !text.startsWith(`${name}:`)) return 0;
  return Number.parseInt(text.slice(at + name.length + 1), 10);
}

function countOpenFiles(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
