import type { Budget, CreateSession } from "@swarm/protocol";

const TITLE_MAX = 80;

/** A session's title: the one given, or the task's first line. */
export function titleOf(title: string, task: string): string {
  if (title.trim() !== "") return title;
  const line = task.trim().split("\n", 1)[0]!;
  return line.length <= TITLE_MAX ? line : `${line.slice(0, TITLE_MAX - 1).toWellFormed()}…`;
}

/** The limits that were named. */
export function requestedBudget(budget: CreateSession["budget"]): Budget {
  return Object.fromEntries(Object.entries(budget ?? {}).filter(([, limit]) => limit !== undefined));
}
