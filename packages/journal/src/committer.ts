import type { AnyMutation, Applied } from "@swarm/protocol/ports";
import type { KvWrite } from "@swarm/kv";
import { AppError, Deferred, errnoCode, errorMessage, isAppError, type Clock, type Logger } from "@swarm/std";
import type { Engine } from "./engine.ts";
import { GroupBuilder, type CommittedRecord } from "./group.ts";
import type { Heads } from "./heads.ts";
import type { Registry } from "./kinds.ts";
import type { Meter } from "./meter.ts";
import type { Projections } from "./projections.ts";
import { readSince, type Damage } from "./reader.ts";
import { CHUNK_MS, type Streams } from "./streams.ts";
import type { Tail } from "./tail.ts";
import { prepareItems, type Unit } from "./unit.ts";

/** Mutations of one sync: uncapped groups double the event-loop delay at a thousand writers. */
const GROUP_MAX = 256;
/** How often a full or failing disk is tried while nobody writes. */
const PROBE_MS = 1000;
/** … and how often at most while somebody does. */
const PROBE_LEAST_MS = 100;
const CATCH_UP_PAGE = 256;

export interface StoreState {
  readonly state: "ok" | "read_only";
  readonly reason: string;
}

interface CommitterBase {
  readonly engine: Engine;
  readonly heads: Heads;
  readonly projections: Projections;
  readonly streams: Streams;
  readonly registry: Registry;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly logger: Logger;
  onDamage(damage: Damage): void;
  /** In seq order, when durable, before the writers are answered. */
  publish(batch: readonly CommittedRecord[]): void;
}

/**
 * The one writer. One batch is in flight, the next gathers meanwhile; each batch is one sync.
 *
 *   apply ─▶ queue ─▶ decide ─▶ batch + sync ─▶ heads, projections ─▶ publish ─▶ answers
 *              ▲                     │ failed
 *              └── reopen, verify ◀──┴─▶ read_only until the disk takes writes again
 */
export class Committer {
  readonly #base: CommitterBase;
  #queue: Unit[] = [];
  /** Idempotency keys of units without an answer: a second one waits for the first. */
  readonly #pending = new Map<string, Unit>();
  #tail: Tail;
  #state: StoreState = { state: "ok", reason: "" };
  /** Read-only because there is no room. */
  #full = false;
  #triedAt = Number.NEGATIVE_INFINITY;
  #running = false;
  #kicked = false;
  #closing = false;
  #recovering: Promise<void> | undefined;
  #chunkTimer: NodeJS.Timeout | undefined;
  #probeTimer: NodeJS.Timeout | undefined;
  #idle: Deferred<void> | undefined;
  /** Units that left the queue to have something read. */
  #warming = 0;

  constructor(base: CommitterBase, tail: Tail) {
    this.#base = base;
    this.#tail = tail;
  }

  get seq(): number {
    return this.#tail.seq;
  }
  get state(): StoreState {
    return this.#state;
  }

  apply(mutations: readonly AnyMutation[]): Promise<readonly Applied[]> {
    return new Promise((resolve, reject) => {
      const items = prepareItems(mutations, this.#base.registry, (key) => this.#hasBlob(key));
      this.#admit({ items, startedAt: this.#base.clock.monotonic(), attempts: 0, waiters: [], resolve, reject });
    });
  }

  chunk(stream: string, offset: number, text: string): void {
    if (this.#closing || this.#state.state !== "ok" || text.length === 0) return;
    this.#base.streams.add(stream, offset, text, this.#base.clock.monotonic());
    this.scheduleExtras();
  }

  /** Chunks and checkpoints ride in the next group, or alone when none comes. */
  scheduleExtras(): void {
    if (this.#chunkTimer || this.#closing || !(this.#base.streams.waiting || this.#base.projections.hasCheckpoints))
      return;
    this.#chunkTimer = setTimeout(() => {
      this.#chunkTimer = undefined;
      this.#kick();
    }, CHUNK_MS);
    this.#chunkTimer.unref();
  }

  /** Answers what is queued, writes what waits, then takes nothing more. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    clearTimeout(this.#chunkTimer);
    while (this.#running || this.#queue.length > 0 || this.#warming > 0 || this.#recovering) {
      this.#kick();
      this.#idle ??= new Deferred<void>();
      await this.#idle.promise;
    }
    clearTimeout(this.#probeTimer);
    if (this.#state.state !== "ok") return;
    this.#base.projections.evictAll();
    const rest = [
      ...this.#base.projections.takeCheckpoints(),
      ...this.#base.streams.take([], this.#base.clock.monotonic(), true),
    ];
    if (rest.length > 0)
      await this.#base.engine.store.batch(rest, { sync: true }).catch((error: unknown) =>
        this.#base.logger.log("warn", "the journal closed without its last checkpoints", {
          error: errorMessage(error),
        }),
      );
  }

  #hasBlob(countKey: string): boolean {
    return this.#state.state === "ok" && !this.#recovering && this.#base.engine.store.getSync(countKey) !== undefined;
  }

  #admit(unit: Unit): void {
    if (this.#closing)
      return unit.reject(new AppError("storage_unavailable", "the journal is closing", { retry: "later" }));
    if (this.#state.state !== "ok") return this.#admitWhenWritable(unit);
    for (const { entryKey } of unit.items) {
      const first = this.#pending.get(entryKey);
      if (first) return void first.waiters.push(() => this.#admit(unit));
    }
    for (const { entryKey } of unit.items) this.#pending.set(entryKey, unit);
    this.#queue.push(unit);
    this.#kick();
  }

  /** A write is a good moment to see whether the disk takes writes again. */
  #admitWhenWritable(unit: Unit): void {
    if (!this.#recovering && this.#base.clock.monotonic() - this.#triedAt < PROBE_LEAST_MS)
      return unit.reject(this.#refusal());
    void this.#admitAfterRecovery(unit);
  }

  async #admitAfterRecovery(unit: Unit): Promise<void> {
    await this.#tryToRecover();
    if (this.#state.state === "ok") this.#admit(unit);
    else unit.reject(this.#refusal());
  }

  #settle(unit: Unit, answer: () => void): void {
    for (const { entryKey } of unit.items) if (this.#pending.get(entryKey) === unit) this.#pending.delete(entryKey);
    answer();
    for (const waiter of unit.waiters) waiter();
  }

  #kick(): void {
    if (this.#running || this.#kicked) return;
    this.#kicked = true;
    setImmediate(() => {
      this.#kicked = false;
      this.#running = true;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    try {
      do await this.#commitGroup();
      while (this.#queue.length > 0 && (await nextTurn()));
    } catch (error) {
      // A bug of ours: nobody may wait for ever, and nothing is trusted that is only in memory.
      this.#base.logger.log("error", "the journal's writer failed", { error: errorMessage(error) });
      this.#setState("read_only", `a fault of the journal: ${errorMessage(error)}`);
      this.#forget();
      this.#queue = [];
      for (const unit of new Set(this.#pending.values())) this.#settle(unit, () => unit.reject(this.#refusal(error)));
    } finally {
      this.#running = false;
      if (this.#queue.length > 0) this.#kick();
      else this.#wakeClose();
      this.scheduleExtras();
    }
  }

  #wakeClose(): void {
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  #takeUnits(): Unit[] {
    let count = 0;
    let units = 0;
    for (const unit of this.#queue) {
      if (units > 0 && count + unit.items.length > GROUP_MAX) break;
      count += unit.items.length;
      units++;
    }
    return this.#queue.splice(0, units);
  }

  async #commitGroup(): Promise<void> {
    const { engine, heads, projections, streams, clock } = this.#base;
    if (this.#recovering || this.#state.state !== "ok") await this.#tryToRecover();
    if (this.#state.state !== "ok") return this.#rejectQueue();
    const store = engine.store;
    const group = new GroupBuilder({ ...this.#base, store, chain: engine.chain, tail: this.#tail, at: clock.now() });
    const answers: { unit: Unit; answer: () => void }[] = [];
    for (const unit of this.#takeUnits()) {
      const verdict = group.decide(unit);
      if (verdict.type === "cold") void this.#warm(unit, () => verdict.warm());
      else if (verdict.type === "applied" && verdict.settled)
        this.#settle(unit, () => this.#answerApplied(unit, verdict.applied));
      else if (verdict.type === "applied")
        answers.push({ unit, answer: () => this.#answerApplied(unit, verdict.applied) });
      else answers.push({ unit, answer: () => this.#answerRefused(unit, verdict.error) });
    }
    const finished = group.records.length > 0 ? group.finish() : undefined;
    const writes: KvWrite[] = projections.takeCheckpoints();
    if (finished) for (const write of finished.writes) writes.push(write);
    writes.push(...streams.take(group.droppedStreams, clock.monotonic()));
    if (writes.length > 0) {
      try {
        await store.batch(writes, { sync: true });
      } catch (error) {
        return await this.#onFailedBatch(
          error,
          answers.map(({ unit }) => unit),
        );
      }
      this.#base.meter.committed(group.records.length, writes);
    }
    if (finished) {
      this.#tail = finished.tail;
      for (const [session, head] of group.heads) heads.set(session, head);
      projections.fold(group.records);
      this.#base.publish(group.records);
    }
    for (const { unit, answer } of answers) this.#settle(unit, answer);
  }

  #answerApplied(unit: Unit, applied: readonly Applied[]): void {
    this.#base.meter.answered(this.#base.clock.monotonic() - unit.startedAt);
    unit.resolve(applied);
  }

  #answerRefused(unit: Unit, error: AppError): void {
    if (error.code === "rev_conflict") this.#base.meter.conflict();
    if (error.code === "internal")
      this.#base.logger.log("error", error.message, { kinds: unit.items.map((item) => item.mutation.kind) });
    unit.reject(error);
  }

  /** Reads what a unit needs, then puts it back at the end of the queue. */
  async #warm(unit: Unit, warm: () => Promise<unknown>): Promise<void> {
    this.#warming++;
    try {
      await warm();
      this.#queue.push(unit);
    } catch (error) {
      const cause = errorMessage(error);
      const refusal = isAppError(error)
        ? error
        : new AppError("internal", `a projection failed: ${cause}`, { cause: error });
      this.#settle(unit, () => unit.reject(refusal));
    } finally {
      this.#warming--;
      this.#kick();
    }
  }

  /** What the batch did is unknown: the units go back to the queue and are answered from what the reopened store holds. */
  async #onFailedBatch(error: unknown, units: Unit[]): Promise<void> {
    this.#base.logger.log("error", "a commit failed; the store is opened again", { error: errorMessage(error) });
    this.#forget();
    for (const unit of units) unit.attempts++;
    this.#queue = [...units, ...this.#queue];
    this.#setState("read_only", reasonOf(error), isSpace(error));
    await this.#tryToRecover();
    if (this.#state.state !== "ok") this.#rejectQueue(error);
  }

  #forget(): void {
    this.#base.heads.clear();
    this.#base.projections.clear();
  }

  /** Never rejects. One attempt at a time. */
  #tryToRecover(): Promise<void> {
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = undefined;
      if (this.#state.state !== "ok") this.#probeLater();
      if (!this.#running) this.#wakeClose();
    });
    return this.#recovering;
  }

  async #recover(): Promise<void> {
    const { engine, streams, logger } = this.#base;
    try {
      // While there is no room the old handle stays: it still reads, and a new one could not be opened.
      await engine.place.probe();
      const { tail, damage } = await engine.reopen();
      damage.forEach((one) => this.#base.onDamage(one));
      if (tail.seq < this.#tail.seq)
        throw new AppError("data_corrupt", `the store ends at seq ${tail.seq}, acknowledged was ${this.#tail.seq}`);
      await streams.load(engine.store);
      await this.#catchUp(tail);
      this.#setState("ok", "");
      logger.log("info", "the journal takes writes again", { seq: tail.seq });
    } catch (error) {
      this.#setState("read_only", reasonOf(error), isSpace(error));
    }
    this.#triedAt = this.#base.clock.monotonic();
  }

  /** A batch that was reported as failed may be there after all: its records are published like any others. */
  async #catchUp(tail: Tail): Promise<void> {
    while (this.#tail.seq < tail.seq) {
      const records = await readSince(
        this.#base.engine.store,
        this.#tail.seq,
        Math.min(CATCH_UP_PAGE, tail.seq - this.#tail.seq),
      );
      const last = records.at(-1)!;
      this.#tail = { seq: last.seq, mac: tail.mac };
      this.#base.publish(records.map((record) => ({ record, json: JSON.stringify(record) })));
    }
    this.#tail = tail;
  }

  #probeLater(): void {
    if (this.#probeTimer || this.#closing) return;
    this.#probeTimer = setTimeout(() => {
      this.#probeTimer = undefined;
      if (this.#state.state !== "ok") void this.#tryToRecover();
    }, PROBE_MS);
    this.#probeTimer.unref();
  }

  #setState(state: StoreState["state"], reason: string, full = false): void {
    this.#state = { state, reason };
    this.#full = full;
  }

  #refusal(cause?: unknown): AppError {
    const options = { retry: "later", cause } as const;
    if (this.#full) return new AppError("disk_full", `the journal cannot write: ${this.#state.reason}`, options);
    return new AppError("storage_unavailable", `the journal cannot write: ${this.#state.reason}`, options);
  }

  #rejectQueue(cause?: unknown): void {
    for (const unit of this.#queue.splice(0)) this.#settle(unit, () => unit.reject(this.#refusal(cause)));
  }
}

function nextTurn(): Promise<true> {
  return new Promise((resolve) => setImmediate(resolve, true));
}

function isSpace(error: unknown): boolean {
  const code = errnoCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

function reasonOf(error: unknown): string {
  return isSpace(error) ? `no space left on the disk: ${errorMessage(error)}` : errorMessage(error);
}
