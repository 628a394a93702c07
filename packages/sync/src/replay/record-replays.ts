import type { AnyRecord, ServerFrame } from "@swarm/protocol";
import { ALL, type Topic } from "../topics.ts";
import { REPLAY_PAGE, type Replay, type ReplayWorld, type Served } from "./replay.ts";

/** `session:*`: all records after a place. Without a place it begins at the head: a journal is no snapshot. */
export class AllRecordsReplay implements Replay {
  readonly #world: ReplayWorld;
  #seq: number;
  /** What had been told when the page was asked for: up to here it is complete. */
  #told = 0;
  #page: AnyRecord[] = [];

  constructor(world: ReplayWorld, after: number | undefined) {
    this.#world = world;
    this.#seq = after ?? world.head;
  }

  async read(): Promise<void> {
    this.#told = this.#world.head;
    this.#page = this.#seq >= this.#told ? [] : await this.#world.source.recordsSince(this.#seq, REPLAY_PAGE);
  }

  serve(): Served {
    const { head } = this.#world;
    const page = this.#page.filter((record) => record.seq <= head);
    const frames: string[] = [];
    for (const record of page) {
      if (record.seq !== this.#seq + 1) this.#world.hole();
      frames.push(eventFrame(ALL, this.#seq, record));
      this.#seq = record.seq;
    }
    if (this.#page.length < REPLAY_PAGE && this.#seq < this.#told) {
      this.#world.hole(); // told, yet not there to read: damaged, and passed
      this.#seq = this.#told;
    }
    return { frames, events: page.length, seq: this.#seq, atHead: this.#seq >= head };
  }
}

/** `session:<id>`: a snapshot of the first page and the rest as events, or the events after a place. */
export class SessionReplay implements Replay {
  readonly #world: ReplayWorld;
  readonly #topic: Topic;
  readonly #session: string;
  readonly #after: number | undefined;
  /** Where the reading stands; undefined: not known yet. */
  #place: { rev: number; seq: number } | undefined;
  /** The newest of the session that had been told when the page was asked for. */
  #told = 0;
  #page: AnyRecord[] = [];
  #first = true;

  constructor(world: ReplayWorld, topic: Topic, after: number | undefined) {
    this.#world = world;
    this.#topic = topic;
    this.#session = topic.name.slice("session:".length);
    this.#after = after;
    if (after === undefined || after === 0) this.#place = { rev: 0, seq: 0 };
  }

  async read(): Promise<void> {
    this.#place ??= await this.#find(this.#after!);
    this.#told = this.#topic.last ?? 0;
    this.#page = await this.#world.source.records(this.#session, { after: this.#place.rev, limit: REPLAY_PAGE });
  }

  serve(): Served {
    const place = this.#place!;
    const { head } = this.#world;
    const page = this.#page.filter((record) => record.seq <= head);
    const whole = this.#after === undefined && this.#first;
    this.#first = false;
    const frames: string[] = [];
    for (const record of page) {
      if (record.rev !== place.rev + 1) this.#world.hole();
      if (!whole) frames.push(eventFrame(this.#topic.name, place.seq, record));
      place.rev = record.rev;
      place.seq = record.seq;
    }
    const last = this.#page.length < REPLAY_PAGE;
    if (last && place.seq < this.#told) {
      this.#world.hole(); // told, yet not there to read: damaged, and passed
      place.seq = this.#told;
    }
    const atHead = last && (this.#topic.last ?? 0) <= place.seq;
    if (atHead) this.#topic.last ??= place.seq;
    const live = atHead ? this.#world.sessions.liveTexts(this.#session) : [];
    const topic = this.#topic.name;
    if (whole) frames.push(frameJson({ type: "snapshot", topic, seq: place.seq, state: { records: page, live } }));
    else for (const text of live) frames.push(frameJson({ type: "live", topic, ...text }));
    return { frames, events: whole ? 0 : page.length, seq: Math.max(place.seq, this.#after ?? 0), atHead };
  }

  /** The session's newest record at or before a seq, by doubling and halving: revisions are contiguous and seqs rise. */
  async #find(seq: number): Promise<{ rev: number; seq: number }> {
    const at = async (rev: number): Promise<AnyRecord | undefined> =>
      (await this.#world.source.records(this.#session, { after: rev - 1, limit: 1 }))[0];
    let found = { rev: 0, seq: 0 };
    let beyond = 1;
    for (let record = await at(beyond); record !== undefined && record.seq <= seq; record = await at(beyond)) {
      found = { rev: record.rev, seq: record.seq };
      beyond = Math.max(beyond * 2, record.rev + 1);
    }
    while (beyond - found.rev > 1) {
      const middle = Math.floor((found.rev + beyond) / 2);
      const record = await at(middle);
      if (record !== undefined && record.seq <= seq) found = { rev: record.rev, seq: record.seq };
      else beyond = middle;
    }
    return found;
  }
}

function eventFrame(topic: string, prev: number, record: AnyRecord): string {
  return `{"type":"event","topic":"${topic}","seq":${record.seq},"prev":${prev},"record":${JSON.stringify(record)}}`;
}

export function frameJson(frame: ServerFrame): string {
  return JSON.stringify(frame);
}
