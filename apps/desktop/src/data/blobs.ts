import type { DaemonApi } from "./api.ts";

/**
 * Pictures by hash, fetched with the token and shown from memory. A picture in use is held; one that is not is
 * kept while there is room and its address revoked when it leaves.
 */
const KEEP_UNUSED = 96;
const PARALLEL = 6;
/** A picture that is wanted for less than this is not fetched: it only scrolled past. */
const FLY_BY_MS = 60;

interface Entry {
  users: number;
  url: Promise<string | undefined>;
  settled: string | undefined;
}

export interface Stills {
  /** The same hash gives the same address as long as somebody holds it. `undefined`: could not be fetched. */
  hold(hash: string): Promise<string | undefined>;
  /** The address at once when it is here already. */
  peek(hash: string): string | undefined;
  release(hash: string): void;
}

export function createStills(api: Pick<DaemonApi, "blob">): Stills {
  const entries = new Map<string, Entry>(); // insertion order is age of last use
  const queue: (() => void)[] = [];
  let running = 0;

  async function load(hash: string): Promise<string | undefined> {
    await new Promise((resolve) => setTimeout(resolve, FLY_BY_MS));
    if (running >= PARALLEL) await new Promise<void>((resolve) => queue.push(resolve));
    running++;
    try {
      if (entries.get(hash)?.users === 0) return undefined; // it flew by: nobody looks at it any more
      return URL.createObjectURL(new Blob([await api.blob(hash)], { type: "image/png" }));
    } catch {
      return undefined; // shown as "no preview"; a later hold tries again
    } finally {
      running--;
      queue.shift()?.();
    }
  }

  function trim(): void {
    let unused = 0;
    for (const entry of entries.values()) if (entry.users === 0) unused++;
    for (const [hash, entry] of entries) {
      if (unused <= KEEP_UNUSED) return;
      if (entry.users > 0) continue;
      entries.delete(hash);
      unused--;
      if (entry.settled !== undefined) URL.revokeObjectURL(entry.settled);
    }
  }

  return {
    hold(hash) {
      let entry = entries.get(hash);
      if (entry === undefined) {
        const made: Entry = { users: 0, settled: undefined, url: Promise.resolve(undefined) };
        made.url = load(hash).then((url) => {
          made.settled = url;
          if (url === undefined) entries.delete(hash);
          return url;
        });
        entry = made;
      } else entries.delete(hash);
      entries.set(hash, entry);
      entry.users++;
      return entry.url;
    },
    peek: (hash) => entries.get(hash)?.settled,
    release(hash) {
      const entry = entries.get(hash);
      if (entry) entry.users--;
      trim();
    },
  };
}
