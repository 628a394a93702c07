import type { CommittedRecord, Journal } from "@swarm/journal";
import { SYSTEM_SESSION, type AnyRecord, type SessionPage, type SessionSummary } from "@swarm/protocol";
import { reduceSummary } from "@swarm/protocol";
import { Census } from "./census.ts";
import { GROUPS_INDEX, groupPrefix, isSummary, placeKey, SESSIONS_INDEX } from "./kinds.ts";
import type { SessionState } from "./projections.ts";

/** Summaries of ended sessions kept in memory, about 1 KiB each; beyond it they are read when asked for. */
const ENDED_MAX = 1_000;
const PAGE = 200;

interface Entry {
  readonly created: number;
  summary: SessionSummary;
  /** Mutations under way: an entry that is about to change stays. */
  pins: number;
}

export interface Pinned extends Disposable {
  /** As of the newest durable record. */
  readonly summary: SessionSummary;
}

/**
 * What every session looks like from outside. Unfinished ones are in memory and folded as their records become
 * durable; an ended one is a row of an index until somebody touches it. Nothing here scans sessions, but `countAll`.
 */
export class Board {
  readonly census = new Census();
  readonly #journal: Journal;
  readonly #live = new Map<string, Entry>();
  /** In order of use. */
  readonly #ended = new Map<string, Entry>();
  readonly #loading = new Map<string, { readonly loaded: Promise<Entry | undefined>; readonly came: AnyRecord[] }>();
  readonly #listeners = new Set<(summary: SessionSummary) => void>();
  readonly #undo: () => void;
  /** Sessions up to here were there before this process: they are counted by `countAll`, up to `#counted` so far. */
  readonly #horizon: number;
  #counted = 0;
  readonly #countedEarly = new Set<string>();

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#horizon = journal.cursor().seq;
    this.#undo = journal.onCommit((batch) => this.#take(batch));
  }

  close(): void {
    this.#undo();
  }

  /** Sessions held in memory. */
  get size(): { readonly live: number; readonly ended: number } {
    return { live: this.#live.size, ended: this.#ended.size };
  }

  /** Each new summary, in commit order. */
  onSummary(listener: (summary: SessionSummary) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is in memory: all unfinished sessions and some ended ones. */
  known(session: string): SessionSummary | undefined {
    return this.#find(session)?.summary;
  }

  async summary(session: string): Promise<SessionSummary | undefined> {
    const known = this.known(session);
    if (known !== undefined) return known;
    return (await this.#journal.project<SessionState>("session", session))?.summary;
  }

  /** Holds a session in memory while something is written to it. Undefined: there is none. */
  async pin(session: string): Promise<Pinned | undefined> {
    const entry = this.#find(session) ?? (await this.#load(session));
    if (entry === undefined) return undefined;
    entry.pins++;
    let held = true;
    return {
      get summary() {
        return entry.summary;
      },
      [Symbol.dispose]: () => {
        if (held) entry.pins--;
        held = false;
      },
    };
  }

  /** In order of creation, one read a page. `after`: the `next` of the page before. */
  async list(o: { readonly after?: string; readonly limit: number; readonly group?: string }): Promise<SessionPage> {
    const prefix = o.group === undefined ? "" : groupPrefix(o.group);
    const page = await this.#journal.index(o.group === undefined ? SESSIONS_INDEX : GROUPS_INDEX, {
      ...(prefix === "" ? {} : { prefix }),
      ...(o.after === undefined ? {} : { after: prefix + o.after }),
      limit: o.limit + 1,
    });
    const rows = page.slice(0, o.limit);
    const items = rows.map(({ value }) => value).filter(isSummary);
    const next = page.length > o.limit ? rows.at(-1)!.key.slice(prefix.length) : null;
    return { items: items.map((row) => this.known(row.id) ?? row), next };
  }

  /** Counts the sessions of earlier starts, a page at a time: others run in between (K-17). */
  async countAll(signal: AbortSignal): Promise<void> {
    const before = placeKey(this.#horizon + 1);
    while (!signal.aborted && this.#counted < this.#horizon) {
      const after = placeKey(this.#counted);
      const page = await this.#journal.index(SESSIONS_INDEX, { after, before, limit: PAGE });
      for (const { key, value } of page) {
        this.#counted = Number(key);
        if (isSummary(value) && !this.#countedEarly.has(value.id)) this.census.add(value);
      }
      if (page.length < PAGE) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (signal.aborted) return;
    this.#counted = this.#horizon;
    this.#countedEarly.clear();
  }

  #take(batch: readonly CommittedRecord[]): void {
    for (const { record } of batch) {
      const { session } = record;
      if (session === SYSTEM_SESSION) continue;
      this.#loading.get(session)?.came.push(record);
      const entry = this.#find(session);
      if (entry === undefined) {
        if (record.kind !== "session.created") continue;
        const summary = reduceSummary(undefined, record);
        this.census.add(summary);
        this.#place(session, { created: record.seq, summary, pins: 0 });
        this.#tell(summary);
      } else this.#change(entry, record);
    }
  }

  #change(entry: Entry, record: AnyRecord): void {
    if (record.rev <= entry.summary.rev) return;
    const after = reduceSummary(entry.summary, record);
    this.census.change(entry.summary, after);
    entry.summary = after;
    this.#place(record.session, entry);
    this.#tell(after);
  }

  #tell(summary: SessionSummary): void {
    for (const listener of this.#listeners) listener(summary);
  }

  #find(session: string): Entry | undefined {
    return this.#live.get(session) ?? this.#ended.get(session);
  }

  #load(session: string): Promise<Entry | undefined> {
    const loading = this.#loading.get(session);
    if (loading !== undefined) return loading.loaded;
    const came: AnyRecord[] = [];
    const loaded = this.#read(session, came).finally(() => this.#loading.delete(session));
    this.#loading.set(session, { loaded, came });
    return loaded;
  }

  async #read(session: string, came: readonly AnyRecord[]): Promise<Entry | undefined> {
    const state = await this.#journal.project<SessionState>("session", session);
    const meanwhile = this.#find(session);
    if (meanwhile !== undefined || state === undefined || session === SYSTEM_SESSION) return meanwhile;
    let { summary } = state;
    for (const record of came) if (record.rev > summary.rev) summary = reduceSummary(summary, record);
    const entry: Entry = { created: state.created, summary, pins: 0 };
    if (entry.created > this.#counted && entry.created <= this.#horizon && !this.#countedEarly.has(session)) {
      this.#countedEarly.add(session);
      this.census.add(summary);
    }
    this.#place(session, entry);
    return entry;
  }

  #place(session: string, entry: Entry): void {
    const { phase } = entry.summary;
    this.#ended.delete(session);
    if (phase !== "ended" && phase !== "idle") {
      this.#live.set(session, entry);
      return;
    }
    this.#live.delete(session);
    this.#ended.set(session, entry);
    if (this.#ended.size <= ENDED_MAX) return;
    for (const [id, old] of this.#ended) {
      if (this.#ended.size <= ENDED_MAX) return;
      if (old.pins === 0) this.#ended.delete(id);
    }
  }
}
