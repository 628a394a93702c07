/** The simulator as a process: `node main.ts --port 0 [--scenario FILE] [--seed N] [--speed X] [--die-with-parent]`. */
import { parseArgs } from "node:util";
import { AppError, errorMessage } from "@swarm/std";
import { readScenario } from "./scenario.ts";
import { startSimulator } from "./server.ts";

function positive(name: string, text: string | undefined, fallback: number, min: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isFinite(value) || value < min)
    throw new AppError("bad_request", `--${name} must be a number of at least ${min}, not ${JSON.stringify(text)}`);
  return value;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: "string" },
      host: { type: "string" },
      scenario: { type: "string" },
      seed: { type: "string" },
      speed: { type: "string" },
      "die-with-parent": { type: "boolean" },
    },
  });
  const simulator = await startSimulator({
    port: positive("port", values.port, 0, 0),
    ...(values.host === undefined ? {} : { host: values.host }),
    ...(values.scenario === undefined ? {} : { scenario: readScenario(values.scenario) }),
    seed: positive("seed", values.seed, 1, 0),
    speed: positive("speed", values.speed, 1, 0.001),
  });
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void simulator.close().then(() => process.exit(0));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (values["die-with-parent"]) {
    process.stdin.on("end", stop).on("close", stop).on("error", stop);
    process.stdin.resume();
  }
  process.stdout.write(`${JSON.stringify({ ready: true, port: simulator.port })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`modelsim: ${errorMessage(error)}\n`);
  process.exit(error instanceof AppError && error.code === "bad_request" ? 2 : 1);
});
