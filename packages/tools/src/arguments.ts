import { jsonrepair } from "jsonrepair";
import { cleanText, isObject } from "@swarm/std";

/** Longest arguments that are looked at at all: twice the largest artifact body, for its JSON escapes. */
export const ARGS_MAX_CHARS = 2 * 1024 * 1024 + 65_536;

export type ParsedArguments = { readonly ok: true; readonly value: unknown; readonly repaired: readonly string[] } | { readonly ok: false; readonly problem: string };

/**
 * Parses a call's raw arguments. Repairs only what can mean one thing: trailing commas, single quotes, raw line
 * breaks in a text, words after the end. A text that never ends is refused: closing it would deliver half a document.
 */
export function parseArguments(raw: string): ParsedArguments {
  if (raw.length > ARGS_MAX_CHARS) return { ok: false, problem: `the arguments have ${raw.length} characters, the limit is ${ARGS_MAX_CHARS}` };
  const text = raw.trim();
  if (text === "") return { ok: true, value: {}, repaired: [] };
  try {
    return { ok: true, value: clean(JSON.parse(text)), repaired: [] };
  } catch (error) {
    const where = error instanceof SyntaxError ? error.message.replace(/\s+/g, " ").slice(0, 160) : "";
    if (endsInsideText(text)) return { ok: false, problem: `the arguments end inside a text (${text.length} characters came): send the whole call again` };
    try {
      const value: unknown = JSON.parse(jsonrepair(text));
      if (isObject(value)) return { ok: true, value: clean(value), repaired: [`invalid JSON repaired (${where})`] };
      const [first] = Array.isArray(value) ? (value as unknown[]) : [];
      if (isObject(first)) return { ok: true, value: clean(first), repaired: [`words after the end of the arguments left out (${where})`] };
    } catch {
      // not repairable: said below
    }
    return { ok: false, problem: `the arguments are not valid JSON (${where})` };
  }
}

/** Whether a double-quoted text is still open at the end. */
function endsInsideText(text: string): boolean {
  let open = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 92 && open) i++;
    else if (c === 34) open = !open;
  }
  return open;
}

/** Lone surrogates and NULs leave every text: they could not be stored, sent or shown. */
function clean(value: unknown): unknown {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\u0000") ? value : cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, clean(v)]));
  return value;
}
