/** Simulated stores for tests: planned faults, and a machine that loses power. Never opened by a product. */
export { FaultyStore, type Fault, type FaultPlan } from "./faulty.ts";
export { VolatileStore } from "./volatile.ts";
