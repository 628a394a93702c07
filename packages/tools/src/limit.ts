import type { ToolContext } from "@swarm/protocol/ports";
import { failure, type Tool, type ToolResult } from "./tool.ts";

/**
 * Runs a tool under its own time limit and the run's signal. At the limit it answers, also for a tool that does not
 * listen. On a cancel the tool hears it and is waited for: a result that came nevertheless is a result, a throw becomes
 * the signal's reason. A tool that does not listen is fenced off by whoever cancelled.
 */
export async function runLimited(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  context.signal.throwIfAborted();
  const { name, timeoutMs } = tool.declaration;
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(context.signal.reason);
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<ToolResult>((resolve) => {
    timer = setTimeout(() => {
      stop.abort(new Error(`${name} took longer than ${timeoutMs} ms`));
      resolve(failure({ code: "timeout", class: "timeout", message: timeoutMessage(tool) }));
    }, timeoutMs);
    timer.unref();
  });
  context.signal.addEventListener("abort", onAbort, { once: true });
  try {
    // the first that settles after the limit is the limit: its answer was resolved before the tool heard of it
    return await Promise.race([limit, tool.execute(args, { ...context, signal: stop.signal })]);
  } catch (error) {
    context.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener("abort", onAbort);
  }
}

function timeoutMessage({ declaration: { name, effect, timeoutMs } }: Tool): string {
  if (effect === "ask")
    return `nobody answered within ${Math.round(timeoutMs / 3_600_000)} hours: decide yourself and say so in the handoff`;
  return `${name} took longer than ${timeoutMs / 1000} s and was stopped; whether it took effect is unknown: look before you call it again`;
}
