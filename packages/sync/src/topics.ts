export const ALL = "session:*";
export const SESSIONS = "sessions";
export const SYSTEM = "system";

export function sessionTopic(session: string): string {
  return `session:${session}`;
}

/** A topic that somebody subscribes to. */
export class Topic {
  readonly name: string;
  subscriptions = 0;
  /** Subscriptions that stand at the head and are fed by the flush. */
  live = 0;
  /** Seq of the newest event on it, as told; undefined: none since somebody subscribes. The `prev` of the next. */
  last: number | undefined;
  /** Where its live subscriptions stand: seq of the newest event that was flushed to them. */
  sent = 0;
  /** JSON of frames that wait for the flush. */
  pending: string[] = [];
  pendingEvents = 0;

  constructor(name: string) {
    this.name = name;
  }
}

export class Topics {
  readonly #topics = new Map<string, Topic>();

  find(name: string): Topic | undefined {
    return this.#topics.get(name);
  }
  isLive(name: string): boolean {
    return (this.#topics.get(name)?.live ?? 0) > 0;
  }
  join(name: string): Topic {
    let topic = this.#topics.get(name);
    if (topic === undefined) this.#topics.set(name, (topic = new Topic(name)));
    topic.subscriptions++;
    return topic;
  }
  leave(topic: Topic): void {
    if (--topic.subscriptions === 0) this.#topics.delete(topic.name);
  }
}
