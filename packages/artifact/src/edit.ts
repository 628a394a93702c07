import type { Edit, ToolError } from "@swarm/protocol/ports";

/** Exact replacements, one after another, all or nothing. Each `find` must occur exactly once. */
export function applyEdits(text: string, edits: readonly Edit[]): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: ToolError } {
  let current = text;
  for (const [i, { find, replace }] of edits.entries()) {
    const at = current.indexOf(find);
    const which = edits.length === 1 ? "the text" : `edit ${i + 1} of ${edits.length}: the text`;
    if (at < 0) return { ok: false, error: { code: "no_match", class: "not_found", message: `${which} to find does not occur: ${quote(find)}. Nothing was changed.`, next: 'manage_artifact with action "read", then edit with text copied from it' } };
    const second = current.indexOf(find, at + 1);
    if (second >= 0) {
      const count = current.split(find).length - 1;
      return { ok: false, error: { code: "ambiguous_match", class: "not_found", message: `${which} to find occurs ${count} times: ${quote(find)}. Nothing was changed.`, next: "the same edit with more of the text around it" } };
    }
    current = current.slice(0, at) + replace + current.slice(at + find.length);
  }
  return { ok: true, text: current };
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line}"`;
}

const REGION = /<(?:main|section|header|footer|aside|nav|article|figure)\b[^>]*?\sid\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'>]+))/gi;
/** Regions of a document by their ids, in order: a scan, not a parse; the gate's parser judges. */
export function findParts(html: string): string[] {
  const parts: string[] = [];
  for (const match of html.matchAll(REGION)) {
    const id = match[1] ?? match[2] ?? match[3]!;
    if (!parts.includes(id) && parts.length < 256) parts.push(id);
  }
  return parts;
}
