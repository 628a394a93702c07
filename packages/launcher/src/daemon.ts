import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError, errorMessage, sleep } from "@swarm/std";
import { findRunning, logPath, startTicksOf, type RunFile } from "./home.ts";

/** How long a daemon may take before it is called dead although its process lives: a slow disk is not a failure. */
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 50;
const SAY_AFTER_MS = 3_000;
const LOG_MAX_BYTES = 10 * 1024 * 1024;
const LOG_TAIL_LINES = 8;

/** Node flags of the daemon: a small young generation saves 20 MiB and costs nothing measurable. */
const NODE_FLAGS = ["--max-semi-space-size=4", "--disable-warning=ExperimentalWarning"];

/** Node, its flags and the daemon's bundle of the folder that Swarm was installed in. */
export function daemonCommand(root: string): readonly string[] {
  return [process.execPath, ...NODE_FLAGS, join(root, "dist", "swarmd.mjs")];
}

export interface StartOptions {
  readonly home: string;
  /** Node, its flags and the daemon's file. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly say?: (line: string) => void;
  readonly timeoutMs?: number;
}

/**
 * Starts the daemon of a data directory, or finds the one that lives: twenty callers at once get the same one.
 * Follows a slow start; a daemon that dies is reported with its last log lines.
 */
export async function ensureDaemon(options: StartOptions): Promise<{ daemon: RunFile; started: boolean }> {
  const { home } = options;
  const living = findRunning(home);
  if (living !== undefined && (await answers(living))) return { daemon: living, started: false };
  const log = openLog(home);
  const [file, ...prefix] = options.command as [string, ...string[]];
  const child = spawn(file, [...prefix, "--home", home, ...options.args], {
    detached: true,
    stdio: ["ignore", log, log],
    env: options.env ?? process.env,
  });
  closeSync(log);
  const failed = new Promise<string>((resolve) => child.once("error", (error) => resolve(error.message)));
  let exit: string | undefined;
  child.once("exit", (code, signal) => (exit = signal ?? `code ${code}`));
  void failed.then((message) => (exit = message));
  child.unref();
  const daemon = await waitReady(options, () => exit);
  return { daemon, started: daemon.pid === child.pid };
}

async function waitReady(options: StartOptions, exited: () => string | undefined): Promise<RunFile> {
  const started = performance.now();
  const timeoutMs = options.timeoutMs ?? READY_TIMEOUT_MS;
  let said = 0;
  let exitedAt: number | undefined;
  for (;;) {
    const running = findRunning(options.home);
    if (running !== undefined && (await answers(running))) return running;
    const waited = performance.now() - started;
    if (exited() !== undefined) {
      exitedAt ??= waited;
      // a second starter ends when it loses the race for the directory: give the winner its time
      const lostRace = logTail(options.home).some((line) => line.includes("data_dir_locked"));
      if (!lostRace || waited - exitedAt > 5_000) throw died(options.home, exited()!);
    }
    if (waited > timeoutMs) {
      throw new AppError(
        "daemon_slow",
        `The daemon has not answered for ${Math.round(waited / 1000)} s but its process lives. Its log: ${logPath(options.home)}`,
      );
    }
    if (waited > SAY_AFTER_MS * (said + 1)) {
      said++;
      options.say?.(`the daemon is starting, ${Math.round(waited / 1000)} s so far (log: ${logPath(options.home)})`);
    }
    await sleep(POLL_MS);
  }
}

function died(home: string, how: string): AppError {
  const tail = logTail(home);
  const message = tail.findLast((line) => line.startsWith("swarmd: "))?.slice("swarmd: ".length);
  return new AppError(
    "daemon_died",
    message ??
      `The daemon ended at once (${how}). Last lines of ${logPath(home)}:\n${tail.map((l) => `  ${l}`).join("\n")}`,
  );
}

function logTail(home: string): string[] {
  try {
    return readFileSync(logPath(home), "utf8").trimEnd().split("\n").slice(-LOG_TAIL_LINES);
  } catch {
    return [];
  }
}

function openLog(home: string): number {
  const path = logPath(home);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (existsSync(path) && statSync(path).size > LOG_MAX_BYTES) renameSync(path, `${path}.1`);
    return openSync(path, "a", 0o600);
  } catch (error) {
    throw new AppError(
      "data_dir_unwritable",
      `The data directory ${home} cannot be written: ${errorMessage(error)}. Make it writable or set SWARM_HOME.`,
      { cause: error },
    );
  }
}

/** Whether the daemon's API answers its health check within two seconds. */
export async function answers(daemon: RunFile): Promise<boolean> {
  try {
    const response = await fetch(`${daemon.api}/ready`, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Asks the daemon to drain and end; resolves when its process is gone. Kills it only when it does not end in time. */
export async function stopDaemon(home: string, timeoutMs = 15_000): Promise<"stopped" | "killed" | "none"> {
  const running = findRunning(home);
  if (running === undefined) return "none";
  process.kill(running.pid, "SIGTERM");
  const until = performance.now() + timeoutMs;
  // the process, not the run file: that one goes first
  while (startTicksOf(running.pid) === running.startTicks) {
    if (performance.now() > until) {
      process.kill(running.pid, "SIGKILL");
      return "killed";
    }
    await sleep(POLL_MS);
  }
  return "stopped";
}
