import type { IncomingHttpHeaders } from "node:http";
import { cleanText, errnoCode, errorMessage, isObject } from "@swarm/std";
import type { Failure } from "../failure.ts";
import { retryAfterMs } from "./retry-after.ts";

/** A server that answers nonsense, or breaks inside, is asked again a few times only: time alone does not cure it. */
const ODD_ATTEMPTS = 3;
const BROKEN_ATTEMPTS = 8;
const MESSAGE_MAX = 500;

/** Words that providers use in place of a status, in `error.status`, `error.type` or `error.code`. */
const STATUS_OF_WORD: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  CANCELLED: 499,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
  invalid_request_error: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  not_found_error: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_error: 500,
  api_error: 500,
  overloaded_error: 529,
  overloaded: 529,
};

/** Money or a day's allowance is used up: waiting minutes does not help. */
const QUOTA_WORDS = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
  "insufficient_credits",
  "quota_exceeded",
]);

/** An answer that is not 200. `body` is at most its first 64 KiB. */
export function classifyStatus(status: number, headers: IncomingHttpHeaders, body: string, nowMs: number): Failure {
  const parsed = errorOf(body);
  const failure = decide(status, parsed, messageOf(parsed) ?? snippet(body), retryAfterMs(headers, parsed, nowMs));
  // The OpenAI family says outright when another attempt is pointless.
  return headers["x-should-retry"] === "false" && failure.code !== "provider_auth"
    ? { ...failure, retry: "never" }
    : failure;
}

/** An error object inside a stream that began with 200: the same meaning as the status it stands for. */
export function classifyError(error: unknown): Failure {
  const words = isObject(error) ? [error["code"], error["status"], error["type"]] : [];
  const number = words.map(Number).find((n) => Number.isInteger(n) && n >= 400 && n < 600);
  const word = words.find((w): w is string => typeof w === "string" && w in STATUS_OF_WORD);
  const status = number ?? (word === undefined ? 500 : STATUS_OF_WORD[word]!);
  return decide(
    status,
    error,
    messageOf(error) ?? snippet(typeof error === "string" ? error : JSON.stringify(error)),
    retryAfterMs({}, error, 0),
  );
}

export function garbageFrame(data: string): Failure {
  return odd(`sent an event that is not a JSON object: ${snippet(data)}`);
}

export function cutStream(detail: string): Failure {
  return {
    code: "provider_unavailable",
    message: `the answer was cut: ${detail}`,
    retry: "own",
    wait: "network",
    attemptsMax: BROKEN_ATTEMPTS,
  };
}

export function wrongContentType(type: string | undefined, body: string): Failure {
  const error = errorOf(body);
  if (isObject(error) && messageOf(error) !== undefined) return classifyError(error);
  return odd(`answered ${type ?? "without a content type"} instead of an event stream: ${snippet(body)}`);
}

export function timedOut(message: string): Failure {
  return { code: "provider_unavailable", message, retry: "own", wait: "network", attemptsMax: ODD_ATTEMPTS };
}

/** `reused`: the socket had served before, and the server may have closed it while it was idle. */
export function classifyNetwork(error: unknown, reused: boolean): Failure {
  const code = errnoCode(error) ?? "";
  const message = `${errorMessage(error)}${code === "" || errorMessage(error).includes(code) ? "" : ` (${code})`}`;
  const refused =
    code === "ECONNREFUSED" ||
    code === "ENOTFOUND" ||
    code === "EAI_AGAIN" ||
    code === "EHOSTUNREACH" ||
    code === "ENETUNREACH";
  const retry = isCertificate(error) ? "never" : reused ? "now" : refused ? "shared" : "own";
  return { code: "provider_unavailable", message: message || "the connection failed", retry, wait: "network" };
}

export function odd(message: string): Failure {
  return { code: "provider_unavailable", message, retry: "own", wait: "network", attemptsMax: ODD_ATTEMPTS };
}

function decide(status: number, error: unknown, message: string, waitMs: number | undefined): Failure {
  const base = {
    status,
    message: message === "" ? "without a reason" : message,
    ...(waitMs === undefined ? {} : { waitMs }),
  };
  if (status === 402 || isQuota(error)) return { ...base, code: "provider_quota", retry: "never", wait: "rate_limit" };
  if (status === 401 || status === 403) return { ...base, code: "provider_auth", retry: "never", wait: "network" };
  if (status === 429) return { ...base, code: "provider_rate_limited", retry: "shared", wait: "rate_limit" };
  if (status === 503 || status === 529)
    return { ...base, code: "provider_unavailable", retry: "shared", wait: "overloaded" };
  if (status === 408 || status === 409 || status === 425 || status >= 500) {
    return { ...base, code: "provider_unavailable", retry: "own", wait: "overloaded", attemptsMax: BROKEN_ATTEMPTS };
  }
  return { ...base, code: "provider_refused", retry: "never", wait: "network" };
}

function isQuota(error: unknown): boolean {
  if (!isObject(error)) return false;
  if ([error["code"], error["type"]].some((word) => typeof word === "string" && QUOTA_WORDS.has(word))) return true;
  const details: unknown[] = Array.isArray(error["details"]) ? error["details"] : [];
  return details.some((detail) => {
    const violations: unknown[] = isObject(detail) && Array.isArray(detail["violations"]) ? detail["violations"] : [];
    // Gemini names its limits, e.g. `GenerateRequestsPerDayPerProjectPerModel-FreeTier`; a value of 0: no access at all.
    return violations.some((v) => isObject(v) && (/PerDay/i.test(String(v["quotaId"])) || v["quotaValue"] === "0"));
  });
}

function isCertificate(error: unknown): boolean {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/.test(code);
}

/** The error object of a JSON body: `{error}`, `[{error}]`, or the body itself when it has a message. */
function errorOf(body: string): unknown {
  try {
    let value: unknown = JSON.parse(body);
    if (Array.isArray(value)) value = value[0];
    return isObject(value) && value["error"] !== undefined ? value["error"] : value;
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string | undefined {
  if (typeof error === "string" && error !== "") return snippet(error);
  if (!isObject(error) || typeof error["message"] !== "string" || error["message"] === "") return undefined;
  return snippet(error["message"]);
}

function snippet(text: string | undefined): string {
  const plain = cleanText(text ?? "")
    .replace(/\s+/g, " ")
    .trim();
  return plain.length <= MESSAGE_MAX ? plain : `${cleanText(plain.slice(0, MESSAGE_MAX))}…`;
}
