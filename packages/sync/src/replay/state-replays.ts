import type { SessionSummary } from "@swarm/protocol";
import { SESSIONS, SYSTEM } from "../topics.ts";
import { frameJson } from "./record-replays.ts";
import { REPLAY_PAGE, type Replay, type ReplayWorld, type Served } from "./replay.ts";

/** Ended sessions in a snapshot: the newest. Older ones are paged through the API. Unfinished ones are all in it. */
const SNAPSHOT_ENDED_MAX = 2_000;
/** A client that missed more records than this is given the sessions anew: that reads less. */
const RESUME_RECORDS_MAX = 2_000;

/** `system`: the status now. */
export class SystemReplay implements Replay {
  readonly #world: ReplayWorld;
  constructor(world: ReplayWorld) {
    this.#world = world;
  }
  async read(): Promise<void> {}
  serve(): Served {
    const { head: seq } = this.#world;
    const frame = frameJson({ type: "snapshot", topic: SYSTEM, seq, state: this.#world.status() });
    return { frames: [frame], events: 0, seq, atHead: true };
  }
}

/**
 * `sessions`: all of them, or those that changed after a place. What is told while the pages are read is laid over
 * them, so that an old page cannot hide a newer summary.
 */
export class SummariesReplay implements Replay {
  readonly #world: ReplayWorld;
  readonly #told = new Map<string, SessionSummary>();
  /** Ids that changed since the client's place; undefined: all are read anew. */
  #changed: Set<string> | undefined;
  #after: number;
  #readTo: number;
  #rows = new Map<string, SessionSummary>();
  #ended = 0;
  #next: string | undefined;
  #complete = false;

  constructor(world: ReplayWorld, after: number | undefined) {
    this.#world = world;
    this.#after = this.#readTo = after ?? 0;
    if (after !== undefined && world.sessions.summary !== undefined && world.head - after <= RESUME_RECORDS_MAX)
      this.#changed = new Set();
  }

  /** A summary that was told meanwhile. */
  told(summary: SessionSummary): void {
    this.#told.set(summary.id, summary);
  }

  async read(): Promise<void> {
    if (this.#changed === undefined) await this.#readPage();
    else await this.#readChanges(this.#changed);
  }

  serve(): Served {
    const { summariesAt: seq } = this.#world;
    if (!this.#complete) return { frames: [], events: 0, seq: this.#after, atHead: false };
    for (const [id, summary] of this.#told) this.#rows.set(id, summary);
    if (this.#changed === undefined) {
      const frame = frameJson({
        type: "snapshot",
        topic: SESSIONS,
        seq,
        state: { sessions: [...this.#rows.values()] },
      });
      return { frames: [frame], events: 0, seq, atHead: true };
    }
    // one that is read before it is told is left to the telling
    const rows = [...this.#rows.values()].filter((row) => row.seq > this.#after && row.seq <= seq);
    let prev = this.#after;
    const frames = rows
      .sort((a, b) => a.seq - b.seq)
      .map((session) => {
        const frame = frameJson({ type: "event", topic: SESSIONS, seq: session.seq, prev, session });
        prev = session.seq;
        return frame;
      });
    return { frames, events: frames.length, seq: Math.max(prev, seq), atHead: true };
  }

  async #readPage(): Promise<void> {
    const o = { limit: REPLAY_PAGE * 2, ...(this.#next === undefined ? {} : { after: this.#next }) };
    const page = await this.#world.sessions.list(o);
    for (const row of page.items) {
      this.#rows.set(row.id, row);
      if (isOver(row)) this.#ended++;
    }
    if (this.#ended > SNAPSHOT_ENDED_MAX) this.#forgetOldest();
    if (page.next === null) this.#complete = true;
    else this.#next = page.next;
  }

  #forgetOldest(): void {
    for (const [id, row] of this.#rows) {
      if (this.#ended <= SNAPSHOT_ENDED_MAX) return;
      if (!isOver(row)) continue;
      this.#rows.delete(id);
      this.#ended--;
    }
  }

  async #readChanges(changed: Set<string>): Promise<void> {
    const page = await this.#world.source.recordsSince(this.#readTo, REPLAY_PAGE);
    for (const record of page) changed.add(record.session);
    this.#readTo = page.at(-1)?.seq ?? this.#readTo;
    if (page.length === REPLAY_PAGE && this.#readTo < this.#world.head) return;
    for (const id of changed) {
      const summary = this.#told.has(id) ? undefined : await this.#world.sessions.summary!(id);
      if (summary !== undefined) this.#rows.set(id, summary);
    }
    this.#complete = true;
  }
}

function isOver({ phase }: SessionSummary): boolean {
  return phase === "ended" || phase === "idle";
}
