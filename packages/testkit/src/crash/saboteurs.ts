import type { KvStore, KvWrite } from "@swarm/kv";

/**
 * Journals that are broken on purpose, made by a store that betrays the honest journal above it. A crash harness
 * is worth something only while it turns red on each of them.
 */
export const SABOTEURS = ["acknowledged-before-batch", "index-outside-batch", "no-sync"] as const;
export type Saboteur = (typeof SABOTEURS)[number];

/** How long the betrayed part of a batch is late. */
const LATE_MS = 15;

export function sabotage(store: KvStore, saboteur: Saboteur): KvStore {
  const betray = BETRAYALS[saboteur];
  const late = new LateWriter(store);
  return {
    abilities: store.abilities,
    get: (key) => store.get(key),
    getSync: (key) => store.getSync(key),
    getMany: (keys) => store.getMany(keys),
    range: (range) => store.range(range),
    iterate: (range) => store.iterate(range),
    close: () => store.close(),
    batch: (writes, options) => betray(store, late, writes, options),
  };
}

type Betrayal = (
  store: KvStore,
  late: LateWriter,
  writes: readonly KvWrite[],
  options: { readonly sync: boolean },
) => Promise<void>;

const BETRAYALS: Record<Saboteur, Betrayal> = {
  "acknowledged-before-batch": async (_store, late, writes) => late.write(writes),
  "index-outside-batch": async (store, late, writes, options) => {
    await store.batch(
      writes.filter(({ key }) => !key.startsWith("x/")),
      options,
    );
    late.write(writes.filter(({ key }) => key.startsWith("x/")));
  },
  "no-sync": (store, _late, writes) => store.batch(writes, { sync: false }),
};

/** Writes later, in order. */
class LateWriter {
  readonly #store: KvStore;
  #tail: Promise<void> = Promise.resolve();
  constructor(store: KvStore) {
    this.#store = store;
  }
  write(writes: readonly KvWrite[]): void {
    const due = new Promise<void>((resolve) => setTimeout(resolve, LATE_MS));
    this.#tail = this.#tail.then(() => due).then(() => this.#store.batch(writes, { sync: true }));
  }
}
