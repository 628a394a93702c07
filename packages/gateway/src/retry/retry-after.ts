import type { IncomingHttpHeaders } from "node:http";
import { isObject } from "@swarm/std";

/**
 * What a provider asks to wait, ms; undefined when it says nothing sensible. In order: `retry-after-ms`, `Retry-After`
 * in seconds, `Retry-After` as a date (against the answer's own `Date`, so that a wrong clock here does not matter),
 * Gemini's RetryInfo in the error's details.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, error: unknown, nowMs: number): number | undefined {
  return positive(numberOf(headers["retry-after-ms"])) ?? headerMs(headers, nowMs) ?? retryInfoMs(error);
}

function headerMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^-?[\d.]+$/.test(value)) return positive(Number(value) * 1000);
  const until = Date.parse(value);
  if (Number.isNaN(until) || !/[a-z]/i.test(value)) return undefined;
  const theirs = Date.parse(headers.date ?? "");
  return positive(until - (Number.isNaN(theirs) ? nowMs : theirs));
}

function retryInfoMs(error: unknown): number | undefined {
  if (!isObject(error) || !Array.isArray(error["details"])) return undefined;
  for (const detail of error["details"] as unknown[]) {
    if (!isObject(detail) || typeof detail["retryDelay"] !== "string") continue;
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(detail["retryDelay"])?.[1];
    if (seconds !== undefined) return positive(Number(seconds) * 1000);
  }
  return undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "string" && /^\s*-?[\d.]+\s*$/.test(value) ? Number(value) : undefined;
}

function positive(ms: number | undefined): number | undefined {
  return ms !== undefined && ms > 0 && Number.isFinite(ms) ? Math.ceil(ms) : undefined;
}
