import { createHash } from "node:crypto";

/**
 * Sees a model that repeats itself. Exact: same tool, same arguments, same result in a row. Near: same tool, same
 * error code in a row, whatever the arguments. Counted per tool, so that other calls in between do not hide it.
 */
export const NUDGE_AT = 3;
export const STOP_AT = 5;
export const NEAR_NUDGE_AT = 4;
export const NEAR_STOP_AT = 6;

export interface GuardEntry {
  readonly exact: string;
  readonly exactCount: number;
  readonly errorCode: string;
  readonly nearCount: number;
}
export type GuardState = Readonly<Record<string, GuardEntry>>;

export type GuardVerdict = { readonly kind: "fine" } | { readonly kind: "nudge" | "stop"; readonly reason: string };

export function observeCall(state: GuardState, call: { readonly name: string; readonly args: string; readonly output: string; readonly errorCode: string | undefined }): { state: GuardState; verdict: GuardVerdict } {
  const last = state[call.name];
  const exact = createHash("sha256").update(call.args).update("\0").update(call.output).digest("hex");
  const errorCode = call.errorCode ?? "";
  const entry: GuardEntry = {
    exact,
    exactCount: last?.exact === exact ? last.exactCount + 1 : 1,
    errorCode,
    nearCount: errorCode !== "" && last?.errorCode === errorCode ? last.nearCount + 1 : 1,
  };
  return { state: { ...state, [call.name]: entry }, verdict: judge(call.name, entry) };
}

function judge(name: string, entry: GuardEntry): GuardVerdict {
  if (entry.exactCount >= STOP_AT) return { kind: "stop", reason: `loop: ${name} was called ${entry.exactCount} times with the same arguments and the same result` };
  if (entry.errorCode !== "" && entry.nearCount >= NEAR_STOP_AT) return { kind: "stop", reason: `loop: ${name} failed ${entry.nearCount} times in a row with ${entry.errorCode}` };
  if (entry.exactCount === NUDGE_AT) return { kind: "nudge", reason: `You called ${name} ${entry.exactCount} times with the same arguments and got the same result each time. Calling it again will change nothing: do something else, or call handoff with outcome "blocked" and say why.` };
  if (entry.errorCode !== "" && entry.nearCount === NEAR_NUDGE_AT) return { kind: "nudge", reason: `${name} failed ${entry.nearCount} times in a row with the same error, ${entry.errorCode}. Read the error's "next" and do exactly that, or call handoff with outcome "blocked".` };
  return { kind: "fine" };
}
