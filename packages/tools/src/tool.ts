import type { ToolContext, ToolDeclaration, ToolError, ToolOutcome } from "@swarm/protocol/ports";

/** What a tool answers before the runner caps it. `body` is the JSON object that the model reads. */
export interface ToolResult {
  readonly ok: boolean;
  readonly summary: string;
  readonly body: object;
  readonly error?: ToolError;
  readonly handoff?: ToolOutcome["handoff"];
}

/** One tool, one file: its declaration and what it does with valid arguments. */
export interface Tool {
  readonly declaration: ToolDeclaration;
  /** A correct call, shown when a call was wrong. */
  readonly example: object;
  execute(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

export function failure(error: ToolError, extra: object = {}): ToolResult {
  const { code, message, next } = error;
  return { ok: false, summary: message.length > 160 ? `${message.slice(0, 159)}…` : message, body: { ok: false, error: { code, message, ...(next === undefined ? {} : { next }) }, ...extra }, error };
}
