import type { ToolContext, ToolDeclaration, ToolError, ToolOutcome } from "@swarm/protocol/ports";

/** What a tool answers before the runner caps it. `body` is the JSON object that the model reads. */
export interface ToolResult {
  readonly ok: boolean;
  /** One line for a person. */
  readonly summary: string;
  readonly body: object;
  readonly error?: ToolError;
  readonly handoff?: ToolOutcome["handoff"];
  /** What was taken to mean something else than it said, in words. */
  readonly repaired?: readonly string[];
  /** The tool itself gave less than there is, and said how to get the rest. */
  readonly truncated?: boolean;
}

/** One tool, one file: its declaration and what it does with valid arguments. */
export interface Tool {
  readonly declaration: ToolDeclaration;
  /** A correct call of that action, shown when a call was wrong. */
  example(action: string | undefined): object;
  /** Fields that an action needs beside the schema's own `required`. */
  readonly needs?: Readonly<Record<string, readonly string[]>>;
  execute(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

const SUMMARY_MAX = 160;

/** An error as a result. `extra` stands beside it: what the model needs to make the next call. */
export function failure(error: ToolError, extra: object = {}): ToolResult {
  const { code, message, next } = error;
  return {
    ok: false,
    summary: message.length > SUMMARY_MAX ? `${message.slice(0, SUMMARY_MAX - 1).toWellFormed()}…` : message,
    body: { ok: false, error: { code, message, ...(next === undefined ? {} : { next }) }, ...extra },
    error,
  };
}
