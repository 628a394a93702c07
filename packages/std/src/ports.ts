/** The world as ports. Logic takes these; only composition roots and tests choose an implementation. */
export interface Clock {
  /** Wall time, ms since the epoch. For display and records only: never for order or deadlines. */
  now(): number;
  /** Monotonic ms. For deadlines, durations and leases. */
  monotonic(): number;
}

export interface Logger {
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: Record<string, unknown>): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

export const silentLogger: Logger = { log() {} };
