/**
 * CPU of the chat wire against a bare reader (http, split, JSON.parse, concat) of the same streams in the same process,
 * rounds alternating. `run()` takes about ten seconds; `node gateway.bench.ts` prints it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LanguageModel } from "@swarm/protocol/ports";
import { gatewayFor, prompt } from "./testing/harness.ts";

const STREAMS = 100;
const EVENTS = 1360;
const EVENTS_PER_SECOND = 1000; // a stream: 100,000 events/s in all, twice the target load
const ROUNDS = 3;

export interface BenchResult {
  readonly streams: number;
  readonly events: number;
  readonly gatewayCpuMsPerStream: number;
  readonly bareCpuMsPerStream: number;
  /** Gateway ÷ bare reader. */
  readonly cpuRatio: number;
  readonly batchesPerStream: number;
  readonly partsPerStream: number;
  readonly gatewayPeakRssMib: number;
}

export async function run(): Promise<BenchResult> {
  const server = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "testing/bench-provider.ts"), String(EVENTS), String(EVENTS_PER_SECOND)], { stdio: ["pipe", "pipe", "inherit"] });
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
    let peak = 0;
    for (let i = 0; i < ROUNDS; i++) {
      cpu.bare += await round(bare, STREAMS, argsUnits);
      const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
      cpu.ours += await round(ours, STREAMS, argsUnits);
      clearInterval(timer);
    }
    gateway.close();
    agent.destroy();
    const per = STREAMS * ROUNDS;
    return {
      streams: STREAMS,
      events: EVENTS,
      gatewayCpuMsPerStream: cpu.ours / per,
      bareCpuMsPerStream: cpu.bare / per,
      cpuRatio: cpu.ours / cpu.bare,
      batchesPerStream: counts.batches / per,
      partsPerStream: counts.parts / per,
      gatewayPeakRssMib: peak / 1048576,
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
    const outgoing = request({ host: "127.0.0.1", port, path: "/v1/chat/completions", method: "POST", agent, headers: { "content-type": "application/json" } }, (response) => {
      let rest = "";
      let args = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const frames = (rest + chunk).split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) {
          if (!frame.startsWith("data: {")) continue;
          const { choices } = JSON.parse(frame.slice(6)) as { choices: { delta: { tool_calls?: { function: { arguments: string } }[] } }[] };
          args += choices[0]?.delta.tool_calls?.[0]?.function.arguments ?? "";
        }
      });
      response.on("end", () => resolve(args.length));
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify({ model: "card", stream: true, messages: [{ role: "user", content: "x" }] }));
  });
}

if (import.meta.main) console.log(JSON.stringify(await run(), null, 1));
