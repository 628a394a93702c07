import type { CommittedRecord } from "@swarm/journal";
import type { LiveText, SessionSummary } from "@swarm/protocol";
import { ALL, SESSIONS, sessionTopic, type Topic, type Topics } from "./topics.ts";

interface Growing {
  readonly first: LiveText;
  text: string;
}

/**
 * What happened since the last flush, as JSON fragments on the topics that somebody reads live, each made once. A
 * record's JSON comes encoded from the commit and is spliced, not made again. Text of one stream grows into one
 * fragment until the flush or until a record of its session comes: on a topic everything stands in the order in which
 * it happened. Of a session's summaries only the newest is kept.
 */
export class Outbox {
  readonly #topics: Topics;
  /** By session, in the order in which they began. */
  readonly #live = new Map<string, Growing[]>();
  readonly #summaries = new Map<string, SessionSummary>();
  #touched = new Set<Topic>();

  constructor(topics: Topics) {
    this.#topics = topics;
  }

  get empty(): boolean {
    return this.#touched.size === 0 && this.#live.size === 0 && this.#summaries.size === 0;
  }

  record({ record, json }: CommittedRecord): void {
    const { seq, session } = record;
    if (this.#live.has(session)) this.#endTexts(session);
    const all = this.#topics.find(ALL);
    const own = this.#topics.find(sessionTopic(session));
    for (const topic of [all, own]) {
      if (topic === undefined) continue;
      if (topic.live > 0) {
        const prev = topic.last ?? 0;
        this.#push(topic, `{"type":"event","topic":"${topic.name}","seq":${seq},"prev":${prev},"record":${json}}`);
        topic.pendingEvents++;
      }
      topic.last = seq;
    }
  }

  summary(summary: SessionSummary): void {
    const topic = this.#topics.find(SESSIONS);
    if (topic === undefined || topic.live === 0) return;
    this.#summaries.delete(summary.id);
    this.#summaries.set(summary.id, summary);
  }

  live(live: LiveText): void {
    const { session, run, step, stream, offset } = live;
    let texts = this.#live.get(session);
    if (texts === undefined) {
      if (!this.#topics.isLive(ALL) && !this.#topics.isLive(sessionTopic(session))) return;
      this.#live.set(session, (texts = []));
    }
    const at = texts.findIndex(({ first }) => first.stream === stream && first.step === step && first.run === run);
    if (at >= 0 && offset > 0) {
      texts[at]!.text += live.text;
      return;
    }
    if (at >= 0) texts.splice(at, 1); // a stream that starts anew: what it said before is no longer wanted
    texts.push({ first: live, text: live.text });
  }

  /** Streams with text that waits. */
  get streams(): number {
    let streams = 0;
    for (const texts of this.#live.values()) streams += texts.length;
    return streams;
  }

  /** The topics that have fragments, complete. The caller sends them and calls `sent`. */
  take(): ReadonlySet<Topic> {
    for (const session of this.#live.keys()) this.#endTexts(session);
    const sessions = this.#topics.find(SESSIONS);
    for (const summary of this.#summaries.values()) {
      if (sessions === undefined || sessions.live === 0) break;
      const prev = sessions.last ?? 0;
      const json = JSON.stringify(summary);
      this.#push(sessions, `{"type":"event","topic":"sessions","seq":${summary.seq},"prev":${prev},"session":${json}}`);
      sessions.pendingEvents++;
      sessions.last = summary.seq;
    }
    this.#summaries.clear();
    const touched = this.#touched;
    this.#touched = new Set();
    return touched;
  }

  #endTexts(session: string): void {
    const topics = [this.#topics.find(ALL), this.#topics.find(sessionTopic(session))];
    for (const { first, text } of this.#live.get(session)!) {
      const { run, step, stream, offset } = first;
      const body = `"session":"${session}","run":"${run}","step":${step},"stream":"${stream}","offset":${offset},"text":${JSON.stringify(text)}}`;
      for (const topic of topics) {
        if (topic !== undefined && topic.live > 0) this.#push(topic, `{"type":"live","topic":"${topic.name}",${body}`);
      }
    }
    this.#live.delete(session);
  }

  #push(topic: Topic, fragment: string): void {
    topic.pending.push(fragment);
    this.#touched.add(topic);
  }
}
