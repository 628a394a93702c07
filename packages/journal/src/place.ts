import { hash } from "node:crypto";
import type { KvStore } from "@swarm/kv";

/** Where a journal lives: how its store is opened (again), where its chain key is, whether there is room. */
export interface JournalPlace {
  /** Claims the place and opens the store; again after the store was closed. */
  open(): Promise<KvStore>;
  /** The key of the MAC chain, 64 hex digits; made when `fresh`, otherwise it must be there. */
  chainKey(fresh: boolean): Promise<string>;
  /** Rejects while nothing can be written. */
  probe(): Promise<void>;
  /** Gives the claim up; the store is still open. */
  release(): Promise<void>;
  /** False when the last owner did not close the journal. Known after `open`. */
  readonly clean: boolean;
}

/** A place around a store that somebody else owns, for tests: no lock, no file, a chain key made from the name. */
export function placeOfStore(store: KvStore, name: string): JournalPlace {
  return {
    clean: true,
    open: async () => store,
    chainKey: async () => hash("sha256", `chain key of ${name}`, "hex"),
    probe: async () => {},
    release: async () => {},
  };
}
