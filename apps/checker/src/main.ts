/**
 * The gate's process: orders as lines on stdin, answers as lines on stdout, words on stderr. It ends when stdin
 * closes and takes its browser along.
 */
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { errorMessage, Mailbox, unreachable } from "@swarm/std";
import { BrowserHost } from "./browser/host.ts";
import { check, SWITCHED_OFF } from "./checker.ts";
import { parseOrder, type Answer, type Order } from "./protocol.ts";

/** Checks yield to the runs they check for. */
const NICE = 5;

const host = process.argv.includes("--no-runtime") ? undefined : new BrowserHost(process.env, say);
/** One check begins per turn of the loop, so that a burst of orders does not silence the answers. */
const turns = new Mailbox();
const running = new Map<number, AbortController>();

function say(text: string): void {
  process.stderr.write(`checker: ${text}\n`);
}

function answer(line: Answer): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function obey(order: Order): Promise<void> {
  switch (order.type) {
    case "ping":
      return answer({ id: order.id, type: "pong" });
    case "cancel":
      return running.get(order.id)?.abort(new Error("cancelled"));
    case "ability": {
      const ability = host === undefined ? { runtime: false as const, reason: SWITCHED_OFF } : await host.ability();
      return answer({
        id: order.id,
        type: "ability",
        runtime: ability.runtime,
        reason: ability.runtime ? "" : ability.reason,
      });
    }
    case "check": {
      const abort = new AbortController();
      running.set(order.id, abort);
      try {
        await turns.post(() => new Promise((resolve) => setImmediate(resolve)));
        return answer({ id: order.id, type: "result", ...(await check(order, host, abort.signal)) });
      } finally {
        running.delete(order.id);
      }
    }
    default:
      return unreachable(order);
  }
}

function receive(line: string): void {
  const order = parseOrder(line);
  if (order === undefined) return say(`a line of ${line.length} characters is no order`);
  obey(order).catch((error: unknown) => answer({ id: order.id, type: "failed", message: errorMessage(error) }));
}

async function leave(code: number): Promise<void> {
  for (const abort of running.values()) abort.abort(new Error("the checker is leaving"));
  await host?.[Symbol.asyncDispose]().catch(() => {});
  process.exit(code);
}

try {
  setPriority(NICE);
} catch {
  // a machine that forbids it only makes checks less polite
}
const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on("line", receive);
lines.on("close", () => void leave(0));
process.stdout.on("error", () => void leave(0));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void leave(0));
