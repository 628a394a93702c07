import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Who owns a data directory. The engine's own kernel lock decides (one holder, gone with its process); this file
 * names the holder and covers the moments in which it closes and opens its store again. It is written only while
 * the kernel lock is held. A pid alone proves nothing: pids come back, so the start time goes with it.
 */
export interface LockOwner {
  readonly pid: number;
  /** Boot and start time of the process; null where the system does not tell. */
  readonly start: string | null;
  readonly nonce: string;
}

const FILE = "lock";
/** Nonces of locks that this process holds: its own pid in a lock file it does not hold is stale. */
const held = new Set<string>();

/** The owner named by the lock file; undefined when there is none that can be read. */
export async function readLock(home: string): Promise<LockOwner | undefined> {
  try {
    const owner = JSON.parse(await readFile(join(home, FILE), "utf8")) as Partial<LockOwner>;
    return typeof owner.pid === "number" && typeof owner.nonce === "string"
      ? { pid: owner.pid, start: owner.start ?? null, nonce: owner.nonce }
      : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(owner: LockOwner): boolean {
  if (owner.pid === process.pid) return held.has(owner.nonce);
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as { code?: string }).code !== "EPERM") return false;
  }
  const start = startOf(owner.pid);
  return start === undefined ? false : owner.start === null || start === null || start === owner.start;
}

/** Writes the lock file, whole or not at all, and answers its release. */
export async function writeLock(home: string): Promise<() => Promise<void>> {
  const owner: LockOwner = {
    pid: process.pid,
    start: startOf(process.pid) ?? null,
    nonce: randomBytes(12).toString("hex"),
  };
  const temporary = join(home, `${FILE}.${owner.nonce}`);
  await writeFile(temporary, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  await rename(temporary, join(home, FILE));
  held.add(owner.nonce);
  return async () => {
    if ((await readLock(home))?.nonce === owner.nonce) await rm(join(home, FILE), { force: true });
    held.delete(owner.nonce);
  };
}

/** Null: the system does not tell. Undefined: the process is gone (or a zombie, which holds nothing). */
function startOf(pid: number): string | null | undefined {
  if (process.platform !== "linux") return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name may hold anything, blanks and brackets too: fields are counted from the last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}:${fields[19]}`;
  } catch (error) {
    return (error as { code?: string }).code === "ENOENT" ? undefined : null;
  }
}
