import type { Message, ToolCall } from "@swarm/protocol";
import { cleanText, isObject } from "@swarm/std";

/**
 * Any list of messages made into one that every wire takes: texts cleaned, empties removed, each call followed by exactly
 * one result, results without a call dropped, ids unique and short, names in the common alphabet, arguments a JSON
 * object, a user first and never the assistant last. Pure and stable: a longer list begins like the shorter one.
 */
export type Turn =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly HistoryCall[];
      readonly signature?: string;
    }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly name: string;
      readonly output: string;
      readonly isError: boolean;
    };

export interface HistoryCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of an object. */
  readonly args: string;
  readonly signature?: string;
}

/** Said where the journal holds no result: the call was cut by a crash or a cancel. */
export const MISSING_RESULT =
  "No result was recorded for this call: it was interrupted. It may or may not have taken effect.";
const EMPTY_RESULT = "(no output)";
const OPENING = "(the conversation so far)";
const CONTINUE = "Continue.";

/** OpenAI refuses longer ids; names are limited to 64 by OpenAI and Gemini. */
const ID_MAX = 40;
const NAME_MAX = 64;
/** A strict provider refused an argument object with a key of 1,582 signs for the rest of a session. */
const KEY_MAX = 256;
/** Protocol-buffer JSON parsers stop at 100 levels, counted from the request's root. */
const DEPTH_MAX = 64;

export function repairHistory(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  const ids = new Set<string>();
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]!;
    if (message.role === "user") {
      const text = cleanText(message.text);
      if (text.trim() !== "") turns.push({ role: "user", text });
    } else if (message.role === "assistant") {
      addAssistant(turns, ids, message, resultsAfter(messages, i));
    }
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", text: turns.length === 0 ? CONTINUE : OPENING });
  if (turns.at(-1)?.role === "assistant") turns.push({ role: "user", text: CONTINUE });
  return turns;
}

type Result = Extract<Message, { role: "tool" }>;

/** Results up to the next answer of the model: a later one belongs to nothing that came before. */
function resultsAfter(messages: readonly Message[], at: number): Result[] {
  const results: Result[] = [];
  for (let i = at + 1; i < messages.length; i++) {
    const message = messages[i]!;
    if (message.role === "assistant") break;
    if (message.role === "tool") results.push(message);
  }
  return results;
}

function addAssistant(
  turns: Turn[],
  ids: Set<string>,
  message: Extract<Message, { role: "assistant" }>,
  results: Result[],
): void {
  const text = cleanText(message.text);
  const calls = message.calls.map((call) => historyCall(call, ids));
  if (text.trim() === "" && calls.length === 0) return;
  turns.push({
    role: "assistant",
    text: text.trim() === "" ? "" : text,
    calls,
    ...(message.signature === undefined ? {} : { signature: message.signature }),
  });
  calls.forEach((call, i) => {
    const at = results.findIndex((r) => r.callId === message.calls[i]!.id);
    const result = at < 0 ? undefined : results.splice(at, 1)[0];
    const output = result === undefined ? MISSING_RESULT : cleanText(result.output);
    turns.push({
      role: "tool",
      callId: call.id,
      name: call.name,
      output: output.trim() === "" ? EMPTY_RESULT : output,
      isError: result?.isError ?? true,
    });
  });
}

function historyCall(call: ToolCall, ids: Set<string>): HistoryCall {
  let id = call.id;
  if (!/^[A-Za-z0-9_-]+$/.test(id) || id.length > ID_MAX || ids.has(id)) {
    for (let n = ids.size + 1; ; n++) {
      id = `call_r${n}`;
      if (!ids.has(id)) break;
    }
  }
  ids.add(id);
  return {
    id,
    name: historyName(call.name),
    args: historyArgs(call.args),
    ...(call.signature === undefined ? {} : { signature: call.signature }),
  };
}

export function historyName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_MAX);
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`.slice(0, NAME_MAX);
}

/** JSON text of an object: the model's own bytes where they are one, else `{"_invalid": …}` with what it sent. */
export function historyArgs(raw: string): string {
  if (raw.trim() === "") return "{}";
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return invalid(raw);
  }
  if (!isObject(value)) return invalid(raw);
  const verdict = inspect(value, 0);
  if (verdict === "refuse") return invalid(raw);
  return verdict === "clean" && raw.isWellFormed() ? raw : JSON.stringify(cleaned(value));
}

function invalid(raw: string): string {
  return JSON.stringify({ _invalid: cleanText(raw) });
}

function inspect(value: unknown, depth: number): "clean" | "dirty" | "refuse" {
  if (depth > DEPTH_MAX) return "refuse";
  if (typeof value === "string") return isClean(value) ? "clean" : "dirty";
  if (typeof value === "number") return Number.isFinite(value) ? "clean" : "dirty";
  if (typeof value !== "object" || value === null) return "clean";
  let verdict: "clean" | "dirty" = "clean";
  for (const [key, member] of Object.entries(value)) {
    if (key.length > KEY_MAX) return "refuse";
    const inner = inspect(member, depth + 1);
    if (inner === "refuse") return "refuse";
    if (inner === "dirty" || !isClean(key)) verdict = "dirty";
  }
  return verdict;
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanText(key), cleaned(member)]));
  return value;
}

function isClean(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}
