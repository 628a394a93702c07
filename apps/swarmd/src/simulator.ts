import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { AppError, type Logger } from "@swarm/std";

/** The model simulator as a supervised child: it dies with the daemon, and is started again when it dies first. */
export interface Simulator extends AsyncDisposable {
  readonly port: number;
  pid(): number | undefined;
}

const START_TIMEOUT_MS = 30_000;
const RESTART_DELAY_MS = 500;

export async function startSimulator(options: {
  command: readonly string[];
  seed: number;
  speed: number;
  scenario: string | undefined;
  logger: Logger;
}): Promise<Simulator> {
  let child: ChildProcess;
  let port = 0;
  let closing = false;

  const launch = async (): Promise<void> => {
    const [file, ...prefix] = options.command as [string, ...string[]];
    const args = [
      "--port",
      String(port),
      "--seed",
      String(options.seed),
      "--speed",
      String(options.speed),
      "--die-with-parent",
      ...(options.scenario === undefined ? [] : ["--scenario", options.scenario]),
    ];
    child = spawn(file, [...prefix, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    child.once("exit", (code, signal) => {
      if (closing) return;
      options.logger.log("warn", "the model simulator ended, starting it again", { code, signal });
      setTimeout(
        () => void launch().catch((error: unknown) => options.logger.log("error", String(error))),
        RESTART_DELAY_MS,
      ).unref();
    });
    port = await readPort(child);
  };
  await launch();
  return {
    get port() {
      return port;
    },
    pid: () => child.pid,
    async [Symbol.asyncDispose]() {
      closing = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      child.stdin?.end();
      await gone;
    },
  };
}

async function readPort(child: ChildProcess): Promise<number> {
  const lines = createInterface({ input: child.stdout! });
  const line = await Promise.race([
    once(lines, "line").then(([text]) => String(text)),
    once(child, "exit").then(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, START_TIMEOUT_MS, undefined).unref()),
  ]);
  const port = line === undefined ? undefined : (JSON.parse(line) as { port?: number }).port;
  if (port === undefined)
    throw new AppError("provider_unavailable", "The model simulator did not start: its words are in the log above");
  lines.close();
  child.stdout!.resume();
  return port;
}
