import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KV_LOCKED, KvError, openLevelStore, type KvStore } from "@swarm/kv";
import { AppError, errnoCode, errorMessage, sleep, type Logger } from "@swarm/std";
import type { JournalPlace } from "../place.ts";
import { isAlive, readLock, writeLock } from "./lock.ts";

/** Inside the data directory: the engine's folder, the chain key, the lock file. */
const STORE_FOLDER = "journal";
const KEY_FILE = "journal.key";
/** A holder that just got the kernel lock has not written its name yet: so long a loser waits for it. */
const NAME_WAIT_MS = 1500;
const NAME_POLL_MS = 50;
/**
 * Room that must be free before a store that failed is opened again: the engine then turns its logs (two write
 * buffers of 8 MiB) into tables. Opened with less it could fail half-way, and the reads would be gone as well.
 */
const REOPEN_BYTES = 20 * 1024 * 1024;
/** Written for real: quotas do not show in the free space. */
const PROBE_BYTES = 256 * 1024;

/** A journal's place in data directory `home`. `open` rejects with AppError data_dir_locked, data_dir_unwritable or disk_full. */
export function diskPlace(
  home: string,
  logger: Logger,
  openStore: (location: string) => Promise<KvStore> = openLevelStore,
): JournalPlace {
  let release: (() => Promise<void>) | undefined;
  let clean = true;
  return {
    get clean() {
      return clean;
    },
    async open() {
      if (release) return await openStore(join(home, STORE_FOLDER));
      await makeHome(home);
      const store = await openFirst(home, openStore);
      const owner = await readLock(home);
      if (owner) {
        clean = false;
        logger.log("warn", "took over the lock of a process that is gone", { home, pid: owner.pid });
      }
      release = await writeLock(home);
      return store;
    },
    chainKey: (fresh) => chainKey(home, fresh),
    async probe() {
      const { bavail, bsize } = await statfs(home);
      if (bavail * bsize < REOPEN_BYTES)
        throw new KvError("ENOSPC", `less than ${REOPEN_BYTES / 2 ** 20} MiB are free in ${home}`);
      await probe(home, PROBE_BYTES);
    },
    async release() {
      await release?.();
      release = undefined;
    },
  };
}

async function makeHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await probe(home, 1);
  } catch (error) {
    if (errnoCode(error) === "ENOSPC")
      throw new AppError("disk_full", `no space left in ${home}`, { cause: error, retry: "after-fix" });
    throw new AppError("data_dir_unwritable", `cannot write in ${home}: ${errorMessage(error)}`, {
      cause: error,
      retry: "after-fix",
    });
  }
}

/** Opens the store for a process that does not own it yet; a live owner's name in the lock file is honoured. */
async function openFirst(home: string, openStore: (location: string) => Promise<KvStore>): Promise<KvStore> {
  for (let waitedMs = 0; ; waitedMs += NAME_POLL_MS) {
    const store = await tryOpen(join(home, STORE_FOLDER), openStore);
    const owner = await readLock(home);
    if (store && !(owner && isAlive(owner))) return store;
    await store?.close();
    if (owner && isAlive(owner)) {
      throw new AppError("data_dir_locked", `${home} belongs to process ${owner.pid}, which is running`, {
        retry: "after-fix",
        details: { home, pid: owner.pid },
      });
    }
    if (waitedMs >= NAME_WAIT_MS)
      throw new AppError("data_dir_locked", `${home} is held by another process that has not given its name`, {
        retry: "later",
        details: { home },
      });
    await sleep(NAME_POLL_MS);
  }
}

async function tryOpen(
  location: string,
  openStore: (location: string) => Promise<KvStore>,
): Promise<KvStore | undefined> {
  try {
    return await openStore(location);
  } catch (error) {
    const code = error instanceof KvError ? error.code : undefined;
    if (code === KV_LOCKED) return undefined;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new AppError("disk_full", `no space left for ${location}`, { cause: error, retry: "after-fix" });
    if (code === "EACCES" || code === "EROFS")
      throw new AppError("data_dir_unwritable", `cannot write in ${location}: ${errorMessage(error)}`, {
        cause: error,
        retry: "after-fix",
      });
    throw new AppError("data_corrupt", `the journal in ${location} cannot be opened: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

async function chainKey(home: string, fresh: boolean): Promise<string> {
  const path = join(home, KEY_FILE);
  try {
    return (await readFile(path, "latin1")).trim();
  } catch (error) {
    if (errnoCode(error) !== "ENOENT") throw error;
    if (!fresh) {
      throw new AppError(
        "data_corrupt",
        `${path} is missing: without it the journal cannot prove that its records are unchanged. Put it back from a backup.`,
        { retry: "after-fix" },
      );
    }
  }
  const key = randomBytes(32).toString("hex");
  await writeDurably(path, `${key}\n`);
  return key;
}

async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function probe(home: string, bytes: number): Promise<void> {
  const path = join(home, `probe.${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(Buffer.alloc(bytes));
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}
