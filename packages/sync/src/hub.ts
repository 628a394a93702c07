import {
  ClientFrameSchema,
  PROTOCOL_FLOOR,
  PROTOCOL_VERSION,
  type ClientFrame,
  type Diagnostics,
  type ServerFrame,
  type SessionSummary,
} from "@swarm/protocol";
import { Histogram } from "@swarm/std";
import { Outbox } from "./outbox.ts";
import type { HubOptions, HubSocket } from "./ports.ts";
import { Subscriber, type Subscription } from "./subscriber.ts";

/** One flush per display frame at most. */
const FLUSH_MS = 16;
const STATUS_MS = 1_000;
const HEARTBEAT_MS = 15_000;
const PAGE = 200;
/** Sessions in a `sessions` snapshot: the newest; older ones are paged through the API. */
const SNAPSHOT_SESSIONS_MAX = 2_000;

export interface Attached {
  message(text: string): void;
  closed(): void;
}

/**
 *   subscribe ─▶ catching ──(snapshot or replay, paged)──▶ live ──(its buffer is full)──▶ catching ─▶ …
 *
 * A live subscription is fed by `flush`: one payload per subscription set, made once. A catching one costs a cursor
 * and is served from the journal at its own pace; it can neither block the others nor grow.
 */
export class Hub implements Disposable {
  readonly #o: HubOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #topics = new Map<string, number>();
  readonly #outbox = new Outbox();
  readonly #undo: (() => void)[];
  readonly #statusTimer: NodeJS.Timeout;
  readonly #commitToSocket = new Histogram();
  #flushTimer: NodeJS.Timeout | undefined;
  #oldestAt = 0;
  #stats = { frames: 0, events: 0, bytes: 0, replays: 0, gaps: 0 };

  constructor(options: HubOptions) {
    this.#o = options;
    const wanted = (topic: string): boolean => this.#topics.has(topic);
    this.#undo = [
      options.source.onCommit((batch) => {
        if (this.#subscribers.size === 0) return;
        for (const committed of batch) {
          this.#outbox.record(committed, wanted);
          for (const subscriber of this.#subscribers) subscriber.noteCommit(committed.record.session);
        }
        this.#schedule();
      }),
      options.sessions.onSummary((summary) => {
        if (!wanted("sessions")) return;
        this.#outbox.summary(summary);
        this.#schedule();
      }),
      options.sessions.onLive((live) => {
        if (!wanted("session:*") && !wanted(`session:${live.session}`)) return;
        this.#outbox.live(live);
        this.#schedule();
      }),
    ];
    this.#statusTimer = setInterval(() => this.#sendStatus(), STATUS_MS);
    this.#statusTimer.unref();
  }

  attach(socket: HubSocket): Attached {
    const subscriber = new Subscriber(socket, this.#stats);
    this.#subscribers.add(subscriber);
    return {
      message: (text) => this.#message(subscriber, text),
      closed: () => this.#drop(subscriber),
    };
  }

  stats(): Diagnostics["sync"] {
    return {
      clients: this.#subscribers.size,
      ...this.#stats,
      commitToSocketP99Ms: this.#commitToSocket.quantile(0.99) ?? null,
    };
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undo) undo();
    clearInterval(this.#statusTimer);
    clearTimeout(this.#flushTimer);
    for (const subscriber of this.#subscribers) subscriber.socket.close(1001, "the daemon is stopping");
    this.#subscribers.clear();
  }

  #message(subscriber: Subscriber, text: string): void {
    let frame: ClientFrame;
    try {
      frame = ClientFrameSchema.parse(JSON.parse(text));
    } catch {
      subscriber.send([
        {
          type: "error",
          code: "bad_request",
          message: "this is not a frame of the protocol: hello, subscribe, unsubscribe or ack",
        },
      ]);
      return;
    }
    switch (frame.type) {
      case "hello":
        if (frame.version < PROTOCOL_FLOOR || frame.version > PROTOCOL_VERSION) {
          subscriber.send([
            {
              type: "error",
              code: "bad_request",
              message: `this daemon speaks protocol ${PROTOCOL_FLOOR} to ${PROTOCOL_VERSION}, not ${frame.version}`,
            },
          ]);
          subscriber.socket.close(1008, "protocol version");
          return;
        }
        subscriber.resumes = frame.incarnation === this.#o.source.incarnation;
        subscriber.send([
          {
            type: "welcome",
            version: PROTOCOL_VERSION,
            incarnation: this.#o.source.incarnation,
            seq: this.#o.source.cursor().seq,
            heartbeatMs: HEARTBEAT_MS,
          },
        ]);
        return;
      case "subscribe":
        this.#subscribe(subscriber, frame.topic, frame.after);
        return;
      case "unsubscribe":
        this.#unsubscribe(subscriber, frame.topic);
        return;
      case "ack":
        subscriber.acked = frame.seq;
        return;
    }
  }

  #subscribe(subscriber: Subscriber, topic: string, after: number | undefined): void {
    if (subscriber.topics.has(topic)) return;
    const from = subscriber.resumes && after !== undefined && after <= this.#o.source.cursor().seq ? after : undefined;
    const subscription: Subscription = { topic, mode: "catching", seq: from ?? -1, rev: 0, dirty: false, busy: false };
    subscriber.topics.set(topic, subscription);
    this.#topics.set(topic, (this.#topics.get(topic) ?? 0) + 1);
    void this.#catchUp(subscriber, subscription);
  }

  #unsubscribe(subscriber: Subscriber, topic: string): void {
    if (!subscriber.topics.delete(topic)) return;
    const left = (this.#topics.get(topic) ?? 1) - 1;
    if (left > 0) this.#topics.set(topic, left);
    else {
      this.#topics.delete(topic);
      this.#outbox.forget(topic);
    }
  }

  #drop(subscriber: Subscriber): void {
    subscriber.gone = true;
    for (const topic of [...subscriber.topics.keys()]) this.#unsubscribe(subscriber, topic);
    this.#subscribers.delete(subscriber);
  }

  /** Brings one subscription to the head, at the pace of its socket, then makes it live. */
  async #catchUp(subscriber: Subscriber, subscription: Subscription): Promise<void> {
    if (subscription.busy) return;
    subscription.busy = true;
    try {
      if (subscription.topic === "system") await this.#catchSystem(subscriber, subscription);
      else if (subscription.topic === "sessions") await this.#catchSessions(subscriber, subscription);
      else if (subscription.topic === "session:*") await this.#catchAll(subscriber, subscription);
      else await this.#catchOne(subscriber, subscription);
    } catch (error) {
      subscriber.send([
        {
          type: "error",
          code: "internal",
          message: `topic ${subscription.topic} could not be read: ${error instanceof Error ? error.message : String(error)}`,
        },
      ]);
      this.#unsubscribe(subscriber, subscription.topic);
    } finally {
      subscription.busy = false;
    }
  }

  async #catchSystem(subscriber: Subscriber, subscription: Subscription): Promise<void> {
    await subscriber.drained();
    subscriber.send([{ type: "snapshot", topic: "system", seq: this.#o.source.cursor().seq, state: this.#o.status() }]);
    this.#goLive(subscriber, subscription, this.#o.source.cursor().seq);
  }

  async #catchSessions(subscriber: Subscriber, subscription: Subscription): Promise<void> {
    for (;;) {
      await subscriber.drained();
      if (subscriber.gone) return;
      subscription.dirty = false;
      const sessions: SessionSummary[] = [];
      for (let after: string | undefined; sessions.length < SNAPSHOT_SESSIONS_MAX;) {
        const page = await this.#o.sessions.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
        sessions.push(...page.items);
        if (page.next === null) break;
        after = page.next;
      }
      // something changed while the pages were read: what was read is older than the head, read again
      if (subscription.dirty && sessions.length <= PAGE) continue;
      const seq = Math.max(this.#outbox.summarySeq, ...sessions.map((s) => s.seq));
      this.flush();
      subscriber.send([{ type: "snapshot", topic: "sessions", seq, state: { sessions } }]);
      if (this.#outbox.summarySeq === 0) this.#outbox.summarySeq = seq;
      this.#goLive(subscriber, subscription, this.#outbox.summarySeq);
      return;
    }
  }

  async #catchAll(subscriber: Subscriber, subscription: Subscription): Promise<void> {
    if (subscription.seq < 0) {
      this.flush();
      this.#goLive(subscriber, subscription, this.#o.source.cursor().seq);
      return;
    }
    for (;;) {
      await subscriber.drained();
      if (subscriber.gone) return;
      subscription.dirty = false;
      const page = await this.#o.source.recordsSince(subscription.seq, PAGE);
      const frames: ServerFrame[] = [];
      for (const record of page) {
        frames.push({ type: "event", topic: subscription.topic, seq: record.seq, prev: subscription.seq, record });
        subscription.seq = record.seq;
      }
      this.#replayed(subscriber, frames);
      if (page.length === PAGE || subscription.dirty) continue;
      this.flush();
      this.#goLive(subscriber, subscription, subscription.seq);
      return;
    }
  }

  async #catchOne(subscriber: Subscriber, subscription: Subscription): Promise<void> {
    const session = subscription.topic.slice("session:".length);
    let first = subscription.seq < 0;
    for (;;) {
      await subscriber.drained();
      if (subscriber.gone) return;
      subscription.dirty = false;
      const page = await this.#o.source.records(session, { after: subscription.rev, limit: PAGE });
      const news = page.filter((r) => r.seq > subscription.seq);
      if (page.length > 0) subscription.rev = page.at(-1)!.rev;
      if (first) {
        subscription.seq = news.at(-1)?.seq ?? 0;
        subscriber.send([
          {
            type: "snapshot",
            topic: subscription.topic,
            seq: subscription.seq,
            state: { records: news, live: this.#o.sessions.liveTexts(session) },
          },
        ]);
        first = false;
      } else {
        const frames: ServerFrame[] = [];
        for (const record of news) {
          frames.push({ type: "event", topic: subscription.topic, seq: record.seq, prev: subscription.seq, record });
          subscription.seq = record.seq;
        }
        this.#replayed(subscriber, frames);
      }
      if (page.length === PAGE || subscription.dirty) continue;
      this.flush();
      this.#outbox.setLast(subscription.topic, subscription.seq);
      this.#goLive(subscriber, subscription, subscription.seq);
      return;
    }
  }

  #replayed(subscriber: Subscriber, frames: readonly ServerFrame[]): void {
    if (frames.length === 0) return;
    this.#stats.replays += frames.length;
    this.#stats.events += frames.length;
    subscriber.send(frames);
  }

  #goLive(subscriber: Subscriber, subscription: Subscription, seq: number): void {
    subscription.seq = seq;
    subscription.mode = "live";
    subscriber.send([{ type: "caught-up", topic: subscription.topic, seq }]);
  }

  #schedule(): void {
    if (this.#flushTimer !== undefined) return;
    this.#oldestAt = performance.now();
    this.#flushTimer = setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** Sends what is waiting: per set of live topics one payload, made once and shared. */
  flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    if (this.#outbox.empty) return;
    const byTopic = this.#outbox.take((topic) => this.#topics.has(topic));
    const payloads = new Map<string, { bytes: Uint8Array; events: number } | undefined>();
    for (const subscriber of this.#subscribers) {
      this.#checkLag(subscriber);
      const live = subscriber.liveTopics();
      const key = live.join(" ");
      if (!payloads.has(key)) payloads.set(key, payloadOf(live, byTopic));
      const payload = payloads.get(key);
      if (payload === undefined) continue;
      subscriber.sendBytes(payload.bytes);
      this.#stats.events += payload.events;
      subscriber.advance(this.#o.source.cursor().seq, (topic) => this.#outbox.last(topic));
    }
    this.#commitToSocket.record(performance.now() - this.#oldestAt);
  }

  /** A client whose buffer is full leaves the live path; it goes on from its cursor when its buffer is empty again. */
  #checkLag(subscriber: Subscriber): void {
    if (!subscriber.overfull()) return;
    for (const subscription of subscriber.topics.values()) {
      if (subscription.mode !== "live") continue;
      subscription.mode = "catching";
      subscriber.lag(subscription.topic);
      void this.#catchUp(subscriber, subscription);
    }
  }

  #sendStatus(): void {
    if (!this.#topics.has("system")) return;
    const frame: ServerFrame = { type: "status", topic: "system", status: this.#o.status() };
    const bytes = Buffer.from(`[${JSON.stringify(frame)}]`);
    for (const subscriber of this.#subscribers)
      if (subscriber.topics.get("system")?.mode === "live" && !subscriber.overfull()) subscriber.sendBytes(bytes);
  }
}

function payloadOf(
  topics: readonly string[],
  byTopic: ReadonlyMap<string, { fragments: string[]; events: number }>,
): { bytes: Uint8Array; events: number } | undefined {
  const fragments: string[] = [];
  let events = 0;
  for (const topic of topics) {
    const entry = byTopic.get(topic);
    if (entry === undefined) continue;
    for (const fragment of entry.fragments) fragments.push(fragment);
    events += entry.events;
  }
  return fragments.length === 0 ? undefined : { bytes: Buffer.from(`[${fragments.join(",")}]`), events };
}

export function createHub(options: HubOptions): Hub {
  return new Hub(options);
}
