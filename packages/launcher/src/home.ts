import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Data directory: `$SWARM_HOME`, else `$XDG_STATE_HOME/swarm`, else `~/.local/state/swarm`. */
export function resolveHome(env: NodeJS.ProcessEnv = process.env): string {
  if (env["SWARM_HOME"]) return resolve(env["SWARM_HOME"]);
  const state = env["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
  return join(state, "swarm");
}

/** What a running daemon writes beside its journal, so that clients find it. */
export interface RunFile {
  readonly pid: number;
  /** Start time of the process in clock ticks since boot: tells a reused pid from the daemon. */
  readonly startTicks: number;
  readonly version: string;
  readonly api: string;
  readonly desktop: string;
  readonly artifacts: string;
}

export function runFilePath(home: string): string {
  return join(home, "run.json");
}

export function tokenPath(home: string): string {
  return join(home, "token");
}

export function logPath(home: string): string {
  return join(home, "logs", "swarmd.log");
}

/** The daemon that holds this data directory, if it lives. A file left by a dead one, or a reused pid, is nobody. */
export function findRunning(home: string): RunFile | undefined {
  let file: RunFile;
  try {
    file = JSON.parse(readFileSync(runFilePath(home), "utf8")) as RunFile;
  } catch {
    return undefined;
  }
  return startTicksOf(file.pid) === file.startTicks ? file : undefined;
}

/** undefined when no such process lives. */
export function startTicksOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}

export function readToken(home: string): string | undefined {
  try {
    return readFileSync(tokenPath(home), "utf8").trim();
  } catch {
    return undefined;
  }
}
