import { PROTOCOL_VERSION, STREAM_SUBPROTOCOL, type ClientFrame, type ServerFrame } from "@swarm/protocol";
import { backoffMs } from "@swarm/std";
import type { ApiClient } from "./api.ts";

export type StreamState = "connecting" | "open" | "lost" | "closed";

export interface StreamOptions {
  /** Read at each connect, so that a new token or address is taken up. */
  readonly api: () => ApiClient;
  readonly topics: readonly string[];
  /** In order. Serial: the next frame comes when it returned. */
  onFrame(frame: ServerFrame): void;
  onState?(state: StreamState): void;
  readonly WebSocket?: typeof globalThis.WebSocket;
}

export interface StreamConnection {
  readonly state: StreamState;
  /** Breaks of continuity that were seen, each healed by subscribing anew. */
  readonly gaps: number;
  readonly reconnects: number;
  /** Wall ms of the last message; 0 before the first. */
  readonly lastDataAt: number;
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  close(): void;
}

const RECONNECT_BASE_MS = 200;
const RECONNECT_CAP_MS = 5_000;
const ACK_MS = 1_000;
/** A daemon that says nothing this long (status comes every second on `system`) is asked whether it lives. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Connects, resumes by (incarnation, seq) per topic, proves continuity, reconnects until closed. */
export function connectStream(options: StreamOptions): StreamConnection {
  return new Connection(options);
}

class Connection implements StreamConnection {
  readonly #o: StreamOptions;
  readonly #places = new Map<string, number | undefined>();
  #socket: WebSocket | undefined;
  #incarnation: string | undefined;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #acks: ReturnType<typeof setInterval>;
  #acked = 0;
  state: StreamState = "connecting";
  gaps = 0;
  reconnects = -1;
  lastDataAt = 0;

  constructor(options: StreamOptions) {
    this.#o = options;
    for (const topic of options.topics) this.#places.set(topic, undefined);
    this.#acks = setInterval(() => this.#ack(), ACK_MS);
    void this.#connect();
  }

  subscribe(topic: string): void {
    if (this.#places.has(topic)) return;
    this.#places.set(topic, undefined);
    if (this.state === "open") this.#send({ type: "subscribe", topic });
  }

  unsubscribe(topic: string): void {
    if (this.#places.delete(topic) && this.state === "open") this.#send({ type: "unsubscribe", topic });
  }

  close(): void {
    this.#become("closed");
    clearTimeout(this.#timer);
    clearInterval(this.#acks);
    this.#socket?.close();
  }

  async #connect(): Promise<void> {
    try {
      const api = this.#o.api();
      const { ticket } = await api.streamTicket();
      if (this.state === "closed") return;
      const base = api.baseUrl === "" ? globalThis.location.origin : api.baseUrl;
      const Socket = this.#o.WebSocket ?? globalThis.WebSocket;
      const socket = new Socket(`${base.replace(/^http/, "ws")}/v1/stream`, [STREAM_SUBPROTOCOL, ticket]);
      this.#socket = socket;
      const giveUp = setTimeout(() => socket.close(), CONNECT_TIMEOUT_MS);
      socket.onopen = () => {
        clearTimeout(giveUp);
        this.#opened();
      };
      socket.onmessage = (event) => this.#message(String(event.data));
      socket.onclose = () => {
        clearTimeout(giveUp);
        if (this.#socket === socket) this.#lost();
      };
      socket.onerror = () => socket.close();
    } catch {
      this.#lost();
    }
  }

  #opened(): void {
    this.reconnects++;
    this.#attempt = 0;
    this.#send({
      type: "hello",
      version: PROTOCOL_VERSION,
      ...(this.#incarnation === undefined ? {} : { incarnation: this.#incarnation }),
    });
    for (const [topic, after] of this.#places)
      this.#send({ type: "subscribe", topic, ...(after === undefined ? {} : { after }) });
    this.#become("open");
  }

  #lost(): void {
    if (this.state === "closed") return;
    this.#become("lost");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.#connect(),
      backoffMs(this.#attempt++, RECONNECT_BASE_MS, RECONNECT_CAP_MS, Math.random),
    );
  }

  #message(text: string): void {
    this.lastDataAt = Date.now();
    for (const frame of JSON.parse(text) as ServerFrame[]) {
      if (this.#track(frame)) this.#o.onFrame(frame);
    }
  }

  /** Keeps each topic's place; false for a frame that continues nothing: the topic is then taken anew. */
  #track(frame: ServerFrame): boolean {
    switch (frame.type) {
      case "welcome":
        if (this.#incarnation !== undefined && this.#incarnation !== frame.incarnation)
          for (const topic of this.#places.keys()) this.#places.set(topic, undefined);
        this.#incarnation = frame.incarnation;
        return true;
      case "snapshot":
      case "caught-up":
        if (this.#places.has(frame.topic)) this.#places.set(frame.topic, frame.seq);
        return true;
      case "event": {
        const place = this.#places.get(frame.topic);
        if (place !== undefined && frame.seq <= place) return false;
        if (place !== undefined && frame.prev > place) {
          this.gaps++;
          this.#places.set(frame.topic, undefined);
          this.#send({ type: "unsubscribe", topic: frame.topic });
          this.#send({ type: "subscribe", topic: frame.topic });
          return false;
        }
        this.#places.set(frame.topic, frame.seq);
        return true;
      }
      default:
        return true;
    }
  }

  #ack(): void {
    const seq = Math.max(0, ...[...this.#places.values()].map((p) => p ?? 0));
    if (this.state !== "open" || seq === this.#acked) return;
    this.#acked = seq;
    this.#send({ type: "ack", seq });
  }

  #send(frame: ClientFrame): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  #become(state: StreamState): void {
    if (this.state === state) return;
    this.state = state;
    this.#o.onState?.(state);
  }
}
