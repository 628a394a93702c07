import type { LanguageModel, ModelRequest, StreamPart } from "@swarm/protocol/ports";
import type { Failure, WaitKind } from "./failure.ts";
import { Exchange } from "./http/exchange.ts";
import { costOf } from "./prices/cost.ts";
import { RetryBudget } from "./retry/budget.ts";
import { ownDelayMs, type Gate } from "./retry/gate.ts";
import type { ProviderRoute, Shared } from "./route.ts";
import { estimatedUsage } from "./usage.ts";
import type { WireFinish } from "./wires/wire.ts";

/**
 * A model behind a route. `stream` is the only place that retries:
 *
 *   admit (gate, place) ─▶ attempt ─▶ parts … ─▶ finish
 *      ▲                     │ failed before the first part, worth it, within the budget
 *      └────── wait ◀────────┘                   failed otherwise ─▶ error
 */
export class RoutedModel implements LanguageModel {
  readonly id: string;
  readonly #name: string;
  readonly #route: ProviderRoute;
  readonly #shared: Shared;
  readonly #gate: Gate;

  constructor(route: ProviderRoute, name: string, shared: Shared) {
    this.id = `${route.config.name}/${name}`;
    this.#name = name;
    this.#route = route;
    this.#shared = shared;
    this.#gate = route.gate(name, shared);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly StreamPart[], void, undefined> {
    const { stats, clock, retry } = this.#shared;
    stats.requests++;
    const budget = new RetryBudget(clock, retry);
    try {
      for (;;) {
        const admitted = yield* this.#admit(signal);
        if (typeof admitted !== "function") return yield [this.#error(admitted, budget)];
        const release = admitted;
        const epoch = this.#gate.epoch;
        stats.attempts++;
        stats.open++;
        let exchange: Exchange | undefined;
        let last: readonly StreamPart[] | undefined;
        let failure: Failure | undefined;
        try {
          exchange = this.#open(request, signal);
          let started = false;
          while (last === undefined && failure === undefined) {
            await exchange.ready();
            if (!started && exchange.decoder.started) {
              started = true;
              this.#gate.succeeded(epoch);
              exchange.batch.prepend({ type: "response-start", model: exchange.decoder.model || this.#name });
            }
            const { ended } = exchange;
            if (ended === undefined) yield exchange.take();
            else if ("finish" in ended) last = [...exchange.take(), this.#finish(exchange, ended.finish)];
            else if (started) last = [...exchange.take(), this.#error(ended.failure, budget)];
            else failure = ended.failure;
          }
        } finally {
          exchange?.close();
          stats.open--;
          release();
        }
        // The socket and the place are free before the last part is handed over.
        if (failure === undefined) return yield last!;
        const again = this.#afterFailure(failure, epoch, budget);
        if (again === undefined) return yield [this.#error(failure, budget)];
        stats.retries++;
        if (again > 0) yield* this.#wait(failure.wait, this.#say(failure), again, signal);
      }
    } catch (error) {
      if (signal.aborted) stats.aborted++;
      throw error;
    }
  }

  /**
   * Waits for the gate and a place. The place is free while a request waits. A wall longer than the retry budget, which
   * another request ran into, is answered as that failure.
   */
  async *#admit(signal: AbortSignal): AsyncGenerator<readonly StreamPart[], (() => void) | Failure, undefined> {
    signal.throwIfAborted();
    for (;;) {
      for (let delay = this.#gate.delayMs(); delay > 0; delay = this.#gate.delayMs()) {
        const why = this.#gate.why!;
        const left = this.#gate.leftMs;
        if (left > this.#shared.retry.overloadMs) return { ...why, waitMs: left };
        yield* this.#wait(why.wait, this.#say(why), delay, signal);
      }
      if (this.#route.full)
        yield [
          {
            type: "waiting",
            reason: "concurrency",
            detail: `${this.#route.config.concurrency} streams at once to ${this.#route.config.name}`,
            untilMs: 0,
          },
        ];
      const release = await this.#place(signal);
      if (!this.#gate.blocked) return release;
      release();
    }
  }

  async #place(signal: AbortSignal): Promise<() => void> {
    this.#shared.stats.waiting++;
    try {
      return await this.#route.acquire(signal);
    } finally {
      this.#shared.stats.waiting--;
    }
  }

  async *#wait(
    reason: WaitKind,
    detail: string,
    ms: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StreamPart[], void, undefined> {
    const { clock, stats, sleep } = this.#shared;
    yield [{ type: "waiting", reason, detail, untilMs: clock.now() + ms }];
    stats.waiting++;
    try {
      await sleep(ms, signal);
    } finally {
      stats.waiting--;
    }
  }

  #open(request: ModelRequest, signal: AbortSignal): Exchange {
    const { transport, clock, random } = this.#shared;
    const { wire, base, key, config, limits, dialect } = this.#route;
    const { path, body } = wire.request(this.#name, request, dialect);
    return new Exchange({
      transport,
      url: new URL(base + path),
      headers: { ...config.headers, ...wire.headers(key) },
      body,
      decoder: (batch) => wire.decoder(batch, () => `call_${randomSigns(random)}`),
      clock,
      limits,
      signal,
    });
  }

  /** Milliseconds of this request's own wait, 0 when only the gate's counts; undefined: give up. */
  #afterFailure(failure: Failure, epoch: number, budget: RetryBudget): number | undefined {
    if (failure.status === 400 && this.#route.dialect.streamOptions && failure.message.includes("stream_options")) {
      this.#route.dialect = { ...this.#route.dialect, streamOptions: false };
      return 0;
    }
    if (budget.freshSocket(failure)) return 0;
    const allowed = budget.allows(failure);
    if (failure.retry === "shared") this.#gate.failed(epoch, failure);
    if (!allowed) return undefined;
    this.#shared.logger.log("debug", "model request failed, will retry", {
      model: this.id,
      failure: this.#say(failure),
      failures: budget.failures,
    });
    return failure.retry === "shared" ? 0 : ownDelayMs(failure, budget.failures - 1, this.#shared.random);
  }

  #finish(exchange: Exchange, finish: WireFinish): StreamPart {
    this.#shared.stats.finished++;
    const { config } = this.#route;
    const model = exchange.decoder.model || this.#name;
    const usage = finish.usage ?? estimatedUsage(exchange.requestBytes, exchange.batch.outputUnits);
    if (usage.estimated) this.#shared.stats.estimatedUsages++;
    const cost = costOf(usage, {
      provider: config.name,
      models: [this.#name, model],
      pricedAs: config.pricedAs,
      simulated: config.simulated ?? false,
      at: this.#shared.clock.now(),
    });
    return {
      type: "finish",
      reason: finish.reason,
      raw: finish.raw,
      usage,
      cost,
      model,
      ...(finish.signature === undefined ? {} : { signature: finish.signature }),
    };
  }

  #error(failure: Failure, budget: RetryBudget): StreamPart {
    this.#shared.stats.error(failure.code);
    const tries = budget.failures > 1 ? ` (after ${budget.failures} attempts)` : "";
    const asked = failure.waitMs === undefined ? "" : `; it asks to wait ${Math.ceil(failure.waitMs / 1000)} s`;
    return {
      type: "error",
      code: failure.code,
      message: `${this.#say(failure)}${asked}${tries}`,
      ...(failure.status === undefined ? {} : { status: failure.status }),
    };
  }

  #say(failure: Failure): string {
    const status = failure.status === undefined ? "" : ` answered ${failure.status}`;
    return this.#route.scrub(`${this.id}${status}: ${failure.message}`);
  }
}

/** Twelve signs: 60 bits, enough to be unique in any history. */
function randomSigns(random: () => number): string {
  let signs = "";
  while (signs.length < 12) signs += Math.floor(random() * 36).toString(36);
  return signs;
}
