import type { CommittedRecord } from "@swarm/journal";
import { SYSTEM_SESSION, type LiveText, type SessionSummary } from "@swarm/protocol";

/**
 * What happened since the last flush, by topic, as JSON fragments made once. A record's JSON comes encoded from the
 * commit and is spliced, not made again. Live text of one stream grows into one fragment; of a session's summaries
 * in one flush only the newest is kept, its `seq` the newest and its `prev` the one before on the topic.
 */
export class Outbox {
  readonly #records = new Map<string, string[]>();
  readonly #summaries = new Map<string, SessionSummary>();
  readonly #live = new Map<string, { live: LiveText; pieces: string[] }>();
  #summarySeq = 0;
  #last = new Map<string, number>();

  get empty(): boolean {
    return this.#records.size === 0 && this.#summaries.size === 0 && this.#live.size === 0;
  }

  /** Where a session's topic stands for its live subscribers: the `prev` of the next record. */
  setLast(topic: string, seq: number): void {
    this.#last.set(topic, seq);
  }
  last(topic: string): number | undefined {
    return this.#last.get(topic);
  }
  forget(topic: string): void {
    this.#last.delete(topic);
  }

  record({ record, json }: CommittedRecord, wanted: (topic: string) => boolean): void {
    if (wanted("session:*")) this.#push("session:*", record.seq, record.seq - 1, json);
    if (record.session === SYSTEM_SESSION) return;
    const topic = `session:${record.session}`;
    if (!wanted(topic)) return;
    this.#push(topic, record.seq, this.#last.get(topic) ?? 0, json);
    this.#last.set(topic, record.seq);
  }

  #push(topic: string, seq: number, prev: number, json: string): void {
    const list = this.#records.get(topic);
    const fragment = `{"type":"event","topic":"${topic}","seq":${seq},"prev":${prev},"record":${json}}`;
    if (list === undefined) this.#records.set(topic, [fragment]);
    else list.push(fragment);
  }

  summary(summary: SessionSummary): void {
    this.#summaries.delete(summary.id);
    this.#summaries.set(summary.id, summary);
  }

  live(live: LiveText): void {
    const key = `${live.run}.${live.step}.${live.stream}`;
    const known = this.#live.get(key);
    if (known === undefined || live.offset === 0) this.#live.set(key, { live, pieces: [live.text] });
    else known.pieces.push(live.text);
  }

  /** The fragments of each topic, and an empty outbox. Order within a topic: live text before the records that end it. */
  take(wanted: (topic: string) => boolean): Map<string, { fragments: string[]; events: number }> {
    const out = new Map<string, { fragments: string[]; events: number }>();
    const add = (topic: string, fragment: string, events: number): void => {
      const entry = out.get(topic) ?? { fragments: [], events: 0 };
      entry.fragments.push(fragment);
      entry.events += events;
      out.set(topic, entry);
    };
    for (const { live, pieces } of this.#live.values()) {
      const own = `session:${live.session}`;
      const body = `"session":${JSON.stringify(live.session)},"run":${JSON.stringify(live.run)},"step":${live.step},"stream":"${live.stream}","offset":${live.offset},"text":${JSON.stringify(pieces.length === 1 ? pieces[0] : pieces.join(""))}}`;
      if (wanted("session:*")) add("session:*", `{"type":"live","topic":"session:*",${body}`, 0);
      if (wanted(own)) add(own, `{"type":"live","topic":"${own}",${body}`, 0);
    }
    for (const [topic, fragments] of this.#records) for (const fragment of fragments) add(topic, fragment, 1);
    if (wanted("sessions")) {
      for (const summary of this.#summaries.values()) {
        add(
          "sessions",
          `{"type":"event","topic":"sessions","seq":${summary.seq},"prev":${this.#summarySeq},"session":${JSON.stringify(summary)}}`,
          1,
        );
        this.#summarySeq = summary.seq;
      }
    }
    this.#live.clear();
    this.#records.clear();
    this.#summaries.clear();
    return out;
  }

  /** The newest seq sent on `sessions`: the `seq` of a snapshot made now. */
  get summarySeq(): number {
    return this.#summarySeq;
  }
  set summarySeq(seq: number) {
    this.#summarySeq = seq;
  }
}
