import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { artifactKinds, artifactProjections } from "@swarm/artifact";
import { openJournal } from "@swarm/journal";
import { sessionKinds, sessionProjections } from "@swarm/session";
import { silentLogger, systemClock } from "@swarm/std";

/** Opens a stopped data directory, compacts it and says what it takes: bytes of all files, and of the blobs among them. */
export async function compactAndMeasure(home: string): Promise<{ bytes: number; blobBytes: number }> {
  const journal = await openJournal({
    home,
    kinds: [...sessionKinds, ...artifactKinds],
    projections: [...sessionProjections, ...artifactProjections],
    clock: systemClock,
    logger: silentLogger,
  });
  const { blobBytes } = await journal.compact();
  await journal.close();
  return { bytes: folderBytes(home), blobBytes };
}

function folderBytes(dir: string): number {
  let bytes = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.name === "logs") continue;
    bytes += entry.isDirectory() ? folderBytes(join(dir, entry.name)) : statSync(join(dir, entry.name)).size;
  }
  return bytes;
}
