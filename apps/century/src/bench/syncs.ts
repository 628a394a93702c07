import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Syncs as the kernel sees them: `strace` counts fsync and fdatasync of the process. It slows only those calls, but
 * it is a load of its own, so it runs in a pass of its own. undefined where strace is missing.
 */
export async function countSyncs(pid: number): Promise<(() => Promise<number>) | undefined> {
  if (spawnSync("strace", ["-V"]).status !== 0) return undefined;
  const dir = mkdtempSync(join(tmpdir(), "swarm-syncs-"));
  const file = join(dir, "trace");
  const tracer: ChildProcess = spawn(
    "strace",
    ["-f", "--seccomp-bpf", "-q", "-e", "trace=fsync,fdatasync", "-o", file, "-p", String(pid)],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  await new Promise((resolve) => setTimeout(resolve, 500));
  return async () => {
    const gone = once(tracer, "exit");
    tracer.kill("SIGINT");
    await gone;
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    rmSync(dir, { recursive: true, force: true });
    return text.split("\n").filter((l) => /\bf(data)?sync\(/.test(l)).length;
  };
}
