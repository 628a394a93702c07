import type { Budget } from "@swarm/protocol";
import type { Spent } from "./state.ts";

/** How far a run may go. Checked before each request: the one that would cross a limit is not sent. */
export type BudgetVerdict =
  | { readonly kind: "fine" }
  /** 80 % of `limit` is used and the agent has not been told yet. */
  | { readonly kind: "warn"; readonly limit: string; readonly detail: string }
  | { readonly kind: "exhausted"; readonly limit: string; readonly detail: string };

const WARN_SHARE = 0.8;

export function judgeBudget(budget: Budget, spent: Spent, wallS: number, warned: readonly string[]): BudgetVerdict {
  const lines: readonly [string, number, number | undefined, string][] = [
    ["turns", spent.turns, budget.turns, "turns"],
    ["toolCalls", spent.toolCalls, budget.toolCalls, "tool calls"],
    ["inputTokens", spent.inputTokens, budget.inputTokens, "input tokens"],
    ["outputTokens", spent.outputTokens, budget.outputTokens, "output tokens"],
    ["usd", spent.costNano / 1e9, budget.usd, "US dollars"],
    ["wallS", wallS, budget.wallS, "seconds"],
  ];
  let warning: BudgetVerdict = { kind: "fine" };
  for (const [limit, used, allowed, unit] of lines) {
    if (allowed === undefined) continue;
    const detail = `${round(used)} of ${round(allowed)} ${unit} are used`;
    if (used >= allowed) return { kind: "exhausted", limit, detail };
    if (used >= allowed * WARN_SHARE && !warned.includes(limit)) warning = { kind: "warn", limit, detail };
  }
  return warning;
}

function round(value: number): string {
  return value < 10 ? String(Math.round(value * 10_000) / 10_000) : String(Math.round(value));
}
