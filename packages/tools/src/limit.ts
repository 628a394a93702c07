import type { ToolContext } from "@swarm/protocol/ports";
import { failure, type Tool, type ToolResult } from "./tool.ts";

/**
 * Runs a tool under its own time limit and the run's signal. Answers at once when either ends, also when the tool does
 * not listen to its signal. Throws the signal's reason on a cancel.
 */
export async function runLimited(tool: Tool, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult> {
  context.signal.throwIfAborted();
  const { name, timeoutMs } = tool.declaration;
  const limit = new AbortController();
  let stop!: (result: ToolResult) => void;
  let cancel!: (reason: unknown) => void;
  const ended = new Promise<ToolResult>((resolve, reject) => {
    stop = resolve;
    cancel = reject;
  });
  const timer = setTimeout(() => {
    limit.abort(new Error(`${name} timed out`));
    stop(failure({ code: "timeout", class: "timeout", message: timeoutMessage(tool) }));
  }, timeoutMs);
  timer.unref();
  const onAbort = (): void => {
    limit.abort(context.signal.reason);
    cancel(context.signal.reason);
  };
  context.signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([tool.execute(args, { ...context, signal: limit.signal }), ended]);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener("abort", onAbort);
  }
}

function timeoutMessage({ declaration: { name, effect, timeoutMs } }: Tool): string {
  if (effect === "ask") return `nobody answered within ${Math.round(timeoutMs / 3_600_000)} hours: decide yourself and say so in the handoff`;
  return `${name} took longer than ${timeoutMs / 1000} s and was stopped; whether it took effect is unknown: look before you call it again`;
}
