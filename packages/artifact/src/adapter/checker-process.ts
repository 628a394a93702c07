import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { CheckReport } from "@swarm/protocol";
import type { Checker, CheckJob, CheckResult } from "@swarm/protocol/ports";
import { errorMessage, type Logger } from "@swarm/std";

/** The checker ends when nothing was asked this long. */
const IDLE_MS = 60_000;
/** One job, its wait in the queue included: a hundred cards at one a second, with room. */
const JOB_TIMEOUT_MS = 170_000;
const WATCH_MS = 2_000;
/** A job whose process died is tried once more on a new one. */
const ATTEMPTS = 2;

export interface CheckerProcessOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly logger: Logger;
  /** Resident memory of the checker itself above which it is ended and started anew. */
  readonly memoryMib: number;
  readonly idleMs?: number;
}

type Answer = { readonly type: "result"; readonly report: CheckReport; readonly stills: readonly { timeMs: number; width: number; height: number; png: string }[] } | { readonly type: "ability"; readonly runtime: boolean; readonly reason: string } | { readonly type: "failed"; readonly message: string };

/**
 * The gate's process from the daemon's side: JSON lines over stdio. Started on first need, ended when idle, started
 * anew when it dies. It ends with the daemon: its stdin closes.
 */
export class CheckerProcess implements Checker, AsyncDisposable {
  readonly #o: CheckerProcessOptions;
  #child: ChildProcess | undefined;
  #next = 1;
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #idle: NodeJS.Timeout | undefined;
  readonly #watch: NodeJS.Timeout;
  #ability: { readonly runtime: boolean; readonly reason: string } | undefined;

  constructor(options: CheckerProcessOptions) {
    this.#o = options;
    this.#watch = setInterval(() => this.#watchMemory(), WATCH_MS);
    this.#watch.unref();
  }

  /** The processes that run now, the checker itself only; its browser is below it. */
  pids(): number[] {
    return this.#child?.pid === undefined ? [] : [this.#child.pid];
  }

  async ability(): Promise<{ readonly runtime: boolean; readonly reason: string }> {
    if (this.#ability !== undefined) return this.#ability;
    try {
      const answer = await this.#ask({ type: "ability" }, AbortSignal.timeout(JOB_TIMEOUT_MS));
      if (answer.type === "ability") this.#ability = { runtime: answer.runtime, reason: answer.reason };
    } catch (error) {
      return { runtime: false, reason: errorMessage(error) };
    }
    return this.#ability ?? { runtime: false, reason: "the checker did not say" };
  }

  async check(job: CheckJob, signal: AbortSignal): Promise<CheckResult> {
    let trouble = "";
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        const answer = await this.#ask({ type: "check", ...job }, AbortSignal.any([signal, AbortSignal.timeout(JOB_TIMEOUT_MS)]));
        if (answer.type === "result") return { report: answer.report, stills: answer.stills.map((s) => ({ ...s, png: Buffer.from(s.png, "base64") })) };
        trouble = answer.type === "failed" ? answer.message : "the checker answered out of turn";
      } catch (error) {
        signal.throwIfAborted();
        trouble = errorMessage(error);
      }
      this.#o.logger.log("warn", `the checker failed: ${trouble}`);
    }
    return { report: notRun(job, trouble), stills: [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch);
    clearTimeout(this.#idle);
    const child = this.#child;
    if (child === undefined) return;
    const gone = once(child, "exit");
    child.stdin?.end();
    const force = setTimeout(() => child.kill("SIGKILL"), 3_000);
    await gone;
    clearTimeout(force);
  }

  #ask(message: object, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const child = this.#process();
    const id = this.#next++;
    clearTimeout(this.#idle);
    return new Promise<Answer>((resolve, reject) => {
      const done = (): void => {
        this.#waiting.delete(id);
        signal.removeEventListener("abort", onAbort);
        if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.#child?.stdin?.end(), this.#o.idleMs ?? IDLE_MS).unref();
      };
      const onAbort = (): void => {
        done();
        child.stdin?.write(`${JSON.stringify({ id, type: "cancel" })}\n`);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.set(id, {
        resolve: (answer) => {
          done();
          resolve(answer);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      child.stdin?.write(`${JSON.stringify({ id, ...message })}\n`);
    });
  }

  #process(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const [file, ...args] = this.#o.command as [string, ...string[]];
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    child.stdin.on("error", () => {}); // a dead process is seen by its exit
    createInterface({ input: child.stdout }).on("line", (line) => this.#line(line));
    const ended = (how: string): void => {
      if (this.#child === child) this.#child = undefined;
      for (const waiting of [...this.#waiting.values()]) waiting.reject(new Error(`the checker process ended (${how})`));
    };
    child.once("error", (error) => ended(error.message));
    child.once("exit", (code, signal) => ended(signal ?? `code ${code}`));
    return child;
  }

  #line(line: string): void {
    let message: { id?: number } & Answer;
    try {
      message = JSON.parse(line) as typeof message;
    } catch {
      this.#o.logger.log("warn", `the checker said something that is no answer: ${line.slice(0, 200)}`);
      return;
    }
    if (message.id !== undefined) this.#waiting.get(message.id)?.resolve(message);
  }

  #watchMemory(): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
      if ((pages * 4096) / 1048576 > this.#o.memoryMib) {
        this.#o.logger.log("warn", `the checker holds more than ${this.#o.memoryMib} MiB and is started anew`);
        this.#child?.kill("SIGKILL");
      }
    } catch {
      // just gone: its exit is handled where it is seen
    }
  }
}

function notRun(job: CheckJob, reason: string): CheckReport {
  const stages = job.stages.map((stage) => ({ stage, verdict: "not_run" as const, reason, findings: [], durationMs: 0 }));
  return { sha256: "", stages, verdict: "rejected", summary: `The gate could not run: ${reason}. The revision is kept; publish it again later.`, passed: 0, failed: 0, notRun: stages.length };
}

export function createCheckerProcess(options: CheckerProcessOptions): CheckerProcess {
  return new CheckerProcess(options);
}
