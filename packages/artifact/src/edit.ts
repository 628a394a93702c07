import type { Edit, ToolError } from "@swarm/protocol/ports";
import { occurrencesOf } from "./occurrences.ts";

/**
 * Exact replacements in one text, all or nothing. Each `find` must occur exactly once in the text as it was, so that
 * the order of the edits does not matter; two edits may not touch the same place.
 */
export function applyEdits(
  text: string,
  edits: readonly Edit[],
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: ToolError } {
  const places: { readonly from: number; readonly to: number; readonly replace: string; readonly number: number }[] =
    [];
  for (const [i, { find, replace }] of edits.entries()) {
    const which = edits.length === 1 ? "the text" : `edit ${i + 1} of ${edits.length}: the text`;
    const { count, first: from } = occurrencesOf(text, find);
    if (count === 0)
      return refused(
        "no_match",
        `${which} to find ${find === "" ? "is empty" : `does not occur: ${quote(find)}`}. Nothing was changed.`,
        'manage_artifact with action "read", then edit with text copied from it',
      );
    if (count > 1)
      return refused(
        "ambiguous_match",
        `${which} to find occurs ${count} times: ${quote(find)}. Nothing was changed.`,
        "the same edit with more of the text around it",
      );
    places.push({ from, to: from + find.length, replace, number: i + 1 });
  }
  places.sort((a, b) => a.from - b.from);
  let result = "";
  let at = 0;
  for (const place of places) {
    if (place.from < at) {
      const before = places[places.indexOf(place) - 1]!;
      return refused(
        "overlapping_edits",
        `edits ${before.number} and ${place.number} of ${edits.length} touch the same text. Nothing was changed.`,
        "the same call with the two edits made one",
      );
    }
    result += text.slice(at, place.from) + place.replace;
    at = place.to;
  }
  return { ok: true, text: result + text.slice(at) };
}

function refused(code: string, message: string, next: string): { readonly ok: false; readonly error: ToolError } {
  return { ok: false, error: { code, class: "not_found", message, next } };
}

/** What lies between two texts, by lines: enough to see whether one's own edit still makes sense. */
export function changeHint(before: string, after: string): string {
  const a = before.split("\n");
  const b = after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const removed = a.length - head - tail;
  const added = b.length - head - tail;
  if (removed === 0 && added === 0) return "nothing differs";
  const first = b.slice(head, head + added).find((line) => line.trim() !== "");
  return `from line ${head + 1} on ${removed} lines became ${added}${first === undefined ? "" : `, now beginning ${quote(first)}`}`;
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line}"`;
}
