import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";

/** Who listens on a loopback port, from /proc: `pid 123 (node)`; undefined when it cannot be seen. */
export function portOwner(port: number): string | undefined {
  const inodes = new Set<string>();
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of tryRead(table).split("\n").slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hex}`) && fields[3] === "0A") inodes.add(fields[9]!);
    }
  }
  if (inodes.size === 0) return undefined;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`)) {
        const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
        if (inode !== undefined && inodes.has(inode)) return `pid ${pid} (${tryRead(`/proc/${pid}/comm`).trim()})`;
      }
    } catch {
      // another user's process, or just gone
    }
  }
  return undefined;
}

/** The next port above that can be listened on and is not `kept` for something else; undefined when the next hundred are taken. */
export async function nextFreePort(port: number, host: string, kept: readonly number[]): Promise<number | undefined> {
  for (let candidate = port + 1; candidate < Math.min(port + 100, 65_536); candidate++) {
    if (kept.includes(candidate)) continue;
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once("error", () => resolve(false));
      probe.listen(candidate, host, () => probe.close(() => resolve(true)));
    });
    if (free) return candidate;
  }
  return undefined;
}

function tryRead(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
