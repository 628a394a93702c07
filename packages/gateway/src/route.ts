import { AppError, Semaphore, type Clock, type Logger } from "@swarm/std";
import type { ProviderConfig } from "./config.ts";
import { STREAM_LIMITS, type StreamLimits } from "./http/exchange.ts";
import type { Env } from "./http/route.ts";
import type { Transport } from "./http/transport.ts";
import { RETRY_POLICY, type RetryPolicy } from "./retry/budget.ts";
import { Gate } from "./retry/gate.ts";
import type { StatsKeeper } from "./stats.ts";
import { chatWire } from "./wires/chat/index.ts";
import { geminiWire } from "./wires/gemini/index.ts";
import type { Dialect, Wire } from "./wires/wire.ts";

/** What all routes of a gateway share. */
export interface Shared {
  readonly env: Env;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly transport: Transport;
  readonly stats: StatsKeeper;
  readonly retry: RetryPolicy;
}

/** A provider at work: its key, its gates (one per model), its places, and what was learnt about its dialect. */
export class ProviderRoute {
  readonly config: ProviderConfig;
  readonly wire: Wire;
  readonly base: string;
  readonly limits: StreamLimits;
  readonly key: string | undefined;
  readonly places: Semaphore | undefined;
  dialect: Dialect;
  /** Places held and waited for. */
  #wanted = 0;
  readonly #gates = new Map<string, Gate>();

  constructor(config: ProviderConfig, env: Env) {
    this.config = config;
    this.wire = config.wire === "gemini" ? geminiWire : chatWire;
    this.base = new URL(config.baseURL).href.replace(/\/+$/, "");
    this.limits = { ...STREAM_LIMITS, ...config.limits };
    this.key = keyNames(config)
      .map((name) => env[name])
      .find((value) => value !== undefined && value !== "");
    this.places = config.concurrency === undefined ? undefined : new Semaphore(config.concurrency);
    this.dialect = { streamOptions: true, openai: config.name === "openai" };
  }

  get keyMissing(): string {
    const names = keyNames(this.config);
    return names.length > 0 && this.key === undefined ? `set ${names.join(" or ")} in the daemon's environment` : "";
  }

  requireKey(): void {
    if (this.keyMissing === "") return;
    throw new AppError("provider_auth", `${this.config.name} needs a key: ${this.keyMissing}`, { retry: "after-fix" });
  }

  gate(model: string, shared: Shared): Gate {
    let gate = this.#gates.get(model);
    if (!gate) this.#gates.set(model, (gate = new Gate(shared.clock, shared.random)));
    return gate;
  }

  /** True when `acquire` would wait. */
  get full(): boolean {
    return this.config.concurrency !== undefined && this.#wanted >= this.config.concurrency;
  }

  async acquire(signal: AbortSignal): Promise<() => void> {
    if (!this.places) return () => {};
    this.#wanted++;
    try {
      const release = await this.places.acquire(signal);
      return () => {
        this.#wanted--;
        release();
      };
    } catch (error) {
      this.#wanted--;
      throw error;
    }
  }

  /** A provider's own words may repeat the key: it never leaves this package. */
  scrub(text: string): string {
    return this.key === undefined || this.key.length < 4 ? text : text.replaceAll(this.key, "[key]");
  }
}

function keyNames(config: ProviderConfig): readonly string[] {
  return config.keyEnv === undefined ? [] : typeof config.keyEnv === "string" ? [config.keyEnv] : config.keyEnv;
}

export function retryPolicy(given: Partial<RetryPolicy> | undefined): RetryPolicy {
  return { ...RETRY_POLICY, ...given };
}
