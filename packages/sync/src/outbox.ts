import type { CommittedRecord } from "@swarm/journal";
import type { LiveText, SessionSummary } from "@swarm/protocol";
import { ALL, SESSIONS, sessionTopic, type Topic, type Topics } from "./topics.ts";

interface Growing {
  readonly first: LiveText;
  pieces: string[];
}

/**
 * What happened since the last flush, as JSON fragments on the topics that somebody reads live, each made once. A
 * record's JSON comes encoded from the commit and is spliced, not made again. Text of one stream grows into one
 * fragment until the flush or until a record of its session comes: on a topic everything stands in the order in which
 * it happened. Of a session's summaries only the newest is kept.
 */
export class Outbox {
  readonly #topics: Topics;
  readonly #live = new Map<string, Map<string, Growing>>();
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
    const wanted = this.#topics.isLive(ALL) || this.#topics.isLive(sessionTopic(live.session));
    if (!wanted) return;
    let texts = this.#live.get(live.session);
    if (texts === undefined) this.#live.set(live.session, (texts = new Map()));
    const key = `${live.run}.${live.step}.${live.stream}`;
    const growing = texts.get(key);
    if (growing === undefined || live.offset === 0) {
      texts.delete(key); // a stream that starts anew: what it said before is no longer wanted
      texts.set(key, { first: live, pieces: [live.text] });
    } else growing.pieces.push(live.text);
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
    for (const { first, pieces } of this.#live.get(session)!.values()) {
      const { run, step, stream, offset } = first;
      const text = JSON.stringify(pieces.length === 1 ? pieces[0] : pieces.join(""));
      const body = `"session":"${session}","run":"${run}","step":${step},"stream":"${stream}","offset":${offset},"text":${text}}`;
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
