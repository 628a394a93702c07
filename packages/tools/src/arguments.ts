import { cleanText, isObject } from "@swarm/std";
import { DEPTH_MAX, parseLenient } from "./lenient-json.ts";

/** Longest arguments that are looked at at all: twice the largest artifact body, for its JSON escapes. */
export const ARGS_MAX_CHARS = 2 * 1024 * 1024 + 65_536;

export type ParsedArguments =
  | { readonly ok: true; readonly value: unknown; readonly repaired: readonly string[] }
  | { readonly ok: false; readonly code: "invalid_json" | "limit"; readonly problem: string };

/** Raw argument text of a call as a value. Too long text is refused by its size, without being parsed. */
export function parseArguments(raw: string): ParsedArguments {
  if (raw.length > ARGS_MAX_CHARS) {
    return {
      ok: false,
      code: "limit",
      problem: `the arguments have ${raw.length} characters, the limit is ${ARGS_MAX_CHARS}`,
    };
  }
  if (raw.trim() === "") return { ok: true, value: {}, repaired: ["no arguments came: read as {}"] };
  let value: unknown;
  let repaired: readonly string[] = [];
  try {
    value = JSON.parse(raw);
  } catch {
    const read = parseLenient(raw);
    if (!read.ok)
      return {
        ok: false,
        code: "invalid_json",
        problem: `the arguments are not valid JSON at character ${read.at} of ${raw.length}: ${read.problem}`,
      };
    value = read.value;
    repaired = read.repairs;
  }
  const cleaned = clean(value, 0);
  if (cleaned === TOO_DEEP)
    return { ok: false, code: "limit", problem: `the arguments are nested deeper than ${DEPTH_MAX} levels` };
  return { ok: true, value: cleaned, repaired };
}

const TOO_DEEP = Symbol("too deep");

/** Lone surrogates and NULs leave every text: they could not be stored, sent or shown. */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\u0000") ? value : cleanText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) return TOO_DEEP;
  const entries: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    const inner = clean(member, depth + 1);
    if (inner === TOO_DEEP) return TOO_DEEP;
    entries.push([key, inner]);
  }
  return isObject(value)
    ? Object.fromEntries(entries.map(([key, inner]) => [cleanText(key), inner]))
    : entries.map(([, inner]) => inner);
}
