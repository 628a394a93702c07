/** The conversation so far as episodes: each call with its answer, and the document those calls built. */
import { isObject } from "@swarm/std";
import { textOr, type Call, type Turn } from "../request.ts";

export interface Result {
  readonly ok: boolean;
  /** Error code, empty when there is none. */
  readonly code: string;
  /** What the answer says is wrong: the error's message, or the whole answer where it is not JSON. */
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Episode {
  readonly call: Call;
  /** Index of the assistant turn. */
  readonly turn: number;
  readonly result: Result | undefined;
}

export function readResult(output: string): Result {
  let data: unknown;
  try {
    data = JSON.parse(output);
  } catch {
    const failed = /^\W*(error|failed|invalid|refused|denied|unknown)\b/i.test(output);
    return { ok: !failed, code: failed ? "error" : "", message: failed ? output : "", data: {} };
  }
  if (!isObject(data)) return { ok: true, code: "", message: "", data: {} };
  const error = isObject(data["error"]) ? data["error"] : undefined;
  const ok = data["ok"] === undefined ? error === undefined && data["error"] === undefined : data["ok"] === true;
  const message =
    error === undefined
      ? ok
        ? ""
        : textOr(data["error"], textOr(data["message"], output))
      : textOr(error["message"], output);
  return { ok, code: ok ? "" : textOr(error?.["code"], textOr(data["code"], "error")), message, data };
}

/** A number member, at the top or inside a nested object such as `artifact`, `plan` or `error`. */
export function numberIn(data: Readonly<Record<string, unknown>>, name: string): number | undefined {
  for (const source of [data, ...Object.values(data).filter(isObject)])
    if (typeof source[name] === "number") return source[name];
  return undefined;
}

export function episodesOf(turns: readonly Turn[]): Episode[] {
  const open: { call: Call; turn: number; result: Result | undefined }[] = [];
  turns.forEach((turn, index) => {
    if (turn.role === "assistant") for (const call of turn.calls) open.push({ call, turn: index, result: undefined });
    if (turn.role !== "tool") return;
    const waiting = open.filter((e) => e.result === undefined && e.turn < index);
    const match =
      waiting.find((e) => turn.id !== "" && e.call.id === turn.id) ?? waiting.find((e) => e.call.name === turn.name);
    if (match) match.result = readResult(turn.output);
  });
  return open;
}

/** The document that the calls left behind, rebuilt from the calls themselves. */
export interface DocumentState {
  readonly content: string;
  readonly title: string;
  readonly artifact: string | undefined;
  readonly revision: number;
  readonly published: boolean;
}

const CONTENT_NAMES = ["content", "html", "body", "source", "document", "text"];

export function contentOf(args: Readonly<Record<string, unknown>>): string | undefined {
  const name = CONTENT_NAMES.find((n) => typeof args[n] === "string");
  return name === undefined ? undefined : (args[name] as string);
}

function applyEdits(content: string, edits: unknown): string {
  if (!Array.isArray(edits)) return content;
  for (const edit of edits.filter(isObject)) {
    const find = textOr(edit["find"], "");
    const at = find === "" ? -1 : content.indexOf(find);
    if (at >= 0) content = content.slice(0, at) + textOr(edit["replace"], "") + content.slice(at + find.length);
  }
  return content;
}

/** A revision was kept: the gate may still have refused it. */
function kept(result: Result): boolean {
  return (
    result.ok ||
    result.code === "check_failed" ||
    (numberIn(result.data, "revision") !== undefined && !/stale|conflict|base/.test(result.code))
  );
}

export function documentOf(episodes: readonly Episode[], artifactTool: string): DocumentState | undefined {
  let state: DocumentState | undefined;
  for (const { call, result } of episodes) {
    if (call.name !== artifactTool || call.args === undefined || result === undefined || !kept(result)) continue;
    const content = contentOf(call.args);
    const edited =
      state !== undefined && call.args["edits"] !== undefined
        ? applyEdits(state.content, call.args["edits"])
        : undefined;
    const next = content ?? edited ?? state?.content;
    if (next === undefined) continue;
    const id = result.data["artifact"];
    state = {
      content: next,
      title: typeof call.args["title"] === "string" ? call.args["title"] : (state?.title ?? ""),
      artifact:
        typeof id === "string"
          ? id
          : isObject(id) && typeof id["artifact"] === "string"
            ? id["artifact"]
            : state?.artifact,
      revision:
        numberIn(result.data, "revision") ??
        (state?.revision ?? 0) + (content !== undefined || edited !== undefined ? 1 : 0),
      published:
        result.ok &&
        (content !== undefined ||
          edited !== undefined ||
          String(result.data["state"]) === "published" ||
          (state?.published ?? false)),
    };
  }
  return state;
}
