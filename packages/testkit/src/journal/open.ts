import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal, type Journal, type JournalOptions, type JournalPlace } from "@swarm/journal";
import { MemoryStore, type KvStore } from "@swarm/kv";
import { silentLogger, systemClock, type Logger } from "@swarm/std";
import { tallyKinds, tallyProjections } from "./kinds.ts";

/** A journal of the test kinds, in memory unless told otherwise. */
export function openTally(options: Partial<JournalOptions> = {}): Promise<Journal> {
  const place =
    options.home === undefined && options.place === undefined && options.store === undefined
      ? { store: new MemoryStore() }
      : {};
  return openJournal({
    home: "memory",
    kinds: tallyKinds,
    projections: tallyProjections,
    clock: systemClock,
    logger: silentLogger,
    ...place,
    ...options,
  });
}

/** A place around `open`, with a probe of the test's choice. Always the same chain key. */
export function placeOver(open: () => Promise<KvStore>, probe: () => Promise<void> = async () => {}): JournalPlace {
  return { clean: true, open, probe, chainKey: async () => "5a".repeat(32), release: async () => {} };
}

export async function withHome<T>(body: (home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), "swarm-journal-"));
  try {
    return await body(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

export function collectLogs(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    log: (level, message, fields) => void lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`),
  };
}
