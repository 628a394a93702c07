import type { AnyRecord, ServerFrame, SessionSummary } from "@swarm/protocol";
import type { Attached, Hub, HubSocket } from "../index.ts";

/** What a client knows: it outlives a connection. */
export class Knowledge {
  readonly places = new Map<string, number>();
  readonly records = new Map<string, AnyRecord[]>();
  readonly summaries = new Map<string, SessionSummary>();
  readonly texts = new Map<string, string>();
  readonly problems: string[] = [];
}

/**
 * A client that keeps what a real one keeps and is stricter than one: every `prev` must be its place to the number,
 * every piece of text must continue what it has.
 */
export class Viewer implements HubSocket {
  readonly frames: ServerFrame[] = [];
  readonly knows: Knowledge;
  readonly attached: Attached;
  bufferedAmount = 0;
  /** Sent bytes stay in the buffer. */
  stuck = false;
  sentBytes = 0;
  messages = 0;
  closedWith: number | undefined;
  readonly #acks: boolean;

  constructor(hub: Hub, o: { incarnation?: string; knows?: Knowledge; acks?: boolean } = {}) {
    this.knows = o.knows ?? new Knowledge();
    this.#acks = o.acks ?? true;
    this.attached = hub.attach(this);
    this.say({ type: "hello", version: 1, ...(o.incarnation === undefined ? {} : { incarnation: o.incarnation }) });
  }

  say(frame: object): void {
    this.attached.message(JSON.stringify(frame));
  }
  subscribe(...topics: string[]): this {
    for (const topic of topics) {
      const after = this.knows.places.get(topic);
      this.say({ type: "subscribe", topic, ...(after === undefined ? {} : { after }) });
    }
    return this;
  }
  leave(): Knowledge {
    this.attached.closed();
    return this.knows;
  }
  stall(bytes = 2 * 1024 * 1024): void {
    this.stuck = true;
    this.bufferedAmount += bytes;
  }
  drain(): void {
    this.stuck = false;
    this.bufferedAmount = 0;
  }

  send(data: Uint8Array): void {
    this.messages++;
    this.sentBytes += data.byteLength;
    if (this.stuck) this.bufferedAmount += data.byteLength;
    for (const frame of JSON.parse(Buffer.from(data).toString()) as ServerFrame[]) this.#take(frame);
    if (this.#acks) this.say({ type: "ack", seq: Math.max(0, ...this.knows.places.values()) });
  }
  close(code?: number): void {
    this.closedWith = code ?? 1005;
  }

  #take(frame: ServerFrame): void {
    this.frames.push(frame);
    const { places, records, summaries, texts, problems } = this.knows;
    switch (frame.type) {
      case "snapshot":
        places.set(frame.topic, frame.seq);
        if ("records" in frame.state) {
          records.set(frame.topic, [...frame.state.records]);
          for (const live of frame.state.live) texts.set(`${live.session}.${live.step}`, live.text);
        } else if (frame.topic === "sessions" && "sessions" in frame.state) {
          summaries.clear();
          for (const row of frame.state.sessions as readonly SessionSummary[]) summaries.set(row.id, row);
        }
        return;
      case "caught-up": {
        const place = places.get(frame.topic);
        if (frame.topic.startsWith("session:") && place !== undefined && place !== frame.seq)
          problems.push(`caught up at ${frame.seq}, had ${place} on ${frame.topic}`);
        places.set(frame.topic, frame.seq);
        return;
      }
      case "event": {
        const place = places.get(frame.topic);
        if (place === undefined) problems.push(`event ${frame.seq} on ${frame.topic} before its snapshot`);
        else if (frame.seq <= place) problems.push(`duplicate ${frame.topic} ${frame.seq} at ${place}`);
        else if (frame.prev !== place) problems.push(`${frame.topic} ${frame.seq} follows ${frame.prev}, had ${place}`);
        places.set(frame.topic, frame.seq);
        if ("record" in frame) records.set(frame.topic, [...(records.get(frame.topic) ?? []), frame.record]);
        else summaries.set(frame.session.id, frame.session);
        return;
      }
      case "live": {
        const key = `${frame.session}.${frame.step}`;
        const have = texts.get(key) ?? "";
        if (frame.offset > have.length && frame.topic !== "session:*")
          problems.push(`hole in ${key}: ${have.length}, then ${frame.offset}`);
        if (frame.offset <= have.length) texts.set(key, have.slice(0, frame.offset) + frame.text);
        return;
      }
      default:
        return;
    }
  }
}
