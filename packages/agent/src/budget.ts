import type { Budget } from "@swarm/protocol";
import type { Spent } from "./state.ts";

/** How far a run may go. Judged before each request: the one that would cross a limit is not sent. */
export type BudgetVerdict =
  | { readonly kind: "fine" }
  /** 80 % of a limit is used and the agent has not been told yet. */
  | { readonly kind: "warn"; readonly limit: keyof Budget; readonly detail: string }
  | { readonly kind: "exhausted"; readonly limit: keyof Budget; readonly detail: string };

const WARN_SHARE = 0.8;

interface Line {
  readonly limit: keyof Budget;
  readonly used: number;
  /** What the next request will use at least, or is likely to: by it the limit is not crossed. */
  readonly next: number;
  readonly unit: string;
}

export function judgeBudget(budget: Budget, spent: Spent, wallS: number, warned: readonly string[]): BudgetVerdict {
  const usd = spent.costNano / 1e9;
  const lines: readonly Line[] = [
    { limit: "turns", used: spent.turns, next: 1, unit: "turns" },
    { limit: "toolCalls", used: spent.toolCalls, next: 1, unit: "tool calls" },
    // the conversation only grows: the next request sends what the last one sent
    { limit: "inputTokens", used: spent.inputTokens, next: Math.max(1, spent.lastInputTokens), unit: "input tokens" },
    { limit: "outputTokens", used: spent.outputTokens, next: 1, unit: "output tokens" },
    { limit: "usd", used: usd, next: spent.steps === 0 ? 0 : usd / spent.steps, unit: "US dollars" },
    { limit: "wallS", used: wallS, next: 0, unit: "seconds" },
  ];
  let warning: BudgetVerdict = { kind: "fine" };
  for (const { limit, used, next, unit } of lines) {
    const allowed = budget[limit];
    if (allowed === undefined) continue;
    const detail = `${round(used)} of ${round(allowed)} ${unit} are used`;
    if (used >= allowed || used + next > allowed + ROUNDING) return { kind: "exhausted", limit, detail };
    if (used >= allowed * WARN_SHARE && !warned.includes(`${limit}:${round(allowed)}`))
      warning = { kind: "warn", limit, detail };
  }
  return warning;
}

/** Sums of dollars in binary fractions. */
const ROUNDING = 1e-9;

function round(value: number): string {
  return value < 10 ? String(Math.round(value * 10_000) / 10_000) : String(Math.round(value));
}
