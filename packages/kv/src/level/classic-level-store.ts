import type { ClassicLevel } from "classic-level";
import {
  KV_CLOSED,
  KV_LOCKED,
  KvError,
  type KvAbilities,
  type KvEntry,
  type KvIterator,
  type KvRange,
  type KvStore,
  type KvWrite,
} from "../store.ts";

/**
 * The embedded engine: LevelDB, an LSM tree whose commits, syncs and compactions run off the main thread.
 * It checks nothing it reads: whoever needs to know adds a checksum to its values.
 */
const SETTINGS = {
  /** Two may live at once, and a long log is the reopen time: 64 MB measured no faster. */
  writeBufferSize: 8 * 1024 * 1024,
  cacheSize: 8 * 1024 * 1024,
  blockSize: 16 * 1024,
  maxFileSize: 8 * 1024 * 1024,
  compression: true,
} as const;

type Level = ClassicLevel<string, Uint8Array>;

/** Opens or makes a store in folder `location`. Rejects with KvError: `KV_LOCKED`, an errno, or `EIO`. */
export async function openLevelStore(location: string): Promise<KvStore> {
  const { ClassicLevel } = await import("classic-level");
  const level = new ClassicLevel<string, Uint8Array>(location, {
    keyEncoding: "utf8",
    valueEncoding: "buffer",
    ...SETTINGS,
  });
  try {
    await level.open();
  } catch (error) {
    throw translate(error);
  }
  return new ClassicLevelStore(level);
}

class ClassicLevelStore implements KvStore {
  readonly abilities: KvAbilities = { durable: true, exclusive: true };
  readonly #level: Level;

  constructor(level: Level) {
    this.#level = level;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return await this.#level.get(key).catch(rethrow);
  }

  getSync(key: string): Uint8Array | undefined {
    try {
      return this.#level.getSync(key);
    } catch (error) {
      throw translate(error);
    }
  }

  async getMany(keys: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    return await this.#level.getMany(keys as string[]).catch(rethrow);
  }

  async range(range: KvRange & { readonly limit: number }): Promise<KvEntry[]> {
    if (range.limit <= 0) return [];
    await using iterator = this.#open(range, range.limit);
    return await iterator.next(range.limit);
  }

  iterate(range: KvRange): KvIterator {
    return this.#open(range, -1);
  }

  async batch(writes: readonly KvWrite[], options: { readonly sync: boolean }): Promise<void> {
    try {
      const batch = this.#level.batch();
      for (const write of writes) {
        if (write.type === "del") batch.del(write.key);
        else if (typeof write.value === "string") batch.put(write.key, write.value, AS_UTF8);
        else batch.put(write.key, write.value);
      }
      await batch.write(options);
    } catch (error) {
      throw translate(error);
    }
  }

  async compact(): Promise<void> {
    await this.#level.compactRange("", "\uffff").catch(rethrow);
  }

  async close(): Promise<void> {
    await this.#level.close();
  }

  #open(range: KvRange, limit: number): KvIterator {
    const iterator = this.#level.iterator({ ...range, limit, highWaterMarkBytes: 256 * 1024 });
    const close = async (): Promise<void> => await iterator.close();
    return {
      async next(count) {
        // One engine call stops at its high-water mark of bytes: go on until the page is full or the range ends.
        const entries: KvEntry[] = [];
        while (entries.length < count) {
          const some = await iterator.nextv(count - entries.length).catch(rethrow);
          if (some.length === 0) break;
          for (const [key, value] of some) entries.push({ key, value });
        }
        return entries;
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }
}

const AS_UTF8 = { valueEncoding: "utf8" } as const;

function rethrow(error: unknown): never {
  throw translate(error);
}

/** The engine gives only text for what the file system said: this is the one place that reads it. */
function translate(error: unknown): KvError {
  const texts: string[] = [];
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++) {
    const { code } = e as { code?: unknown };
    if (code === "LEVEL_LOCKED") return new KvError(KV_LOCKED, e.message, error);
    if (code === "LEVEL_DATABASE_NOT_OPEN" && e.cause === undefined)
      return new KvError(KV_CLOSED, "the store is closed", error);
    if (typeof code === "string" && /^E[A-Z]+$/.test(code)) return new KvError(code, e.message, error);
    texts.push(e.message);
  }
  const text = texts.join(": ");
  const errno = ERRNO_TEXTS.find(([fragment]) => text.includes(fragment));
  return new KvError(errno?.[1] ?? "EIO", text, error);
}

const ERRNO_TEXTS = [
  ["No space left on device", "ENOSPC"],
  ["Disk quota exceeded", "EDQUOT"],
  ["Permission denied", "EACCES"],
  ["Read-only file system", "EROFS"],
  ["Too many open files", "EMFILE"],
] as const;
