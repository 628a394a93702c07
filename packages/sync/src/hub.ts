import type { CommittedRecord } from "@swarm/journal";
import {
  ClientFrameSchema,
  PROTOCOL_FLOOR,
  PROTOCOL_VERSION,
  type ClientFrame,
  type Diagnostics,
  type ErrorCode,
  type ServerFrame,
  type SessionSummary,
} from "@swarm/protocol";
import { errorMessage, Histogram } from "@swarm/std";
import { Outbox } from "./outbox.ts";
import type { HubOptions, HubSocket } from "./ports.ts";
import { AllRecordsReplay, SessionReplay } from "./replay/record-replays.ts";
import type { Replay, ReplayWorld } from "./replay/replay.ts";
import { SummariesReplay, SystemReplay } from "./replay/state-replays.ts";
import { Subscriber, type Subscription } from "./subscriber.ts";
import { ALL, SESSIONS, SYSTEM, Topics, type Topic } from "./topics.ts";

/** At most one flush per display frame; the first after a pause goes at once. */
const FLUSH_MS = 16;
/** With very many texts that grow at once nobody sees single frames: every second one saves a fifth of the bytes and half the writes. */
const FLUSH_BUSY_MS = 33;
const BUSY_STREAMS = 32;
const STATUS_MS = 1_000;
/** A client that was sent nothing this long is sent an empty message; one that read nothing of what waits for it, twice, is dead. */
const HEARTBEAT_MS = 15_000;
/** A page follows a few sessions; a program that wants all has `session:*`. */
const SUBSCRIPTIONS_MAX = 1_000;

export interface Attached {
  /** One client frame, as text. */
  message(text: string): void;
  /** The socket is closed, whoever closed it: nothing is sent any more. */
  closed(): void;
}

/**
 *   subscribe ─▶ replay ──(snapshot or journal, paged)──▶ live ──(does not keep up)──▶ replay ─▶ …
 *
 * A live subscription is fed by `flush`: one payload per set of topics, made once, shared by the clients that have this
 * set. A replay costs a cursor and a page, and goes at the pace of its socket; it can neither block the others nor grow.
 * Invariant: all live subscriptions of a topic stand at one place (`topic.sent`), whatever way they came there.
 */
export class Hub implements Disposable {
  readonly #o: HubOptions;
  readonly #world: ReplayWorld;
  readonly #subscribers = new Set<Subscriber>();
  readonly #topics = new Topics();
  readonly #outbox = new Outbox(this.#topics);
  readonly #summaryReplays = new Set<SummariesReplay>();
  readonly #undo: (() => void)[];
  readonly #timers: NodeJS.Timeout[];
  readonly #commitToSocket = new Histogram();
  readonly #stats = { frames: 0, events: 0, bytes: 0, replays: 0, gaps: 0 };
  #cancelFlush: (() => void) | undefined;
  #flushedAt = 0;
  #flushMs = FLUSH_MS;
  #oldestCommitAt: number | undefined;
  #head: number;
  #summariesAt: number;

  constructor(options: HubOptions) {
    this.#o = options;
    this.#head = this.#summariesAt = options.source.cursor().seq;
    this.#world = this.#look();
    this.#undo = [
      options.source.onCommit((batch) => this.#committed(batch)),
      options.sessions.onSummary((summary) => this.#summary(summary)),
      options.sessions.onLive((live) => {
        this.#outbox.live(live);
        if (!this.#outbox.empty) this.#schedule();
      }),
    ];
    this.#timers = [setInterval(() => this.#sendStatus(), STATUS_MS), setInterval(() => this.beat(), HEARTBEAT_MS)];
    for (const timer of this.#timers) timer.unref();
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
    const commitToSocketP99Ms = this.#commitToSocket.quantile(0.99) ?? null;
    return { clients: this.#subscribers.size, ...this.#stats, commitToSocketP99Ms };
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undo) undo();
    for (const timer of this.#timers) clearInterval(timer);
    this.#cancelFlush?.();
    for (const subscriber of this.#subscribers) {
      subscriber.gone = true;
      subscriber.socket.close(1001, "the daemon is stopping");
    }
    this.#subscribers.clear();
  }

  #message(subscriber: Subscriber, text: string): void {
    if (subscriber.gone) return;
    const frame = parse(text);
    if (frame === undefined) {
      refuse(subscriber, "bad_request", "this is no frame of the protocol: hello, subscribe, unsubscribe or ack");
      return;
    }
    switch (frame.type) {
      case "hello":
        this.#hello(subscriber, frame);
        return;
      case "subscribe":
        this.#subscribe(subscriber, frame.topic, frame.after);
        return;
      case "unsubscribe":
        this.#unsubscribe(subscriber, frame.topic);
        return;
      case "ack":
        subscriber.ack(frame.seq);
        return;
    }
  }

  #hello(subscriber: Subscriber, { version, incarnation }: Extract<ClientFrame, { type: "hello" }>): void {
    if (version < PROTOCOL_FLOOR || version > PROTOCOL_VERSION) {
      const spoken = `${PROTOCOL_FLOOR} to ${PROTOCOL_VERSION}`;
      refuse(subscriber, "bad_request", `this daemon speaks protocol ${spoken}, not ${version}`);
      subscriber.socket.close(1008, "protocol version");
      return;
    }
    const own = this.#o.source.incarnation;
    subscriber.resumes = incarnation === own;
    const { seq } = this.#o.source.cursor();
    say(subscriber, { type: "welcome", version: PROTOCOL_VERSION, incarnation: own, seq, heartbeatMs: HEARTBEAT_MS });
  }

  #subscribe(subscriber: Subscriber, name: string, after: number | undefined): void {
    if (subscriber.subscriptions.has(name)) return;
    if (subscriber.subscriptions.size >= SUBSCRIPTIONS_MAX) {
      const message = `${name} was not subscribed: a client may have ${SUBSCRIPTIONS_MAX} topics; session:* has all sessions`;
      refuse(subscriber, "too_many_requests", message);
      return;
    }
    const topic = this.#topics.join(name);
    const from = subscriber.resumes && after !== undefined && after <= this.#o.source.cursor().seq ? after : undefined;
    subscriber.subscriptions.set(name, { topic, replay: this.#replayOf(topic, from) });
    void this.#serve(subscriber);
  }

  #unsubscribe(subscriber: Subscriber, name: string): void {
    const subscription = subscriber.subscriptions.get(name);
    if (subscription === undefined) return;
    subscriber.subscriptions.delete(name);
    subscriber.liveSetChanged();
    this.#end(subscription);
    this.#topics.leave(subscription.topic);
  }

  #drop(subscriber: Subscriber): void {
    subscriber.gone = true;
    for (const name of [...subscriber.subscriptions.keys()]) this.#unsubscribe(subscriber, name);
    this.#subscribers.delete(subscriber);
  }

  #replayOf(topic: Topic, after: number | undefined): Replay {
    switch (topic.name) {
      case SYSTEM:
        return new SystemReplay(this.#world);
      case ALL:
        return new AllRecordsReplay(this.#world, after);
      case SESSIONS: {
        const replay = new SummariesReplay(this.#world, after);
        this.#summaryReplays.add(replay);
        return replay;
      }
      default:
        return new SessionReplay(this.#world, topic, after);
    }
  }

  /** Ends what the subscription is now: a replay, or a reader of the flush. */
  #end({ topic, replay }: Subscription): void {
    if (replay === undefined) topic.live--;
    else if (replay instanceof SummariesReplay) this.#summaryReplays.delete(replay);
  }

  /** Serves a client's replays one page at a time, in turns, as its socket takes them. One at work per client. */
  async #serve(subscriber: Subscriber): Promise<void> {
    if (subscriber.served) return;
    subscriber.served = true;
    for (;;) {
      await subscriber.drained();
      const subscription = subscriber.gone ? undefined : subscriber.nextReplay();
      if (subscription === undefined) break;
      const { replay } = subscription;
      try {
        await replay!.read();
      } catch (error) {
        this.#unreadable(subscriber, subscription.topic, error);
        break;
      }
      // meanwhile it may have been unsubscribed, or be another subscription of the same name
      if (!subscriber.gone && subscriber.subscriptions.get(subscription.topic.name) === subscription)
        this.#give(subscriber, subscription, replay!);
    }
    subscriber.served = false;
  }

  /** Does not wait: nothing is told between the replay's look at the head and the subscription's going live. */
  #give(subscriber: Subscriber, subscription: Subscription, replay: Replay): void {
    const { frames, events, seq, atHead } = replay.serve();
    subscriber.send(frames, seq);
    this.#stats.replays += events;
    this.#stats.events += events;
    if (!atHead) return;
    this.flush(); // what waits was told before this: the others get it, this one has it
    const { topic } = subscription;
    this.#end(subscription);
    subscription.replay = undefined;
    subscriber.liveSetChanged();
    topic.live++;
    if (topic.name === ALL) topic.last = this.#head;
    if (topic.name === SESSIONS) topic.last = this.#summariesAt;
    topic.sent = topic.last ?? 0;
    say(subscriber, { type: "caught-up", topic: topic.name, seq });
  }

  /** The client comes again by itself and goes on from its places. */
  #unreadable(subscriber: Subscriber, topic: Topic, error: unknown): void {
    refuse(subscriber, "storage_unavailable", `${topic.name} could not be read: ${errorMessage(error)}`);
    subscriber.socket.close(1011, "a topic could not be read");
    this.#drop(subscriber);
  }

  #committed(batch: readonly CommittedRecord[]): void {
    for (const committed of batch) {
      const { seq } = committed.record;
      if (seq !== this.#head + 1) this.#stats.gaps++;
      this.#head = seq;
      this.#outbox.record(committed);
    }
    if (this.#outbox.empty) return;
    this.#oldestCommitAt ??= performance.now();
    this.#schedule();
  }

  #summary(summary: SessionSummary): void {
    this.#summariesAt = summary.seq;
    for (const replay of this.#summaryReplays) replay.told(summary);
    this.#outbox.summary(summary);
    if (!this.#outbox.empty) this.#schedule();
  }

  #schedule(): void {
    if (this.#cancelFlush !== undefined) return;
    const waitMs = this.#flushedAt + this.#flushMs - performance.now();
    if (waitMs > 0) {
      const timer = setTimeout(() => this.flush(), waitMs);
      this.#cancelFlush = () => clearTimeout(timer);
    } else {
      const immediate = setImmediate(() => this.flush());
      this.#cancelFlush = () => clearImmediate(immediate);
    }
  }

  /** Sends what is waiting: per set of live topics one payload, made once and shared. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#outbox.empty) return;
    this.#flushMs = this.#outbox.streams > BUSY_STREAMS ? FLUSH_BUSY_MS : FLUSH_MS;
    const touched = this.#outbox.take();
    const payloads = new Map<string, Payload>();
    for (const subscriber of this.#subscribers) {
      if (subscriber.overfull) this.#lag(subscriber);
      const { key, topics } = subscriber.liveSet;
      if (key === "") continue;
      let payload = payloads.get(key);
      if (payload === undefined) payloads.set(key, (payload = payloadOf(topics, touched)));
      if (payload.bytes === undefined) continue;
      subscriber.sendBytes(payload.bytes, payload.seq);
      this.#stats.events += payload.events;
    }
    for (const topic of touched) {
      topic.pending = [];
      topic.pendingEvents = 0;
      topic.sent = topic.last ?? 0;
    }
    this.#flushedAt = performance.now();
    if (this.#oldestCommitAt !== undefined) this.#commitToSocket.record(this.#flushedAt - this.#oldestCommitAt);
    this.#oldestCommitAt = undefined;
  }

  /** The client leaves the live path with all its topics and goes on from where they stood before this flush. */
  #lag(subscriber: Subscriber): void {
    const { topics } = subscriber.liveSet;
    if (topics.length === 0) return;
    for (const topic of topics) {
      const subscription = subscriber.subscriptions.get(topic.name)!;
      this.#end(subscription);
      subscription.replay = this.#replayOf(topic, topic.sent);
    }
    subscriber.liveSetChanged();
    subscriber.send(
      topics.map(({ name }) => JSON.stringify({ type: "lagging", topic: name } satisfies ServerFrame)),
      0,
    );
    void this.#serve(subscriber);
  }

  #sendStatus(): void {
    if (!this.#topics.isLive(SYSTEM)) return;
    const frame: ServerFrame = { type: "status", topic: SYSTEM, status: this.#o.status() };
    const bytes = Buffer.from(`[${JSON.stringify(frame)}]`);
    for (const subscriber of this.#subscribers) {
      const subscription = subscriber.subscriptions.get(SYSTEM);
      if (subscription !== undefined && subscription.replay === undefined && !subscriber.overfull)
        subscriber.sendBytes(bytes, 0);
    }
  }

  /** For the tests, which do not wait; else once every HEARTBEAT_MS. */
  beat(): void {
    for (const subscriber of this.#subscribers) {
      if (subscriber.beat() === "dead") {
        subscriber.socket.close(1008, "nothing was read for two heartbeats");
        this.#drop(subscriber);
      } else if (!subscriber.spoken && !subscriber.overfull) subscriber.sendBytes(EMPTY, 0);
      subscriber.spoken = false;
    }
  }

  #look(): ReplayWorld {
    const head = (): number => this.#head;
    const summariesAt = (): number => this.#summariesAt;
    return {
      ...this.#o,
      status: () => this.#o.status(),
      hole: () => void this.#stats.gaps++,
      get head() {
        return head();
      },
      get summariesAt() {
        return summariesAt();
      },
    };
  }
}

const EMPTY = Buffer.from("[]");

interface Payload {
  readonly bytes: Uint8Array | undefined;
  readonly events: number;
  readonly seq: number;
}

function payloadOf(topics: readonly Topic[], touched: ReadonlySet<Topic>): Payload {
  const parts: string[] = [];
  let events = 0;
  let seq = 0;
  for (const topic of topics) {
    if (!touched.has(topic)) continue;
    for (const fragment of topic.pending) parts.push(fragment);
    events += topic.pendingEvents;
    if (topic.pendingEvents > 0) seq = Math.max(seq, topic.last ?? 0);
  }
  return { bytes: parts.length === 0 ? undefined : Buffer.from(`[${parts.join(",")}]`), events, seq };
}

function parse(text: string): ClientFrame | undefined {
  try {
    return ClientFrameSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function say(subscriber: Subscriber, frame: ServerFrame): void {
  subscriber.send([JSON.stringify(frame)], frame.type === "caught-up" ? frame.seq : 0);
}

function refuse(subscriber: Subscriber, code: ErrorCode, message: string): void {
  say(subscriber, { type: "error", code, message });
}

export function createHub(options: HubOptions): Hub {
  return new Hub(options);
}
