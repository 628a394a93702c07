import type { Kind, Payloads } from "@swarm/protocol";
import { AppError, isObject } from "@swarm/std";

/**
 * Parse functions of the session's kinds: about a microsecond each, no schema library on this path. They refuse what
 * would damage a fold for ever (a missing counter, a number that is none); what a text says is nobody's business here.
 */
type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown, name: string) => void;

function wrong(name: string, expected: string): never {
  throw new AppError("bad_request", `${name} must be ${expected}`, { details: { field: name } });
}

const text: Check = (v, n) => void (typeof v === "string" || wrong(n, "a text"));
const filled: Check = (v, n) => void ((typeof v === "string" && v.length > 0) || wrong(n, "a text that is not empty"));
const bool: Check = (v, n) => void (typeof v === "boolean" || wrong(n, "true or false"));
const amount: Check = (v, n) =>
  void ((typeof v === "number" && v >= 0 && v < Infinity) || wrong(n, "a number, 0 or more"));
const whole: Check = (v, n) => void ((Number.isSafeInteger(v) && (v as number) >= 0) || wrong(n, "a whole number"));
const positive: Check = (v, n) =>
  void ((Number.isSafeInteger(v) && (v as number) > 0) || wrong(n, "a whole number above 0"));
const texts: Check = (v, n) =>
  void ((Array.isArray(v) && v.every((x) => typeof x === "string")) || wrong(n, "a list of texts"));
const stored: Check = (v, n) =>
  void (
    typeof v === "string" ||
    (isObject(v) && typeof v["blob"] === "string" && Number.isSafeInteger(v["bytes"])) ||
    wrong(n, "a text or a blob reference")
  );

function optional(check: Check): Check {
  return (v, n) => void (v === undefined || check(v, n));
}

function oneOf(...names: readonly string[]): Check {
  const known = new Set<unknown>(names);
  return (v, n) => void (known.has(v) || wrong(n, `one of ${names.join(", ")}`));
}

/** An object with these members; others pass, so that an older record stays valid when a kind grows. */
function shape(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members).map(([key, check]) => ({ key, check, path: `.${key}` }));
  return (v, n) => {
    if (!isObject(v)) wrong(n, "an object");
    for (const { key, check, path } of checks) check((v as Fields)[key], n + path);
  };
}

function listOf(check: Check): Check {
  return (v, n) => {
    if (!Array.isArray(v)) wrong(n, "a list");
    for (let i = 0; i < v.length; i++) check(v[i], `${n}[${i}]`);
  };
}

const TERMINAL = oneOf("delivered", "blocked", "failed", "cancelled", "budget_exhausted");
const ERROR = shape({ code: filled, class: filled, message: text });
const USAGE = shape({
  input: whole,
  cached: whole,
  cacheWrite: whole,
  output: whole,
  reasoning: whole,
  estimated: bool,
});
const COST = shape({
  totalNano: whole,
  inputNano: whole,
  cachedNano: whole,
  outputNano: whole,
  catalogue: text,
  pricedAs: text,
  simulated: bool,
});
const CALL = shape({ id: filled, name: text, args: stored, signature: optional(text) });
const LIMIT = optional(amount);
const BUDGET = shape({
  turns: LIMIT,
  toolCalls: LIMIT,
  inputTokens: LIMIT,
  outputTokens: LIMIT,
  usd: LIMIT,
  wallS: LIMIT,
});
const HANDOFF = shape({
  state: TERMINAL,
  title: text,
  overview: text,
  result: text,
  artifacts: texts,
  evidence: texts,
  recommendation: shape({ decision: text, reason: text }),
  codeBlocks: listOf(shape({ language: text, code: text })),
  followUps: texts,
  formattedBy: oneOf("agent", "daemon"),
});
const PLAN = shape({
  revision: positive,
  goal: text,
  decisions: texts,
  constraints: texts,
  successCriteria: texts,
  checkpoints: listOf(
    shape({ id: filled, title: text, done: bool, subtasks: listOf(shape({ id: filled, title: text, done: bool })) }),
  ),
});

export type SessionKind = Exclude<Kind, `artifact.${string}`>;

const PAYLOADS: Readonly<Record<SessionKind, Readonly<Record<string, Check>>>> = {
  "session.created": {
    title: filled,
    profile: filled,
    model: filled,
    workspace: optional(text),
    group: optional(text),
    label: optional(text),
  },
  "session.seen": { rev: whole },
  "message.added": { text: stored, by: oneOf("person", "daemon"), run: optional(filled) },
  "run.queued": { run: filled, budget: BUDGET, interactive: bool },
  "run.leased": { run: filled, epoch: positive, resumed: bool },
  "run.waiting": {
    run: filled,
    on: oneOf("model", "tool", "permission", "user", "child", "rate_limit", "budget", "capacity"),
    detail: text,
    untilMs: optional(amount),
  },
  "run.resumed": { run: filled },
  "run.ended": { run: filled, state: TERMINAL, handoff: HANDOFF, error: optional(ERROR) },
  "turn.interrupted": { run: filled, step: positive, text, offset: whole, sha256: filled },
  "step.started": {
    run: filled,
    step: positive,
    model: filled,
    prefixHash: text,
    prefixBytes: whole,
    breakCause: optional(text),
  },
  "step.finished": {
    run: filled,
    step: positive,
    text: stored,
    reasoning: optional(stored),
    calls: listOf(CALL),
    finish: oneOf("stop", "tool_calls", "length", "content_filter", "other"),
    usage: USAGE,
    cost: COST,
    model: filled,
    ttftMs: amount,
    durationMs: amount,
    signature: optional(text),
  },
  "step.failed": { run: filled, step: whole, error: ERROR },
  "tool.started": { run: filled, step: positive, call: filled, name: text },
  "tool.finished": {
    run: filled,
    step: positive,
    call: filled,
    name: text,
    ok: bool,
    summary: text,
    output: stored,
    error: optional(ERROR),
    repaired: optional(texts),
    durationMs: amount,
    truncated: bool,
  },
  "plan.set": { run: filled, plan: PLAN },
  "question.asked": { run: filled, question: filled, text, options: texts, call: filled },
  "question.answered": { question: filled, answer: text, by: text },
  "daemon.started": { version: text, pid: whole, clean: bool, resumedRuns: whole },
  "daemon.stopped": { reason: text },
};

export const SESSION_KINDS = Object.keys(PAYLOADS) as readonly SessionKind[];

/** The kind's parse function. Throws AppError `bad_request` that names the field, e.g. `step.finished.usage.input`. */
export function payloadParser<K extends SessionKind>(kind: K): (payload: unknown) => Payloads[K] {
  const check = shape(PAYLOADS[kind]);
  return (payload) => {
    check(payload, kind);
    return payload as Payloads[K];
  };
}
