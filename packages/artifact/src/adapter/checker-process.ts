import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { CheckReport } from "@swarm/protocol";
import type { Checker, CheckJob, CheckResult } from "@swarm/protocol/ports";
import { errorMessage, Mailbox, type Logger } from "@swarm/std";

/** The checker ends when nothing was asked this long. */
const IDLE_MS = 60_000;
/** One check, its wait in the queue and its retries included: a hundred cards at one in three seconds, with room. */
const CHECK_TIMEOUT_MS = 600_000;
const WATCH_MS = 1_000;
/** A checker that answers pings and then is silent this long while something waits hangs. A page's budget is not part of it. */
const SILENT_MS = 10_000;
/** A check whose process died is tried again, alone; when each try ends so, the document is at fault. */
const ATTEMPTS = 3;
const LEAVE_MS = 3_000;

export interface CheckerProcessOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly logger: Logger;
  /** Resident memory of the checker itself above which it is ended and started anew. */
  readonly memoryMib: number;
  readonly idleMs?: number;
  readonly silentMs?: number;
}

type Answer =
  | {
      readonly type: "result";
      readonly report: CheckReport;
      readonly stills: readonly { timeMs: number; width: number; height: number; png: string }[];
    }
  | { readonly type: "ability"; readonly runtime: boolean; readonly reason: string }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "pong" };

/** One life of the checker and what waits for its answers. */
interface Life {
  readonly child: ChildProcess;
  readonly waiting: Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>;
  /** When the ping was sent that has no answer of any sort yet. */
  pingedAt: number | undefined;
  /** Why it was killed, when it was. */
  why: string | undefined;
}

/**
 * The gate's process from the daemon's side: JSON lines over stdio. Started on first need, ended when idle, started
 * anew when it dies, hangs or grows. It ends with the daemon: its stdin closes.
 */
export class CheckerProcess implements Checker, AsyncDisposable {
  readonly #o: CheckerProcessOptions;
  #life: Life | undefined;
  readonly #leaving = new Set<Promise<void>>();
  /** After a death every check that was under way is tried again one by one, and new ones wait: it shows who kills. */
  readonly #alone = new Mailbox();
  #next = 1;
  #idle: NodeJS.Timeout | undefined;
  readonly #watch: NodeJS.Timeout;
  #ability: { readonly runtime: boolean; readonly reason: string } | undefined;
  #closed = false;
  /** This sort of checker answers pings; one may hang before its first. */
  #pongs = false;

  constructor(options: CheckerProcessOptions) {
    this.#o = options;
    this.#watch = setInterval(() => this.#look(), WATCH_MS);
    this.#watch.unref();
  }

  /** The processes that run now, the checker itself only; its browser is below it. */
  pids(): number[] {
    return this.#life?.child.pid === undefined ? [] : [this.#life.child.pid];
  }

  async ability(): Promise<{ readonly runtime: boolean; readonly reason: string }> {
    if (this.#ability !== undefined) return this.#ability;
    try {
      const answer = await this.#ask({ type: "ability" }, AbortSignal.timeout(CHECK_TIMEOUT_MS));
      if (answer.type === "ability") this.#ability = { runtime: answer.runtime, reason: answer.reason };
    } catch (error) {
      return { runtime: false, reason: errorMessage(error) };
    }
    return this.#ability ?? { runtime: false, reason: "the checker did not say" };
  }

  /**
   * Rejects only when `signal` aborts; everything else is a report: `not_run` with the reason when the gate is at fault,
   * rejected when this document alone ends the checker each time.
   */
  async check(job: CheckJob, signal: AbortSignal): Promise<CheckResult> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
    let trouble = "";
    let deaths = 0;
    for (let attempt = 1; attempt <= ATTEMPTS && !limit.aborted; attempt++) {
      try {
        const answer = await (deaths > 0
          ? this.#alone.post(() => this.#askProven(job, limit))
          : this.#askCalm(job, limit));
        if (answer.type === "result")
          return {
            report: answer.report,
            stills: answer.stills.map((s) => ({ ...s, png: Buffer.from(s.png, "base64") })),
          };
        trouble = answer.type === "failed" ? answer.message : "the checker answered out of turn";
      } catch (error) {
        trouble = errorMessage(error);
        if (error instanceof CheckerDied) deaths++;
      }
      signal.throwIfAborted();
      this.#o.logger.log("warn", `the checker failed: ${trouble}`);
    }
    signal.throwIfAborted();
    return { report: deaths === ATTEMPTS ? blamed(job, trouble) : notRun(job, trouble), stills: [] };
  }

  /** Waits until nothing is being tried alone. */
  async #askCalm(job: CheckJob, signal: AbortSignal): Promise<Answer> {
    while (this.#alone.depth > 0) await this.#alone.post(() => {});
    return this.#ask({ type: "check", ...job }, signal);
  }

  /** A checker that has just answered works: when it dies of this job, it is because of this job. */
  async #askProven(job: CheckJob, signal: AbortSignal): Promise<Answer> {
    await this.#ask({ type: "ping" }, signal).catch((error: unknown) => {
      throw new Error(errorMessage(error));
    });
    return this.#ask({ type: "check", ...job }, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    clearTimeout(this.#idle);
    this.#leave();
    await Promise.all(this.#leaving);
  }

  #ask(message: object, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    if (this.#closed) throw new Error("the checker is closed");
    const life = this.#live();
    const id = this.#next++;
    clearTimeout(this.#idle);
    return new Promise<Answer>((resolve, reject) => {
      const done = (): void => {
        life.waiting.delete(id);
        signal.removeEventListener("abort", onAbort);
        if (life === this.#life && life.waiting.size === 0)
          this.#idle = setTimeout(() => this.#leave(), this.#o.idleMs ?? IDLE_MS).unref();
      };
      const onAbort = (): void => {
        done();
        send(life, { id, type: "cancel" });
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      life.waiting.set(id, {
        resolve: (answer) => {
          done();
          resolve(answer);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      send(life, { id, ...message });
    });
  }

  #live(): Life {
    if (this.#life !== undefined) return this.#life;
    const [file, ...args] = this.#o.command as [string, ...string[]];
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"] });
    const life: Life = { child, waiting: new Map(), pingedAt: undefined, why: undefined };
    this.#life = life;
    child.stdin.on("error", () => {}); // a dead process is seen by its exit
    createInterface({ input: child.stdout }).on("line", (line) => this.#line(life, line));
    createInterface({ input: child.stderr }).on("line", (line) => this.#o.logger.log("info", line));
    const ended = (how: string | Error): void => {
      if (this.#life === life) this.#life = undefined;
      for (const waiting of [...life.waiting.values()])
        waiting.reject(how instanceof Error ? how : new CheckerDied(`the checker process ended (${life.why ?? how})`));
    };
    child.once("error", ended);
    child.once("exit", (code, signal) => ended(signal ?? `code ${code}`));
    return life;
  }

  #line(life: Life, line: string): void {
    life.pingedAt = undefined;
    let message: { id?: number } & Answer;
    try {
      message = JSON.parse(line) as typeof message;
    } catch {
      this.#o.logger.log("warn", `the checker said something that is no answer: ${line.slice(0, 200)}`);
      return;
    }
    if (message.type === "pong") this.#pongs = true;
    if (message.id !== undefined) life.waiting.get(message.id)?.resolve(message);
  }

  /** No new order goes to this life: its stdin closes, it ends its browser and then itself. */
  #leave(): void {
    const life = this.#life;
    this.#life = undefined;
    if (
      life === undefined ||
      life.child.pid === undefined ||
      life.child.exitCode !== null ||
      life.child.signalCode !== null
    )
      return;
    const gone = once(life.child, "exit").then(() => clearTimeout(force));
    const force = setTimeout(() => life.child.kill("SIGKILL"), LEAVE_MS);
    life.child.stdin?.end();
    this.#leaving.add(gone);
    void gone.finally(() => this.#leaving.delete(gone));
  }

  #look(): void {
    const life = this.#life;
    if (life?.child.pid === undefined) return;
    const memoryMib = residentMib(life.child.pid);
    if (memoryMib !== undefined && memoryMib > this.#o.memoryMib)
      return this.#kill(life, `it held ${Math.round(memoryMib)} MiB, more than ${this.#o.memoryMib}`);
    if (life.waiting.size === 0) return;
    const silentMs = this.#o.silentMs ?? SILENT_MS;
    if (life.pingedAt === undefined) {
      life.pingedAt = performance.now();
      send(life, { id: 0, type: "ping" });
    } else if (this.#pongs && performance.now() - life.pingedAt > silentMs)
      this.#kill(life, `it was silent for ${silentMs} ms`);
  }

  #kill(life: Life, why: string): void {
    life.why = why;
    this.#o.logger.log("warn", `the checker is started anew: ${why}`);
    life.child.kill("SIGKILL");
  }
}

class CheckerDied extends Error {
  override readonly name = "CheckerDied";
}

function send(life: Life, message: object): void {
  if (life.child.stdin?.writable === true) life.child.stdin.write(`${JSON.stringify(message)}\n`);
}

function residentMib(pid: number): number | undefined {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096) / 1048576;
  } catch {
    return undefined; // just gone, or a system without /proc
  }
}

function notRun(job: CheckJob, reason: string): CheckReport {
  const stages = job.stages.map((stage) => ({
    stage,
    verdict: "not_run" as const,
    reason,
    findings: [],
    durationMs: 0,
  }));
  return {
    sha256: "",
    stages,
    verdict: "rejected",
    summary: `The gate could not run: ${reason}. The revision is kept; publish it again later.`,
    passed: 0,
    failed: 0,
    notRun: stages.length,
  };
}

/** The document ends a working checker each time it is alone in it: the parser's stack, or its memory. */
function blamed(job: CheckJob, reason: string): CheckReport {
  const message = `this document alone ended the checker ${ATTEMPTS - 1} times: ${reason}`;
  const fix = "make the document flatter and smaller: less nesting in markup and scripts, less embedded data";
  const stage = {
    stage: "static" as const,
    verdict: "failed" as const,
    findings: [{ check: "checker", ok: false, message, fix }],
    durationMs: 0,
  };
  const rest = job.stages
    .filter((name) => name !== "static")
    .map((name) => ({
      stage: name,
      verdict: "not_run" as const,
      reason: "the static stage failed",
      findings: [],
      durationMs: 0,
    }));
  return {
    sha256: "",
    stages: [stage, ...rest],
    verdict: "rejected",
    summary: `checker: ${message}. Fix: ${fix}.`,
    passed: 0,
    failed: 1,
    notRun: rest.length,
  };
}

export function createCheckerProcess(options: CheckerProcessOptions): CheckerProcess {
  return new CheckerProcess(options);
}
