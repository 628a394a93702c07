/** A promise with its resolver outside. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T | PromiseLike<T>) => void;
  reject!: (reason: unknown) => void;
  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** Waits, or rejects with the signal's reason. The timer never keeps the process alive by itself. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * At most `limit` holders at once, first come first served. `acquire` resolves with the release
 * function; an aborted wait leaves the queue.
 */
export class Semaphore {
  #free: number;
  readonly #queue: { grant: () => void }[] = [];
  constructor(limit: number) {
    this.#free = limit;
  }
  get waiting(): number {
    return this.#queue.length;
  }
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else {
      await new Promise<void>((resolve, reject) => {
        const entry = {
          grant: () => {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        const onAbort = (): void => {
          const at = this.#queue.indexOf(entry);
          if (at >= 0) this.#queue.splice(at, 1);
          reject(signal?.reason as Error);
        };
        this.#queue.push(entry);
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#queue.shift();
      if (next) next.grant();
      else this.#free++;
    };
  }
}

/** Runs tasks one after another; a failed task does not stop the next. The mailbox of an actor. */
export class Mailbox {
  #tail: Promise<unknown> = Promise.resolve();
  #depth = 0;
  get depth(): number {
    return this.#depth;
  }
  post<T>(task: () => T | Promise<T>): Promise<T> {
    this.#depth++;
    const run = this.#tail.then(task);
    this.#tail = run.then(
      () => this.#depth--,
      () => this.#depth--,
    );
    return run;
  }
}

/** Full jitter: uniform in (0, min(cap, base × 2^attempt)], never zero. `random` in [0,1). Milliseconds. */
export function backoffMs(attempt: number, baseMs: number, capMs: number, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.max(1, Math.ceil(ceiling * (1 - random())));
}
