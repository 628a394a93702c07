import type { AnyRecord, Cursor, Diagnostics, StoredText } from "@swarm/protocol";
import type { AnyMutation, Applied, BlobWrite, JournalWriter } from "@swarm/protocol/ports";
import { compareKeys, prefixEnd, type KvRange, type KvStore } from "@swarm/kv";
import { AppError, errorMessage, type Clock, type Logger } from "@swarm/std";
import { blobOf, decodeBlob } from "./blob.ts";
import { unseal } from "./codec.ts";
import { Committer, type StoreState } from "./committer.ts";
import { diskPlace } from "./disk/disk-place.ts";
import { Engine } from "./engine.ts";
import type { CommittedRecord } from "./group.ts";
import { Heads } from "./heads.ts";
import { blobKey, indexKey, indexSpace, SPACE, spaceEnd } from "./keys.ts";
import { createRegistry, type KindDefinition, type ProjectionDefinition } from "./kinds.ts";
import { Meter } from "./meter.ts";
import { placeOfStore, type JournalPlace } from "./place.ts";
import { Projections } from "./projections.ts";
import { damageError, readSession, readSince, type Damage } from "./reader.ts";
import { readStream, Streams } from "./streams.ts";
import { assertName } from "./unit.ts";
import { verifyStore, type VerifyReport } from "./verify.ts";

const EVICT_EVERY_MS = 30_000;
/** Damaged places remembered and logged once each. */
const DAMAGE_MAX = 1000;

export interface JournalOptions {
  /** Data directory. */
  readonly home: string;
  readonly kinds: readonly KindDefinition[];
  readonly projections: readonly ProjectionDefinition[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** For tests: a store that the caller owns; nothing in `home` is touched. */
  readonly store?: KvStore;
  /** For tests: another place than the data directory. */
  readonly place?: JournalPlace;
}

export interface IndexRange {
  readonly prefix?: string;
  /** Exclusive. */
  readonly after?: string;
  /** Exclusive. */
  readonly before?: string;
  readonly limit: number;
  readonly reverse?: boolean;
}

/**
 * The durable log of all state. Reads answer what is durable. They throw AppError `data_corrupt` naming what is
 * damaged (`details`: session, rev, seq); everything else stays readable.
 */
export interface Journal extends JournalWriter, AsyncDisposable {
  readonly incarnation: string;
  /** False when the last owner of the data directory did not close it. */
  readonly clean: boolean;
  /** The durable head. */
  cursor(): Cursor;
  head(session: string): Promise<{ readonly rev: number; readonly epoch: number } | undefined>;
  /** By revision, those above `after` (default 0). */
  records(session: string, options: { readonly after?: number; readonly limit: number }): Promise<AnyRecord[]>;
  /** In global order, those with a seq above `seq`. */
  recordsSince(seq: number, limit: number): Promise<AnyRecord[]>;
  /** The fold over all records of the session; undefined when it has none. Damaged records are skipped and listed in `damage()`. */
  project<S>(name: string, session: string): Promise<S | undefined>;
  index(name: string, range: IndexRange): Promise<{ key: string; value: unknown }[]>;
  readBlob(sha256: string): Promise<Uint8Array | undefined>;
  readText(text: StoredText): Promise<string>;
  /** What of a stream is on disk from its beginning without a hole; "" when nothing. */
  readStream(stream: string): Promise<string>;
  /** Called with each durable batch in seq order, before its writers are answered. Must not throw or wait. Answers its removal. */
  onCommit(listener: (batch: readonly CommittedRecord[]) => void): () => void;
  state(): StoreState;
  stats(): Diagnostics["journal"];
  /** Damaged places met since the journal was opened. */
  damage(): readonly Damage[];
  /** Reads everything and checks every law of the log. */
  verify(): Promise<VerifyReport>;
  /** Rewrites the store without what was overwritten or deleted, for maintenance; answers the bytes its blobs take. */
  compact(): Promise<{ readonly blobBytes: number }>;
  /** Answers what was asked, then closes. */
  close(): Promise<void>;
}

/**
 * Opens the journal in a data directory, which this process then owns until `close`. Rejects with AppError:
 * data_dir_locked, data_dir_unwritable, data_newer, data_corrupt, disk_full.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { home, logger, store } = options;
  const place = options.place ?? (store ? placeOfStore(store, home) : diskPlace(home, logger));
  const engine = new Engine(place);
  const opened = await engine.open();
  const journal = new EmbeddedJournal(options, engine, opened.tail);
  opened.damage.forEach((damage) => journal.report(damage));
  await journal.start();
  return journal;
}

class EmbeddedJournal implements Journal {
  readonly #engine: Engine;
  readonly #logger: Logger;
  readonly #heads = new Heads();
  readonly #streams = new Streams();
  readonly #meter = new Meter();
  readonly #projections: Projections;
  readonly #committer: Committer;
  readonly #listeners = new Set<(batch: readonly CommittedRecord[]) => void>();
  readonly #damage = new Map<string, Damage>();
  readonly #evictions: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(options: JournalOptions, engine: Engine, tail: { seq: number; mac: string }) {
    const { clock, logger } = options;
    const registry = createRegistry(options.kinds, options.projections);
    const onDamage = (damage: Damage): void => this.report(damage);
    this.#engine = engine;
    this.#logger = logger;
    this.#projections = new Projections({
      definitions: registry.projections,
      heads: this.#heads,
      clock,
      logger,
      store: () => engine.reader(),
      onDamage,
    });
    this.#committer = new Committer(
      {
        engine,
        heads: this.#heads,
        projections: this.#projections,
        streams: this.#streams,
        registry,
        meter: this.#meter,
        clock,
        logger,
        onDamage,
        publish: (batch) => this.#publish(batch),
      },
      tail,
    );
    this.#evictions = setInterval(() => {
      this.#projections.evictIdle();
      this.#committer.scheduleExtras();
    }, EVICT_EVERY_MS);
    this.#evictions.unref();
  }

  async start(): Promise<void> {
    await this.#streams.load(this.#engine.store);
  }

  get incarnation(): string {
    return this.#engine.incarnation;
  }
  get clean(): boolean {
    return this.#engine.place.clean;
  }
  cursor(): Cursor {
    return { incarnation: this.incarnation, seq: this.#committer.seq };
  }
  state(): StoreState {
    return this.#committer.state;
  }
  stats(): Diagnostics["journal"] {
    return this.#meter.stats();
  }
  damage(): readonly Damage[] {
    return [...this.#damage.values()];
  }

  apply(mutations: AnyMutation | readonly AnyMutation[]): Promise<readonly Applied[]> {
    return this.#committer.apply(
      Array.isArray(mutations) ? (mutations as readonly AnyMutation[]) : [mutations as AnyMutation],
    );
  }
  blob(bytes: Uint8Array): BlobWrite {
    return blobOf(bytes);
  }
  chunk(stream: string, offset: number, text: string): void {
    assertName("stream", stream);
    this.#committer.chunk(stream, offset, text);
  }

  async head(session: string): Promise<{ rev: number; epoch: number } | undefined> {
    const head = await this.#engine.read((store) => this.#heads.get(store, session));
    return head.rev === 0 ? undefined : { rev: head.rev, epoch: head.epoch };
  }

  async records(session: string, options: { readonly after?: number; readonly limit: number }): Promise<AnyRecord[]> {
    const page = await this.#engine.read(async (store) => {
      const { rev } = await this.#heads.get(store, session);
      return await readSession(store, session, options.after ?? 0, rev, options.limit);
    });
    page.damage.forEach((damage) => this.report(damage));
    if (page.damage[0]) throw damageError(page.damage[0]);
    return [...page.records];
  }

  async recordsSince(seq: number, limit: number): Promise<AnyRecord[]> {
    const known = this.#committer.seq - seq;
    if (known <= 0) return [];
    return await this.#engine.read((store) => readSince(store, seq, Math.min(limit, known)));
  }

  async project<S>(name: string, session: string): Promise<S | undefined> {
    const live = this.#projections.peek(name, session);
    if (live) return live.state as S | undefined;
    return (await this.#engine.read(() => this.#projections.load(name, session))) as S | undefined;
  }

  async index(name: string, options: IndexRange): Promise<{ key: string; value: unknown }[]> {
    const space = indexSpace(name);
    const { prefix = "", after, before, limit, reverse = false } = options;
    const floor = indexKey(name, prefix);
    const ceiling = prefix === "" ? spaceEnd(space) : prefixEnd(floor);
    const low = after === undefined ? floor : indexKey(name, after);
    const high = before === undefined ? ceiling : indexKey(name, before);
    const range: KvRange = {
      ...(after !== undefined && compareKeys(low, floor) >= 0 ? { gt: low } : { gte: floor }),
      lt: compareKeys(high, ceiling) < 0 ? high : ceiling,
      reverse,
    };
    const entries = await this.#engine.read((store) => store.range({ ...range, limit }));
    const found: { key: string; value: unknown }[] = [];
    for (const { key, value } of entries) {
      const body = unseal(value);
      if (body === undefined)
        this.report({ what: "index", key, message: `entry '${key.slice(space.length)}' of index ${name} is damaged` });
      else found.push({ key: key.slice(space.length), value: JSON.parse(body) });
    }
    return found;
  }

  async readBlob(sha256: string): Promise<Uint8Array | undefined> {
    const value = await this.#engine.read((store) => store.get(blobKey(sha256)));
    return value && decodeBlob(value, sha256);
  }

  async readText(text: StoredText): Promise<string> {
    if (typeof text === "string") return text;
    const bytes = await this.readBlob(text.blob);
    if (!bytes) throw new AppError("not_found", `no blob ${text.blob}`, { details: { blob: text.blob } });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  }

  async compact(): Promise<{ readonly blobBytes: number }> {
    return this.#engine.read(async (store) => {
      await store.compact?.();
      let blobBytes = 0;
      await using iterator = store.iterate({ gte: SPACE.blobs, lt: spaceEnd(SPACE.blobs) });
      for (let page = await iterator.next(256); page.length > 0; page = await iterator.next(256)) {
        for (const { key, value } of page) blobBytes += key.length + value.byteLength;
      }
      return { blobBytes };
    });
  }

  readStream(stream: string): Promise<string> {
    return this.#engine.read((store) => readStream(store, stream));
  }

  onCommit(listener: (batch: readonly CommittedRecord[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  verify(): Promise<VerifyReport> {
    return this.#engine.read((store) => verifyStore(store, this.#engine.chain));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  report(damage: Damage): void {
    const key = `${damage.what} ${damage.key ?? ""} ${damage.session ?? ""} ${damage.rev ?? ""} ${damage.seq ?? ""}`;
    if (this.#damage.has(key) || this.#damage.size >= DAMAGE_MAX) return;
    this.#damage.set(key, damage);
    this.#logger.log("error", `damaged data: ${damage.message}`, { ...damage });
  }

  async #close(): Promise<void> {
    clearInterval(this.#evictions);
    await this.#committer.close();
    await this.#engine.close();
  }

  #publish(batch: readonly CommittedRecord[]): void {
    for (const listener of this.#listeners) {
      try {
        listener(batch);
      } catch (error) {
        this.#logger.log("error", "a listener of the journal failed", { error: errorMessage(error) });
      }
    }
  }
}
