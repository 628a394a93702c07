import type { Kind, Payloads } from "@swarm/protocol";
import { AppError, isObject } from "@swarm/std";

/**
 * Parse functions of the session's kinds: about a microsecond each, no schema library on this path. They refuse what
 * would damage a fold for ever (a missing counter, a number that is none); what a text says is nobody's business here.
 */
interface Fault {
  readonly path: string;
  readonly expected: string;
}
/** What is wrong, if anything. A payload that is right costs no allocation. */
type Check = (value: unknown) => Fault | undefined;

function leaf(expected: string, test: (value: unknown) => boolean): Check {
  const fault: Fault = { path: "", expected };
  return (v) => (test(v) ? undefined : fault);
}

const isText = (v: unknown): v is string => typeof v === "string";
const isWhole = (v: unknown): v is number => Number.isSafeInteger(v) && (v as number) >= 0;

const text = leaf("a text", isText);
const filled = leaf("a text that is not empty", (v) => isText(v) && v.length > 0);
const bool = leaf("true or false", (v) => typeof v === "boolean");
const amount = leaf("a number, 0 or more", (v) => typeof v === "number" && v >= 0 && v < Infinity);
const whole = leaf("a whole number", isWhole);
const positive = leaf("a whole number above 0", (v) => isWhole(v) && v > 0);
const texts = leaf("a list of texts", (v) => Array.isArray(v) && v.every(isText));
const stored = leaf(
  "a text or a blob reference",
  (v) => isText(v) || (isObject(v) && isText(v["blob"]) && isWhole(v["bytes"])),
);

function optional(check: Check): Check {
  return (v) => (v === undefined ? undefined : check(v));
}

function oneOf(...names: readonly string[]): Check {
  const known = new Set<unknown>(names);
  return leaf(`one of ${names.join(", ")}`, (v) => known.has(v));
}

function at(path: string, fault: Fault): Fault {
  return { path: path + fault.path, expected: fault.expected };
}

/** An object with these members; others pass, so that an older record stays valid when a kind grows. */
function shape(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members);
  return (v) => {
    if (!isObject(v)) return { path: "", expected: "an object" };
    for (const [key, check] of checks) {
      const fault = check(v[key]);
      if (fault !== undefined) return at(`.${key}`, fault);
    }
    return undefined;
  };
}

function listOf(check: Check): Check {
  return (v) => {
    if (!Array.isArray(v)) return { path: "", expected: "a list" };
    for (let i = 0; i < v.length; i++) {
      const fault = check(v[i]);
      if (fault !== undefined) return at(`[${i}]`, fault);
    }
    return undefined;
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
    const fault = check(payload);
    if (fault === undefined) return payload as Payloads[K];
    const field = kind + fault.path;
    throw new AppError("bad_request", `${field} must be ${fault.expected}`, { details: { field } });
  };
}
