import type { CommittedRecord } from "@swarm/journal";
import type { AnyRecord, DaemonStatus, LiveText, SessionSummary } from "@swarm/protocol";
import { createHub, type Hub } from "../index.ts";

const RUN = "run_1";

interface Scripted {
  readonly records: AnyRecord[];
  /** What streams now. */
  text: string;
  /** Text that was told since the newest record. */
  step: number;
}

/**
 * A journal and a session host in a few lines. As with the real ones, a record can be read before it is told
 * (`write`, then `tell`), reads take a while, and a session's summary names its newest record.
 */
export class World {
  readonly records: AnyRecord[] = [];
  readonly sessions = new Map<string, Scripted>();
  readonly hub: Hub;
  reads = 0;
  recordsRead = 0;
  /** Makes every read fail with this. */
  broken: Error | undefined;
  readonly #untold: AnyRecord[] = [];
  readonly #commits = new Set<(batch: readonly CommittedRecord[]) => void>();
  readonly #summaries = new Set<(s: SessionSummary) => void>();
  readonly #lives = new Set<(l: LiveText) => void>();
  readonly #told = new Map<string, number>();
  #paused: (() => void)[] | undefined;

  constructor(o: { records?: readonly AnyRecord[]; incarnation?: string } = {}) {
    const incarnation = o.incarnation ?? "inc1";
    for (const record of o.records ?? []) this.#keep(record);
    this.#untold.length = 0;
    for (const [id, { records }] of this.sessions) this.#told.set(id, records.length);
    this.hub = createHub({
      source: {
        incarnation,
        cursor: () => ({ incarnation, seq: this.records.length - this.#untold.length }),
        records: (session, { after = 0, limit }) =>
          this.#page(() => (this.sessions.get(session)?.records ?? []).slice(after, after + limit)),
        recordsSince: (seq, limit) => this.#page(() => this.records.slice(seq, seq + limit)),
        onCommit: subscribeTo(this.#commits),
      },
      sessions: {
        list: async ({ after, limit }) => {
          const ids = [...this.sessions.keys()];
          const from = after === undefined ? 0 : ids.indexOf(after) + 1;
          const page = ids.slice(from, from + limit);
          await this.#wait();
          const next = from + limit < ids.length ? page.at(-1)! : null;
          return { items: page.map((id) => this.#row(id)), next };
        },
        summary: async (id) => {
          await this.#wait();
          return this.sessions.has(id) ? this.#row(id) : undefined;
        },
        onSummary: subscribeTo(this.#summaries),
        onLive: subscribeTo(this.#lives),
        liveTexts: (session) => {
          const { text = "", step = 0 } = this.sessions.get(session) ?? {};
          return text === "" ? [] : [{ session, run: RUN, step, stream: "text", offset: 0, text }];
        },
      },
      status: () => ({ pid: 1 }) as unknown as DaemonStatus,
    });
  }

  /** As the newest told record says. */
  summary(session: string): SessionSummary {
    const mine = this.sessions.get(session)!.records;
    const rev = Math.max(1, this.#told.get(session) ?? 0);
    return { id: session, rev, seq: mine[rev - 1]!.seq, title: session, phase: "ended" } as unknown as SessionSummary;
  }

  commit(session: string): void {
    this.write(session);
    this.tell();
  }

  /** Durable and readable, not yet told. */
  write(session: string): void {
    const rev = (this.sessions.get(session)?.records.length ?? 0) + 1;
    this.#keep(makeRecord(this.records.length + 1, session, rev));
  }

  tell(): void {
    const batch = this.#untold.splice(0);
    if (batch.length === 0) return;
    for (const record of batch) {
      this.#told.set(record.session, record.rev);
      const scripted = this.sessions.get(record.session)!;
      scripted.text = "";
      scripted.step = record.rev;
      const summary = this.summary(record.session);
      for (const listener of this.#summaries) listener(summary);
    }
    const told = batch.map((record) => ({ record, json: JSON.stringify(record) }));
    for (const listener of this.#commits) listener(told);
  }

  live(session: string, text: string): void {
    const scripted = this.sessions.get(session);
    if (scripted === undefined) return;
    const offset = scripted.text.length;
    scripted.text += text;
    const live = { session, run: RUN, step: scripted.step, stream: "text", offset, text };
    for (const listener of this.#lives) listener(live);
  }

  /** Reads wait until `resume`. */
  pause(): void {
    this.#paused ??= [];
  }
  resume(): void {
    const waiting = this.#paused ?? [];
    this.#paused = undefined;
    for (const go of waiting) go();
  }

  /** Lets reads, replays and flushes come to rest. */
  async settle(turns = 40): Promise<void> {
    for (let i = 0; i < turns; i++) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      this.hub.flush();
    }
  }

  async #wait(): Promise<void> {
    this.reads++;
    const { broken } = this;
    if (this.#paused !== undefined) await new Promise<void>((resolve) => this.#paused!.push(resolve));
    else await new Promise((resolve) => setImmediate(resolve));
    if (broken !== undefined) throw broken;
  }

  /** A page as of when it was asked for, or as of when it is given. */
  async #page(read: () => AnyRecord[]): Promise<AnyRecord[]> {
    const early = this.reads % 2 === 0 ? read() : undefined;
    await this.#wait();
    const page = early ?? read();
    this.recordsRead += page.length;
    return page;
  }

  /** As on disk, or as told. */
  #row(session: string): SessionSummary {
    const { records } = this.sessions.get(session)!;
    if (this.reads % 2 === 0) return this.summary(session);
    return { ...this.summary(session), rev: records.length, seq: records.at(-1)!.seq };
  }

  #keep(record: AnyRecord): void {
    this.records.push(record);
    this.#untold.push(record);
    const known = this.sessions.get(record.session);
    if (known === undefined) this.sessions.set(record.session, { records: [record], text: "", step: 0 });
    else known.records.push(record);
  }
}

export function makeRecord(seq: number, session: string, rev: number): AnyRecord {
  return { seq, session, rev, kind: "session.seen", at: 0, actor: "a", payload: { rev } };
}

function subscribeTo<L>(listeners: Set<L>): (listener: L) => () => void {
  return (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}
