import { createHash } from "node:crypto";

/**
 * Sees a model that repeats itself. Exact: same tool, same arguments, same result, counted within the newest calls, so
 * that two or three calls in turn do not hide it. Near: same tool, same error code in a row, whatever the arguments.
 * Several equal calls of one step count once: the model had no result to learn from between them.
 */
export const NUDGE_AT = 3;
export const STOP_AT = 5;
export const NEAR_NUDGE_AT = 4;
export const NEAR_STOP_AT = 6;
/** Calls that are looked back at: three calls in turn are still caught at the fifth round. */
const WINDOW = 16;

export interface GuardEntry {
  readonly step: number;
  readonly name: string;
  /** Of arguments and result. */
  readonly hash: string;
  /** Empty when the call succeeded. */
  readonly errorCode: string;
}
/** The newest calls, oldest first. */
export type GuardState = readonly GuardEntry[];

export type GuardVerdict = { readonly kind: "fine" } | { readonly kind: "nudge" | "stop"; readonly reason: string };

export interface ObservedCall {
  readonly step: number;
  readonly name: string;
  readonly args: string;
  readonly output: string;
  readonly errorCode: string | undefined;
}

export function observeCall(state: GuardState, call: ObservedCall): { state: GuardState; verdict: GuardVerdict } {
  const { step, name } = call;
  const hash = createHash("sha256").update(call.args).update("\0").update(call.output).digest("hex").slice(0, 16);
  const entry: GuardEntry = { step, name, hash, errorCode: call.errorCode ?? "" };
  if (state.some((e) => same(e, entry) && e.step === step)) return { state, verdict: { kind: "fine" } };
  const next = [...state, entry].slice(-WINDOW);
  return { state: next, verdict: judge(next, entry) };
}

function same(a: GuardEntry, b: GuardEntry): boolean {
  return a.name === b.name && a.hash === b.hash;
}

function judge(state: GuardState, entry: GuardEntry): GuardVerdict {
  const { name, errorCode } = entry;
  const exact = state.filter((e) => same(e, entry)).length;
  if (exact >= STOP_AT)
    return {
      kind: "stop",
      reason: `loop: ${name} was called ${exact} times with the same arguments and the same result`,
    };
  const near = errorCode === "" ? 0 : failuresInARow(state, entry);
  if (near >= NEAR_STOP_AT)
    return { kind: "stop", reason: `loop: ${name} failed ${near} times in a row with ${errorCode}` };
  if (exact === NUDGE_AT) {
    return {
      kind: "nudge",
      reason: `Loop: you called ${name} ${exact} times with the same arguments and got the same result each time. Calling it again will change nothing: do something else, or call handoff with outcome "blocked" and say why.`,
    };
  }
  if (near === NEAR_NUDGE_AT) {
    return {
      kind: "nudge",
      reason: `Loop: ${name} failed ${near} times in a row with the same error, ${errorCode}. Read the error's "next" and do exactly that, or call handoff with outcome "blocked" and say why.`,
    };
  }
  return { kind: "fine" };
}

/** Steps in a row in which this tool failed with this code; other tools in between do not hide it. */
function failuresInARow(state: GuardState, { name, errorCode }: GuardEntry): number {
  const own = state.filter((e) => e.name === name);
  const since = own.findLastIndex((e) => e.errorCode !== errorCode);
  return new Set(own.slice(since + 1).map((e) => e.step)).size;
}
