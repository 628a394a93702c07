import { isObject } from "@swarm/std";
import { bytes as byteText } from "./format.ts";

/** A call's arguments in a few words, and the parts that have a picture of their own (edits, content). */
export interface CallBrief {
  readonly text: string;
  readonly edits: readonly { readonly find: string; readonly replace: string }[];
}

export function briefOf(name: string, args: string | undefined, argBytes: number): CallBrief {
  if (args === undefined) return { text: argBytes > 0 ? byteText(argBytes) : "", edits: [] };
  const value = parse(args);
  if (value === undefined) return { text: args.slice(0, 120), edits: [] };
  return { text: wordsOf(name, value, args.length), edits: editsOf(value) };
}

function wordsOf(name: string, value: Record<string, unknown>, length: number): string {
  const action = str(value["action"]);
  if (name === "manage_artifact" && action === "create") {
    return `create ${str(value["title"])}, ${byteText(str(value["content"]).length)}`;
  }
  if (name === "manage_artifact" && action === "edit") {
    const n = editsOf(value).length;
    return `edit, ${n} ${n === 1 ? "place" : "places"}, base r${JSON.stringify(value["base"]) ?? "?"}`;
  }
  if (name === "plan_manage" && Array.isArray(value["checkpoints"])) {
    return `${action} ${value["checkpoints"].length} checkpoints`;
  }
  if (name === "plan_manage" && Array.isArray(value["complete"])) return `${action} ${value["complete"].join(", ")}`;
  if (name === "ask_user") return str(value["question"]);
  if (name === "handoff") return `${str(value["outcome"])}: ${str(value["title"])}`;
  if (length > 2000) return `${action} ${byteText(length)}`.trim();
  return Object.entries(value)
    .map(([key, v]) => (key === "action" ? String(v) : `${key} ${typeof v === "string" ? v : JSON.stringify(v)}`))
    .join(", ")
    .slice(0, 200);
}

function editsOf(value: Record<string, unknown>): { find: string; replace: string }[] {
  if (!Array.isArray(value["edits"])) return [];
  return value["edits"].flatMap((edit: unknown) =>
    isObject(edit) && typeof edit["find"] === "string" && typeof edit["replace"] === "string"
      ? [{ find: edit["find"], replace: edit["replace"] }]
      : [],
  );
}

/** Lines of an exact replacement, common head and tail as context. */
export function diffLines(
  find: string,
  replace: string,
): readonly { readonly sign: "" | "-" | "+"; readonly text: string }[] {
  const a = find.split("\n");
  const b = replace.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const same = (text: string): { sign: ""; text: string } => ({ sign: "", text });
  return [
    ...a.slice(0, head).map(same),
    ...a.slice(head, a.length - tail).map((text) => ({ sign: "-" as const, text })),
    ...b.slice(head, b.length - tail).map((text) => ({ sign: "+" as const, text })),
    ...a.slice(a.length - tail).map(same),
  ];
}

/** What a call that is still being written shows: its last lines, unescaped as far as they came. */
export function tailOfArgs(raw: string, lines: number): string {
  return raw
    .slice(-2400)
    .replace(/^[^\\]*?(?=\\n)/, "")
    .replaceAll("\\n", "\n")
    .replaceAll('\\"', '"')
    .replaceAll("\\t", "  ")
    .replaceAll("\\\\", "\\")
    .split("\n")
    .slice(-lines)
    .join("\n");
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // arguments may be anything the model wrote
  }
}

function str(value: unknown): string {
  return typeof value === "string" ? value : "";
}
