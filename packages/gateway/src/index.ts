/**
 * gateway: one port, real providers behind it. Writes requests, reads streams, waits out limits, counts tokens and
 * money. Refuses to know: sessions, tools' meaning, storage; and it never lets a key out.
 */
export { builtInProviders, type ProviderConfig } from "./config.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export type { StreamLimits } from "./http/exchange.ts";
export { CATALOGUE, costOf, type CostBasis } from "./prices/cost.ts";
export type { RetryPolicy } from "./retry/budget.ts";
export type { GatewayStats } from "./stats.ts";
