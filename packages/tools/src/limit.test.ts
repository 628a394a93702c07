import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolContext } from "@swarm/protocol/ports";
import { AppError, Deferred } from "@swarm/std";
import { runLimited } from "./limit.ts";
import type { Tool, ToolResult } from "./tool.ts";

const DONE: ToolResult = { ok: true, summary: "", body: {} };

function tool(timeoutMs: number, execute: Tool["execute"], effect: "write" | "ask" = "write"): Tool {
  return {
    declaration: { name: "slow", description: "", parameters: {}, effect, idempotent: true, timeoutMs },
    example: () => ({}),
    execute,
  };
}
function context(signal: AbortSignal): ToolContext {
  return { session: "ses_1", run: "run_1", step: 1, epoch: 1, callId: "c", model: "m", signal };
}
const never = (): Promise<never> => new Promise(() => {});

test("a tool that does not end is stopped at its limit, and hears it on its signal", async () => {
  let heard: AbortSignal | undefined;
  const hangs = tool(5, (_a, c) => {
    heard = c.signal;
    return never();
  });
  const result = await runLimited(hangs, {}, context(new AbortController().signal));
  assert.deepEqual([result.error?.code, result.error?.class, heard?.aborted], ["timeout", "timeout", true]);
  const asks = await runLimited(tool(5, never, "ask"), {}, context(new AbortController().signal));
  assert.match(asks.error?.message ?? "", /nobody answered/);
});

test("a cancel reaches the tool and is answered with its reason; a result that comes nevertheless is the result", async () => {
  const abort = new AbortController();
  const listens = runLimited(
    tool(
      60_000,
      (_a, c) => new Promise((_r, reject) => c.signal.addEventListener("abort", () => reject(new Error("mine")))),
    ),
    {},
    context(abort.signal),
  );
  const gate = new Deferred<ToolResult>();
  const deaf = runLimited(
    tool(60_000, () => gate.promise),
    {},
    context(abort.signal),
  );
  abort.abort(new AppError("cancelled", "stop"));
  await assert.rejects(listens, { code: "cancelled" });
  gate.resolve(DONE);
  assert.equal(await deaf, DONE);
  let ran = false;
  const second = runLimited(
    tool(60_000, async () => {
      ran = true;
      return DONE;
    }),
    {},
    context(abort.signal),
  );
  await assert.rejects(second, { code: "cancelled" });
  assert.equal(ran, false);
});

test("a tool that ends in time leaves no listener on the run's signal", async () => {
  let listeners = 0;
  const { signal } = new AbortController();
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
  assert.equal(
    await runLimited(
      tool(1000, async () => DONE),
      {},
      context(signal),
    ),
    DONE,
  );
  assert.equal(listeners, 0);
});
