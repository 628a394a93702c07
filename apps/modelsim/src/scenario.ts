/** A scenario: timing, cache, rates and wire faults from one JSON file. Everything has a default. */
import { readFileSync } from "node:fs";
import { AppError, isObject } from "@swarm/std";
import { BUILT_IN_TEMPERAMENTS, parseRates, type Temperament } from "./decide/temperament.ts";
import { textOr } from "./request.ts";

export interface Timing {
  /** Median of the log-normal time to first event, ms, and its sigma. */
  readonly ttftMedianMs: number;
  readonly ttftSigma: number;
  readonly tokensPerSecond: number;
  /** Gap between events varies by ± this share. */
  readonly jitter: number;
}

export type Fault =
  | {
      readonly type: "status";
      readonly status: number;
      readonly retryAfter?: string;
      readonly quota?: boolean;
      readonly message?: string;
    }
  | {
      readonly type: "reset" | "stall" | "no_terminal" | "error_in_200" | "garbage_frame";
      readonly afterEvents: number;
    }
  | { readonly type: "refuse_connection" };

/** Which requests a rule hits. All named conditions must hold; ordinals start at 1 after start or reset. */
export interface FaultRule {
  readonly model?: string;
  readonly from?: number;
  readonly to?: number;
  readonly every?: number;
  /** Share of distinct requests, by hash of the bytes; a retry of the same bytes is hit `times` times (default 1). */
  readonly share?: number;
  readonly times?: number;
  /** Window after start or reset, ms: a wall. */
  readonly afterMs?: number;
  readonly untilMs?: number;
  readonly fault: Fault;
}

export interface Scenario {
  readonly timing: Timing;
  readonly cache: {
    readonly blockTokens: number;
    readonly minTokens: number;
    readonly ttlMs: number;
    readonly readable: "first_token" | "completion";
  };
  readonly temperaments: Readonly<Record<string, Temperament>>;
  readonly faults: readonly FaultRule[];
}

export const DEFAULT_SCENARIO: Scenario = {
  timing: { ttftMedianMs: 210, ttftSigma: 0.35, tokensPerSecond: 120, jitter: 0.3 },
  cache: { blockTokens: 128, minTokens: 1024, ttlMs: 5 * 60_000, readable: "first_token" },
  temperaments: BUILT_IN_TEMPERAMENTS,
  faults: [],
};

function bad(detail: string): never {
  throw new AppError("bad_request", `scenario: ${detail}`, { retry: "after-fix" });
}

function numberAt(from: Record<string, unknown>, name: string, fallback: number, min: number): number {
  const value = from[name];
  if (value === undefined) return fallback;
  if (typeof value !== "number" || !(value >= min)) bad(`${name} must be a number of at least ${min}`);
  return value;
}

function objectAt(from: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = from[name] ?? {};
  if (!isObject(value)) bad(`${name} must be an object`);
  return value;
}

function onlyKnown(where: string, value: Record<string, unknown>, known: readonly string[]): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) bad(`${where} has an unknown member "${key}" (known: ${known.join(", ")})`);
}

function parseFault(value: unknown): Fault {
  if (!isObject(value)) bad("each rule needs a fault object");
  switch (value["type"]) {
    case "status": {
      const status = numberAt(value, "status", 500, 400);
      return {
        type: "status",
        status,
        ...(value["retryAfter"] === undefined ? {} : { retryAfter: textOr(value["retryAfter"], "") }),
        ...(value["quota"] === true ? { quota: true } : {}),
        ...(typeof value["message"] === "string" ? { message: value["message"] } : {}),
      };
    }
    case "reset":
    case "stall":
    case "no_terminal":
    case "error_in_200":
    case "garbage_frame":
      return { type: value["type"], afterEvents: numberAt(value, "afterEvents", 2, 0) };
    case "refuse_connection":
      return { type: "refuse_connection" };
    default:
      return bad(`unknown fault type ${JSON.stringify(value["type"])}`);
  }
}

const RULE_NUMBERS = ["from", "to", "every", "share", "times", "afterMs", "untilMs"] as const;

function parseRule(value: unknown): FaultRule {
  if (!isObject(value)) bad("faults must be a list of rules");
  onlyKnown("a fault rule", value, [...RULE_NUMBERS, "model", "fault"]);
  const numbers: Partial<Record<(typeof RULE_NUMBERS)[number], number>> = {};
  for (const name of RULE_NUMBERS) if (value[name] !== undefined) numbers[name] = numberAt(value, name, 0, 0);
  return {
    ...numbers,
    ...(typeof value["model"] === "string" ? { model: value["model"] } : {}),
    fault: parseFault(value["fault"]),
  };
}

/** Reads a scenario from its parsed JSON; names the member that is wrong. */
export function parseScenario(value: unknown): Scenario {
  if (!isObject(value)) bad("must be a JSON object");
  onlyKnown("the scenario", value, ["timing", "cache", "temperaments", "faults"]);
  const timing = objectAt(value, "timing");
  const cache = objectAt(value, "cache");
  onlyKnown("timing", timing, ["ttftMedianMs", "ttftSigma", "tokensPerSecond", "jitter"]);
  onlyKnown("cache", cache, ["blockTokens", "minTokens", "ttlMs", "readable"]);
  const d = DEFAULT_SCENARIO;
  const readable = cache["readable"] ?? d.cache.readable;
  if (readable !== "first_token" && readable !== "completion")
    bad('cache.readable must be "first_token" or "completion"');
  const faults = value["faults"] ?? [];
  if (!Array.isArray(faults)) bad("faults must be a list of rules");
  const temperaments: Record<string, Temperament> = { ...d.temperaments };
  for (const [name, spec] of Object.entries(objectAt(value, "temperaments"))) {
    const base = isObject(spec) ? temperaments[textOr(spec["base"], "perfect")] : undefined;
    if (!isObject(spec) || base === undefined) bad(`temperaments.${name} must name a known base`);
    temperaments[name] = { kind: base.kind, rates: parseRates(objectAt(spec, "rates"), base.rates) };
  }
  return {
    timing: {
      ttftMedianMs: numberAt(timing, "ttftMedianMs", d.timing.ttftMedianMs, 0),
      ttftSigma: numberAt(timing, "ttftSigma", d.timing.ttftSigma, 0),
      tokensPerSecond: numberAt(timing, "tokensPerSecond", d.timing.tokensPerSecond, 0.01),
      jitter: Math.min(1, numberAt(timing, "jitter", d.timing.jitter, 0)),
    },
    cache: {
      blockTokens: numberAt(cache, "blockTokens", d.cache.blockTokens, 1),
      minTokens: numberAt(cache, "minTokens", d.cache.minTokens, 0),
      ttlMs: numberAt(cache, "ttlMs", d.cache.ttlMs, 0),
      readable,
    },
    temperaments,
    faults: faults.map(parseRule),
  };
}

export function readScenario(file: string): Scenario {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new AppError("bad_request", `scenario: cannot read ${file}`, { retry: "after-fix", cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad_request", `scenario: ${file} is not JSON: ${(cause as Error).message}`, {
      retry: "after-fix",
      cause,
    });
  }
  return parseScenario(value);
}
