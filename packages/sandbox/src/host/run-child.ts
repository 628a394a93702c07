import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { CappedOutput, type Output } from "../capped-output.ts";

/** Ends a child when the thread that started it ends, however that happens. */
const SETPRIV = "/usr/bin/setpriv";

export interface ChildOptions {
  readonly command: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  readonly timeoutMs: number;
  /** Of stdout and of stderr each; the middle is left out. */
  readonly outputMaxBytes: number;
  readonly signal?: AbortSignal;
}

export type ChildResult = {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly durationMs: number;
} & (
  | { readonly end: "exited"; readonly code: number }
  | { readonly end: "killed"; readonly by: string }
  | { readonly end: "timeout" }
  | { readonly end: "aborted" }
  | { readonly end: "not_started"; readonly reason: string }
);

/**
 * Runs a program to its end in a process group of its own. Time-out and abort kill the whole group; it also ends with
 * this process. Never rejects: how it ended is the result.
 */
export async function runChild(o: ChildOptions): Promise<ChildResult> {
  const start = performance.now();
  const stdout = new CappedOutput(o.outputMaxBytes);
  const stderr = new CappedOutput(o.outputMaxBytes);
  const result = <E extends object>(end: E) => ({
    ...end,
    stdout: stdout.read(),
    stderr: stderr.read(),
    durationMs: performance.now() - start,
  });
  if (o.signal?.aborted === true) return result({ end: "aborted" as const });
  const [file, ...args] = withDeathSignal(o.command);
  const child = spawn(file!, args, { cwd: o.cwd, env: o.env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  let early: "timeout" | "aborted" | undefined;
  const stop = (why: "timeout" | "aborted"): void => {
    early ??= why;
    killGroup(child);
  };
  const timer = setTimeout(stop, o.timeoutMs, "timeout");
  const onAbort = (): void => stop("aborted");
  o.signal?.addEventListener("abort", onAbort, { once: true });
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on("error", () => {}); // a program need not read its input
  child.stdin.end(o.input ?? "");
  try {
    const end = await ended(child);
    if (end.end === "not_started") return result(end);
    return result(early === undefined ? end : { end: early });
  } finally {
    clearTimeout(timer);
    o.signal?.removeEventListener("abort", onAbort);
  }
}

/** Puts a parent-death signal before a command where the machine can. */
export function withDeathSignal(command: readonly string[]): string[] {
  return existsSync(SETPRIV) ? [SETPRIV, "--pdeathsig", "KILL", "--", ...command] : [...command];
}

/** Kills a child started with `detached` and everything in its group; a group that is gone is fine. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // ended by itself
  }
}

/** The program's own end, not that of its pipes: a background child may hold them open for ever. */
function ended(
  child: ChildProcess,
): Promise<{ end: "exited"; code: number } | { end: "killed"; by: string } | { end: "not_started"; reason: string }> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ end: "not_started", reason: error.message }));
    child.once("exit", (code, signal) => {
      // what was written before the end is still in the pipes
      const done = (): void =>
        resolve(signal === null ? { end: "exited", code: code ?? 0 } : { end: "killed", by: signal });
      child.once("close", done);
      setTimeout(done, PIPE_GRACE_MS).unref();
      killGroup(child); // what it left in the background
    });
  });
}

/** How long the pipes are read after the program has ended. */
const PIPE_GRACE_MS = 1_000;
