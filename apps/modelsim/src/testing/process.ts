/** The simulator as a real process, for tests. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface SimProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly port: number;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export async function spawnSim(args: readonly string[] = []): Promise<SimProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "..", "main.ts"), "--port", "0", ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, "line"),
    once(child, "exit").then(() => Promise.reject(new Error("the simulator ended before it was ready"))),
  ])) as [string];
  const ready = JSON.parse(line) as { ready: boolean; port: number };
  const kill = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  return { child, port: ready.port, kill, [Symbol.asyncDispose]: () => kill() };
}
