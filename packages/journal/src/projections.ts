import type { AnyRecord } from "@swarm/protocol";
import type { KvStore, KvWrite } from "@swarm/kv";
import { AppError, errorMessage, type Clock, type Logger } from "@swarm/std";
import { seal, unseal } from "./codec.ts";
import type { Heads } from "./heads.ts";
import { checkpointKey } from "./keys.ts";
import type { ProjectionDefinition } from "./kinds.ts";
import { readSession, type Damage } from "./reader.ts";

/** A live state is written down every so many records … */
const CHECKPOINT_EVERY = 64;
/** … and when its session leaves memory, if that many came since: folding fewer is cheaper than keeping a copy. */
const CHECKPOINT_AT_LEAST = 16;
/** Sessions with live states. */
const SESSIONS_MAX = 2048;
const IDLE_MS = 5 * 60_000;
const PAGE_RECORDS = 256;

interface Live {
  readonly definition: ProjectionDefinition;
  state: unknown;
  /** The state is the fold of records 1 … rev; rev is the session's durable head. */
  rev: number;
  checkpointRev: number;
}

interface LiveSession {
  readonly states: Map<string, Live>;
  usedAt: number;
}

interface ProjectionsBase {
  readonly definitions: ReadonlyMap<string, ProjectionDefinition>;
  readonly heads: Heads;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The open store; waits while it is being opened again. */
  store(): Promise<KvStore>;
  onDamage(damage: Damage): void;
}

/**
 * Folds over sessions. Live ones are advanced with each commit; others cost nothing and are rebuilt from a
 * checkpoint and the records after it. Always the same state: `reduce` is pure.
 */
export class Projections {
  readonly #base: ProjectionsBase;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #loading = new Map<string, Promise<Live>>();
  readonly #checkpoints = new Map<string, string>();
  #generation = 0;

  constructor(base: ProjectionsBase) {
    this.#base = base;
  }

  peek(name: string, session: string): { readonly state: unknown } | undefined {
    return this.#touch(session)?.states.get(name);
  }

  /** The live state, loaded if need be. Throws AppError `bad_request` for an unknown projection. */
  async load(name: string, session: string): Promise<unknown> {
    const live = this.#touch(session)?.states.get(name);
    if (live) return live.state;
    const key = `${name} ${session}`;
    let loading = this.#loading.get(key);
    if (!loading) {
      loading = this.#rebuild(name, session).finally(() => this.#loading.delete(key));
      this.#loading.set(key, loading);
    }
    return (await loading).state;
  }

  /** Advances live states by records that are durable now. */
  fold(records: readonly { readonly record: AnyRecord }[]): void {
    for (const { record } of records) {
      const live = this.#sessions.get(record.session);
      if (live) for (const [name, state] of live.states) this.#advance(live, name, state, record);
    }
  }

  /** Checkpoints to write with the next batch. */
  takeCheckpoints(): KvWrite[] {
    if (this.#checkpoints.size === 0) return [];
    const writes = Array.from(this.#checkpoints, ([key, value]): KvWrite => ({ type: "put", key, value }));
    this.#checkpoints.clear();
    return writes;
  }

  get hasCheckpoints(): boolean {
    return this.#checkpoints.size > 0;
  }

  evictIdle(): void {
    const before = this.#base.clock.monotonic() - IDLE_MS;
    for (const [session, live] of this.#sessions) {
      if (live.usedAt > before) return; // in order of use
      this.#evict(session, live);
    }
  }

  evictAll(): void {
    for (const [session, live] of this.#sessions) this.#evict(session, live);
  }

  /** Forgets everything that is not on disk: after a failed commit the truth is there. */
  clear(): void {
    this.#generation++;
    this.#sessions.clear();
    this.#checkpoints.clear();
  }

  #touch(session: string): LiveSession | undefined {
    const live = this.#sessions.get(session);
    if (!live) return undefined;
    live.usedAt = this.#base.clock.monotonic();
    this.#sessions.delete(session);
    this.#sessions.set(session, live);
    return live;
  }

  #advance(session: LiveSession, name: string, live: Live, record: AnyRecord): void {
    if (record.rev <= live.rev) return;
    try {
      if (record.rev !== live.rev + 1) throw new Error(`record ${record.rev} came after ${live.rev}`);
      live.state = live.definition.reduce(live.state, record);
      live.rev = record.rev;
    } catch (error) {
      session.states.delete(name);
      this.#base.logger.log("error", "a projection failed and was dropped from memory", {
        projection: name,
        session: record.session,
        rev: record.rev,
        error: errorMessage(error),
      });
      return;
    }
    if (live.rev - live.checkpointRev >= CHECKPOINT_EVERY) this.#checkpoint(record.session, live);
  }

  #checkpoint(session: string, live: Live): void {
    const { name, version } = live.definition;
    this.#checkpoints.set(
      checkpointKey(session, name, version),
      seal(JSON.stringify({ rev: live.rev, state: live.state })),
    );
    live.checkpointRev = live.rev;
  }

  #evict(session: string, live: LiveSession): void {
    for (const state of live.states.values())
      if (state.rev - state.checkpointRev >= CHECKPOINT_AT_LEAST) this.#checkpoint(session, state);
    this.#sessions.delete(session);
  }

  async #rebuild(name: string, session: string): Promise<Live> {
    const definition = this.#base.definitions.get(name);
    if (!definition) throw new AppError("bad_request", `unknown projection '${name}'`);
    for (;;) {
      const generation = this.#generation;
      const store = await this.#base.store();
      const live = await this.#foldFromDisk(store, definition, session);
      // Heads are advanced in the tick of the commit: what is equal to the head here stays so until it is in the map.
      const head = this.#base.heads.find(store, session);
      if (generation === this.#generation && head?.rev === live.rev) {
        this.#insert(session, name, live);
        return live;
      }
    }
  }

  async #foldFromDisk(store: KvStore, definition: ProjectionDefinition, session: string): Promise<Live> {
    const live = await this.#readCheckpoint(store, definition, session);
    for (;;) {
      const head = await this.#base.heads.get(store, session);
      if (live.rev >= head.rev) return live;
      const page = await readSession(store, session, live.rev, head.rev, PAGE_RECORDS);
      page.damage.forEach((damage) => this.#base.onDamage(damage));
      for (const record of page.records) live.state = definition.reduce(live.state, record);
      live.rev = page.upTo;
    }
  }

  async #readCheckpoint(store: KvStore, definition: ProjectionDefinition, session: string): Promise<Live> {
    const key = checkpointKey(session, definition.name, definition.version);
    const value = await store.get(key);
    const body = value && unseal(value);
    if (value && body === undefined)
      this.#base.onDamage({
        what: "checkpoint",
        key,
        session,
        message: `a checkpoint of ${session} is damaged; the state is rebuilt from its records`,
      });
    if (body === undefined) return { definition, state: undefined, rev: 0, checkpointRev: 0 };
    const { rev, state } = JSON.parse(body) as { rev: number; state: unknown };
    const head = await this.#base.heads.get(store, session);
    if (rev > head.rev) return { definition, state: undefined, rev: 0, checkpointRev: 0 };
    return { definition, state, rev, checkpointRev: rev };
  }

  #insert(session: string, name: string, live: Live): void {
    let entry = this.#sessions.get(session);
    if (!entry) {
      entry = { states: new Map(), usedAt: this.#base.clock.monotonic() };
      this.#sessions.set(session, entry);
    }
    entry.states.set(name, live);
    if (this.#sessions.size <= SESSIONS_MAX) return;
    const [oldest, gone] = this.#sessions.entries().next().value!;
    this.#evict(oldest, gone);
  }
}
