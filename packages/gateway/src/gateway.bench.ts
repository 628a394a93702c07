/**
 * CPU of the chat wire against a bare reader (http, split, JSON.parse, concat) of the same streams in the same process,
 * in pairs of rounds whose order alternates. `run()` takes about ten seconds; `node gateway.bench.ts` prints it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LanguageModel } from "@swarm/protocol/ports";
import { quantileOf } from "@swarm/std";
import { gatewayFor, prompt } from "./testing/harness.ts";

const STREAMS = 100;
const EVENTS = 1360;
const EVENTS_PER_SECOND = 1000; // a stream: 100,000 events/s in all, twice the target load
const PAIRS = 3;

export interface BenchResult {
  readonly streams: number;
  readonly events: number;
  readonly gatewayCpuMsPerStream: number;
  readonly bareCpuMsPerStream: number;
  /** Gateway ÷ bare reader, median of the pairs. */
  readonly cpuRatio: number;
  readonly batchesPerStream: number;
  readonly partsPerStream: number;
  readonly baseRssMib: number;
  readonly peakRssMib: number;
}

export async function run(): Promise<BenchResult> {
  const server = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, "testing/provider.bench.ts"),
      String(EVENTS),
      String(EVENTS_PER_SECOND),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  try {
    const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
    const { port, argsUnits } = JSON.parse(line) as { port: number; argsUnits: number };
    const gateway = gatewayFor(`http://127.0.0.1:${port}`);
    const model = gateway.resolve("c/card");
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
    const bare = (): Promise<number> => bareStream(port, agent);
    const counts = { batches: 0, parts: 0 };
    const ours = (): Promise<number> => ourStream(model, counts);
    await round(bare, 10, argsUnits);
    await round(ours, 10, argsUnits);
    counts.batches = counts.parts = 0;
    const cpu = { bare: 0, ours: 0 };
    const ratios: number[] = [];
    const base = process.memoryUsage.rss();
    let peak = base;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 100);
    for (let i = 0; i < PAIRS; i++) {
      const first = await round(i % 2 === 0 ? bare : ours, STREAMS, argsUnits);
      const second = await round(i % 2 === 0 ? ours : bare, STREAMS, argsUnits);
      const [b, o] = i % 2 === 0 ? [first, second] : [second, first];
      cpu.bare += b;
      cpu.ours += o;
      ratios.push(o / b);
    }
    clearInterval(timer);
    gateway.close();
    agent.destroy();
    const per = STREAMS * PAIRS;
    return {
      streams: STREAMS,
      events: EVENTS,
      gatewayCpuMsPerStream: cpu.ours / per,
      bareCpuMsPerStream: cpu.bare / per,
      cpuRatio: quantileOf(ratios, 0.5)!,
      batchesPerStream: counts.batches / per,
      partsPerStream: counts.parts / per,
      baseRssMib: base / 1048576,
      peakRssMib: peak / 1048576,
    };
  } finally {
    server.stdin.end();
    server.kill();
  }
}

/** CPU ms of `n` streams at once. */
async function round(stream: () => Promise<number>, n: number, argsUnits: number): Promise<number> {
  const before = process.cpuUsage();
  const units = await Promise.all(Array.from({ length: n }, stream));
  const used = process.cpuUsage(before);
  if (units.some((u) => u !== argsUnits)) throw new Error("a stream lost text");
  return (used.user + used.system) / 1000;
}

async function ourStream(model: LanguageModel, counts: { batches: number; parts: number }): Promise<number> {
  let units = -1;
  for await (const batch of model.stream(prompt(), new AbortController().signal)) {
    counts.batches++;
    counts.parts += batch.length;
    for (const part of batch) if (part.type === "tool-call-end") units = part.args.length;
  }
  return units;
}

function bareStream(port: number, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        path: "/v1/chat/completions",
        method: "POST",
        agent,
        headers: { "content-type": "application/json" },
      },
      (response) => {
        let rest = "";
        let args = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          const frames = (rest + chunk).split("\n\n");
          rest = frames.pop() ?? "";
          for (const frame of frames) {
            if (!frame.startsWith("data: {")) continue;
            const { choices } = JSON.parse(frame.slice(6)) as {
              choices: { delta: { tool_calls?: { function: { arguments: string } }[] } }[];
            };
            args += choices[0]?.delta.tool_calls?.[0]?.function.arguments ?? "";
          }
        });
        response.on("end", () => resolve(args.length));
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify({ model: "card", stream: true, messages: [{ role: "user", content: "x" }] }));
  });
}

if (import.meta.main) console.log(JSON.stringify(await run(), null, 1));
