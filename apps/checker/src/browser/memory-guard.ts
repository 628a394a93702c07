import { readdirSync, readFileSync } from "node:fs";

/** A card needs some 60 MiB; buffers and canvases lie outside the script engine's own limit. */
const RENDERER_MIB_MAX = 768;
const LOOK_MS = 250;
const PAGE_BYTES = 4096;

/** Ends renderers of this process's browser that grow without end, while it is watched. Linux only; elsewhere it sees nothing. */
export function guardMemory(say: (text: string) => void): Disposable {
  const timer = setInterval(() => {
    for (const pid of descendants(process.pid)) {
      const resident = residentMib(pid);
      if (resident <= RENDERER_MIB_MAX || !isRenderer(pid)) continue;
      say(`a page of ${resident} MiB is ended`);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // it ended by itself
      }
    }
  }, LOOK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function descendants(pid: number): number[] {
  const found: number[] = [];
  for (const task of attempt(() => readdirSync(`/proc/${pid}/task`)) ?? []) {
    const line = attempt(() => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")) ?? "";
    for (const word of line.split(" ")) if (word.trim() !== "") found.push(Number(word), ...descendants(Number(word)));
  }
  return found;
}

function residentMib(pid: number): number {
  const pages = attempt(() => readFileSync(`/proc/${pid}/statm`, "utf8"))?.split(" ")[1];
  return Math.round((Number(pages ?? 0) * PAGE_BYTES) / 1024 / 1024);
}

function isRenderer(pid: number): boolean {
  return attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.includes("--type=renderer") ?? false;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
