import type { Tool } from "./tool.ts";

/** Longest part of an invented name that is looked at. */
const NAME_MAX = 64;

/**
 * The tool that a name means: exactly, or by another case, other separators, another order of the same words, or with a
 * namespace before it (`functions.handoff`, `default_api:handoff`). Anything else is no tool.
 */
export function findTool(
  tools: ReadonlyMap<string, Tool>,
  name: string,
): { readonly tool: Tool; readonly repaired: readonly string[] } | undefined {
  const exact = tools.get(name);
  if (exact !== undefined) return { tool: exact, repaired: [] };
  if (name.length > NAME_MAX * 2) return undefined;
  const wanted = wordsOf(name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf("/")) + 1));
  for (const [known, tool] of tools) {
    if (wordsOf(known) === wanted) return { tool, repaired: [`tool name "${name}" read as ${known}`] };
  }
  return undefined;
}

function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words
    .filter((w) => w !== "")
    .sort()
    .join(" ");
}

/** Three nearest by edit distance. */
export function nearestNames(names: readonly string[], name: string): string[] {
  const wanted = name.slice(0, NAME_MAX).toLowerCase();
  return names
    .map((known) => ({ known, distance: distance(known, wanted) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ known }) => known);
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
