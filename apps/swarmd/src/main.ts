/** The daemon's process: parse, compose, serve until a signal, drain. Errors of the start end it with one sentence. */
import { errorMessage, isAppError } from "@swarm/std";
import { openDaemon } from "./compose.ts";
import { parseConfig } from "./config.ts";
import { compactAndMeasure } from "./maintenance.ts";

const EXIT_FAILED = 1;
/** A second signal during the drain ends the process at once. */
const DRAIN_TIMEOUT_MS = 10_000;

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--compact")) {
    const config = parseConfig(
      args.filter((a) => a !== "--compact"),
      process.env,
    );
    process.stdout.write(`${JSON.stringify(await compactAndMeasure(config.home))}\n`);
    return;
  }
  const config = parseConfig(args, process.env);
  const daemon = await openDaemon(config);
  process.stdout.write(`${JSON.stringify({ ready: true, pid: process.pid, ...daemon.addresses })}\n`);
  let stopping = false;
  const stop = (reason: string): void => {
    if (stopping) process.exit(EXIT_FAILED);
    stopping = true;
    void daemon.stop(reason, DRAIN_TIMEOUT_MS).then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(`swarmd: ${errorMessage(error)}`);
        process.exit(EXIT_FAILED);
      },
    );
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  daemon.onStopRequested(() => stop("asked by a client"));
}

process.on("unhandledRejection", (reason) => {
  // a bug of ours: said in the log and counted, the other sessions live on
  console.error("swarmd: unhandled rejection:", reason);
});

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`swarmd: ${errorMessage(error)}${isAppError(error) ? ` [${error.code}]` : ""}`);
  if (!isAppError(error)) console.error(error);
  process.exit(EXIT_FAILED);
}
