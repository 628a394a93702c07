/**
 * kv: the ordered store port, its memory form and the embedded engine. Refuses to know: what is kept in it,
 * how values are encoded, who may read them.
 */
export { openLevelStore } from "./level/classic-level-store.ts";
export { MemoryStore } from "./memory.ts";
export { compareKeys, prefixEnd } from "./order.ts";
export {
  KV_CLOSED,
  KV_LOCKED,
  KvError,
  type KvAbilities,
  type KvEntry,
  type KvIterator,
  type KvRange,
  type KvStore,
  type KvWrite,
} from "./store.ts";
