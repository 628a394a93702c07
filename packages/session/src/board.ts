import type { Journal } from "@swarm/journal";
import { reduceSummary, SYSTEM_SESSION, type SessionPage, type SessionSummary } from "@swarm/protocol";
import { Census } from "./census.ts";
import { SESSIONS_INDEX, sessionKey } from "./kinds.ts";

/** Summaries of ended sessions kept in memory beyond the live ones; the rest is read when asked for. */
const WARM_MAX = 1_000;
const PAGE = 200;

/**
 * What every session looks like from outside. Live sessions are folded as their records become durable; a cold one
 * costs nothing and is rebuilt from its checkpoint when somebody looks.
 */
export class Board {
  readonly census = new Census();
  readonly #journal: Journal;
  readonly #warm = new Map<string, SessionSummary>();
  readonly #listeners = new Set<(summary: SessionSummary) => void>();
  /** Sessions of earlier starts are counted in the background: key of the last one counted, "~" when all are. */
  #counted = "";
  readonly #countedEarly = new Set<string>();
  readonly #unsubscribe: () => void;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#unsubscribe = journal.onCommit((batch) => {
      for (const { record } of batch) {
        if (record.session === SYSTEM_SESSION) continue;
        const before = this.#warm.get(record.session);
        if (before === undefined && record.rev > 1) continue; // loaded before it is written to: see `warm`
        const after = reduceSummary(before, record);
        if (before === undefined) this.census.add(after);
        else this.census.change(before, after);
        this.#keep(after);
        for (const listener of this.#listeners) listener(after);
      }
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  onSummary(listener: (summary: SessionSummary) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Brings a session's summary into memory, so that what is written next is folded at once. */
  async warm(session: string): Promise<SessionSummary | undefined> {
    const known = this.#warm.get(session);
    if (known !== undefined) return known;
    const summary = await this.#journal.project<SessionSummary>("summary", session);
    if (summary === undefined || summary.title === "") return undefined;
    const meanwhile = this.#warm.get(session);
    if (meanwhile !== undefined) return meanwhile;
    if (this.#counted !== "~" && sessionKey(summary.createdAt, session) > this.#counted && !this.#countedEarly.has(session)) {
      this.#countedEarly.add(session);
      this.census.add(summary);
    }
    this.#keep(summary);
    return summary;
  }

  known(session: string): SessionSummary | undefined {
    return this.#warm.get(session);
  }

  async summary(session: string): Promise<SessionSummary | undefined> {
    const known = this.#warm.get(session);
    if (known !== undefined) return known;
    const cold = await this.#journal.project<SessionSummary>("summary", session);
    return cold === undefined || cold.title === "" ? undefined : cold;
  }

  async list(o: { after?: string; limit: number; group?: string }): Promise<SessionPage> {
    const items: SessionSummary[] = [];
    let after = o.after;
    for (;;) {
      const page = await this.#journal.index(SESSIONS_INDEX, { limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (const { key, value } of page) {
        const summary = await this.summary(value as string);
        if (summary !== undefined && (o.group === undefined || summary.group === o.group)) items.push(summary);
        after = key;
        if (items.length === o.limit) return { items, next: key };
      }
      if (page.length < PAGE) return { items, next: null };
    }
  }

  /** Counts the sessions of earlier starts, a page at a time, letting others run in between. */
  async countAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const page = await this.#journal.index(SESSIONS_INDEX, { limit: PAGE, ...(this.#counted === "" ? {} : { after: this.#counted }) });
      for (const { key, value } of page) {
        const session = value as string;
        if (!this.#countedEarly.has(session) && !this.#warm.has(session)) {
          const summary = await this.#journal.project<SessionSummary>("summary", session);
          if (summary !== undefined && !this.#warm.has(session) && !this.#countedEarly.has(session)) this.census.add(summary);
        }
        this.#counted = key;
      }
      if (page.length < PAGE) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#counted = "~";
    this.#countedEarly.clear();
  }

  #keep(summary: SessionSummary): void {
    this.#warm.delete(summary.id);
    this.#warm.set(summary.id, summary);
    if (this.#warm.size <= WARM_MAX) return;
    for (const [id, old] of this.#warm) {
      if (this.#warm.size <= WARM_MAX) return;
      if (old.phase === "ended" && id !== summary.id) this.#warm.delete(id);
      else break; // unfinished ones stay, however many they are; try again at the next record
    }
  }
}
