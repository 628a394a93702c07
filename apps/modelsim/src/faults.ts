/** Which wire fault strikes a request, and how each wire words an error. */
import { unit } from "./seeded.ts";
import type { Ledger } from "./ledger.ts";
import type { Fault, FaultRule } from "./scenario.ts";

export interface RequestFacts {
  readonly n: number;
  readonly atMs: number;
  readonly model: string;
  readonly hash: string;
}

function strikes(rule: FaultRule, index: number, facts: RequestFacts, seed: number, ledger: Ledger): boolean {
  if (rule.model !== undefined && rule.model !== facts.model) return false;
  if (rule.from !== undefined && facts.n < rule.from) return false;
  if (rule.to !== undefined && facts.n > rule.to) return false;
  if (rule.every !== undefined && rule.every > 0 && facts.n % rule.every !== 0) return false;
  if (rule.afterMs !== undefined && facts.atMs < rule.afterMs) return false;
  if (rule.untilMs !== undefined && facts.atMs >= rule.untilMs) return false;
  if (rule.share !== undefined && unit(`${seed}:wire:${index}:${facts.hash}`) >= rule.share) return false;
  const times = rule.times ?? (rule.share === undefined ? Number.POSITIVE_INFINITY : 1);
  return ledger.strike(index, facts.hash) < times;
}

/** The first rule that strikes decides. */
export function faultOf(
  rules: readonly FaultRule[],
  facts: RequestFacts,
  seed: number,
  ledger: Ledger,
): Fault | undefined {
  return rules.find((rule, index) => strikes(rule, index, facts, seed, ledger))?.fault;
}

const GEMINI_STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  529: "UNAVAILABLE",
};
const CHAT_TYPE: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "invalid_request_error",
  404: "invalid_request_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export interface ErrorDetail {
  readonly message: string;
  readonly retryAfter?: string | undefined;
  readonly quota?: boolean | undefined;
}

export function defaultMessage(status: number, quota: boolean): string {
  if (status === 429)
    return quota
      ? "You exceeded your current quota, please check your plan and billing details."
      : "Resource has been exhausted (e.g. check rate limits).";
  return status === 529 || status === 503
    ? "The model is overloaded. Please try again later."
    : "An internal error has occurred. Please retry.";
}

/** The body of a refused request, in the provider's own shape. */
export function errorBody(wire: "gemini" | "chat", status: number, detail: ErrorDetail): Record<string, unknown> {
  if (wire === "chat") {
    const code =
      status === 401
        ? "invalid_api_key"
        : status === 429
          ? detail.quota === true
            ? "insufficient_quota"
            : "rate_limit_exceeded"
          : null;
    const type = detail.quota === true ? "insufficient_quota" : (CHAT_TYPE[status] ?? "server_error");
    return { error: { message: detail.message, type, param: null, code } };
  }
  const seconds = Number(detail.retryAfter);
  const details = [
    ...(Number.isFinite(seconds) && detail.retryAfter !== undefined
      ? [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` }]
      : []),
    ...(detail.quota === true
      ? [
          {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }],
          },
        ]
      : []),
    ...(status === 401
      ? [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com" }]
      : []),
  ];
  return {
    error: {
      code: status,
      message: detail.message,
      status: GEMINI_STATUS[status] ?? "INTERNAL",
      ...(details.length > 0 ? { details } : {}),
    },
  };
}
