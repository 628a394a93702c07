import { isAppError, sleep, type Logger } from "@swarm/std";

/** Trouble with the disk delays a run, never ends it: a write waits and tries again. */
const RETRY_MS = 1_000;
const STORE_CODES: ReadonlySet<string> = new Set(["disk_full", "storage_unavailable"]);

/** Writes until it is durable or refused. `signal`: the owner is gone, nobody waits any more. */
export async function patiently<T>(
  write: () => Promise<T>,
  who: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isAppError(error) || !STORE_CODES.has(error.code)) throw error;
      signal.throwIfAborted();
      logger.log("warn", `${who} waits for the store: ${error.message}`);
      await sleep(RETRY_MS, signal);
    }
  }
}
