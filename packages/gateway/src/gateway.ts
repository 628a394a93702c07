import type { ModelInfo } from "@swarm/protocol";
import type { LanguageModel, ModelResolver } from "@swarm/protocol/ports";
import { AppError, sleep, type Clock, type Logger } from "@swarm/std";
import { builtInProviders, type ProviderConfig } from "./config.ts";
import { Transport } from "./http/transport.ts";
import type { RetryPolicy } from "./retry/budget.ts";
import { RoutedModel } from "./model.ts";
import { ProviderRoute, retryPolicy, type Shared } from "./route.ts";
import { StatsKeeper, type GatewayStats } from "./stats.ts";

export interface GatewayOptions {
  /** Added to the built-in ones; the same name replaces one. */
  readonly providers: readonly ProviderConfig[];
  /** Keys, base addresses and proxy variables are read from here, once. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** In [0, 1). */
  random(): number;
  readonly logger: Logger;
  readonly retry?: Partial<RetryPolicy>;
  /** Waits between attempts; tests with their own clock pass their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Gateway extends ModelResolver {
  /** Known models, then `provider/*` for providers that take any name. */
  models(): ModelInfo[];
  stats(): GatewayStats;
  /** Closes idle and busy sockets. Streams still open end as cut. */
  close(): void;
}

/** Throws AppError `bad_request` when a provider's address is no URL. Keys are looked for when a model is resolved. */
export function createGateway(options: GatewayOptions): Gateway {
  const { env, clock, logger } = options;
  const shared: Shared = {
    env,
    clock,
    logger,
    random: () => options.random(),
    sleep: options.sleep ?? sleep,
    transport: new Transport(env),
    stats: new StatsKeeper(),
    retry: retryPolicy(options.retry),
  };
  const routes = new Map<string, ProviderRoute>();
  for (const config of [...builtInProviders(env), ...options.providers])
    routes.set(config.name, openRoute(config, env));
  const models = new Map<string, LanguageModel>();
  return {
    resolve(id) {
      const { route, model } = find(routes, id);
      route.requireKey();
      let resolved = models.get(id);
      if (!resolved) models.set(id, (resolved = new RoutedModel(route, model, shared)));
      return resolved;
    },
    models: () => [...routes.values()].flatMap(infoOf),
    stats: () => shared.stats.snapshot(),
    close: () => shared.transport.close(),
  };
}

function openRoute(config: ProviderConfig, env: GatewayOptions["env"]): ProviderRoute {
  try {
    return new ProviderRoute(config, env);
  } catch (cause) {
    throw new AppError("bad_request", `provider ${config.name}: its address is not a URL`, {
      retry: "after-fix",
      cause,
    });
  }
}

function find(routes: ReadonlyMap<string, ProviderRoute>, id: string): { route: ProviderRoute; model: string } {
  const slash = id.indexOf("/");
  const route = slash > 0 ? routes.get(id.slice(0, slash)) : undefined;
  const model = id.slice(slash + 1);
  if (route === undefined || model === "" || model === "*") {
    throw new AppError(
      "model_unknown",
      `no model "${id.slice(0, 200)}": use provider/model with one of the providers ${[...routes.keys()].join(", ")}`,
      { retry: "after-fix" },
    );
  }
  return { route, model };
}

function infoOf(route: ProviderRoute): ModelInfo[] {
  const { name, simulated, models } = route.config;
  return (models ?? ["*"]).map((model) => ({
    id: `${name}/${model}`,
    provider: name,
    simulated: simulated ?? false,
    available: route.keyMissing === "",
    reason: route.keyMissing,
  }));
}
