import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";

/** A helper process that answers one JSON line per command line. Ends with its stdin. */
export class LineProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines: Interface = createInterface({ input: this.child.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.child.pid!;
  }

  async next<T>(): Promise<T> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`${this.child.spawnargs.slice(2, 4).join(" ")} ended early`);
    return JSON.parse(value) as T;
  }

  ask<T>(command: string): Promise<T> {
    this.child.stdin!.write(`${command}\n`);
    return this.next<T>();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "exit");
    this.child.stdin!.end();
    this.child.kill("SIGTERM");
    await gone;
  }
}
