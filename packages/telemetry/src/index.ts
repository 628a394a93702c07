/**
 * telemetry: how the product measures itself: the kernel sampler and the runtime gauge. Refuses to know what a
 * session is; the numbers of other parts come through their own counters.
 */
export { RuntimeGauge } from "./runtime-gauge.ts";
export { descendants, readProcess, type ProcessReading } from "./process-reading.ts";
export { Sampler, type Sample, type Target } from "./sampler.ts";
