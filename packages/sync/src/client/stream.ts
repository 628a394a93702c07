import { PROTOCOL_VERSION, STREAM_SUBPROTOCOL, type ClientFrame, type ServerFrame } from "@swarm/protocol";
import { backoffMs } from "@swarm/std";
import type { ApiClient } from "./api.ts";
import { Places } from "./places.ts";

export type StreamState = "connecting" | "open" | "lost" | "closed";

export interface StreamOptions {
  /** Read at each connect, so that a new token or address is taken up. */
  readonly api: () => Pick<ApiClient, "baseUrl" | "streamTicket">;
  readonly topics: readonly string[];
  /** In order, each event once. Serial: the next frame comes when it returned. */
  onFrame(frame: ServerFrame): void;
  onState?(state: StreamState): void;
  /** Where there is no global one, or for a test. */
  readonly WebSocket?: typeof globalThis.WebSocket;
}

export interface StreamConnection {
  readonly state: StreamState;
  /** Breaks of continuity that were seen, each healed by connecting anew and going on from the last good place. */
  readonly gaps: number;
  readonly reconnects: number;
  /** Wall ms of the last message; 0 before the first. */
  readonly lastDataAt: number;
  /** Why the last connection or the last try failed; undefined while it is open. */
  readonly failure: unknown;
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  close(): void;
}

const RECONNECT_BASE_MS = 200;
const RECONNECT_CAP_MS = 5_000;
const ACK_MS = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** The daemon says something at every heartbeat; after this many without a word the line is dead, whatever the socket says. */
const SILENT_BEATS = 2.5;
const SILENCE_MIN_MS = 30_000;

/** Connects, resumes by (incarnation, seq) per topic, proves continuity, reconnects until closed. */
export function connectStream(options: StreamOptions): StreamConnection {
  return new Connection(options);
}

class Connection implements StreamConnection {
  readonly #o: StreamOptions;
  readonly #places: Places;
  readonly #tick: ReturnType<typeof setInterval>;
  #socket: WebSocket | undefined;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Something came that was not acknowledged. */
  #unacked = false;
  #silenceMs = SILENCE_MIN_MS;
  state: StreamState = "connecting";
  gaps = 0;
  reconnects = -1;
  lastDataAt = 0;
  failure: unknown;

  constructor(options: StreamOptions) {
    this.#o = options;
    this.#places = new Places(options.topics);
    this.#tick = setInterval(() => this.#every(), ACK_MS);
    void this.#connect();
  }

  subscribe(topic: string): void {
    if (this.#places.add(topic) && this.state === "open") this.#send({ type: "subscribe", topic });
  }

  unsubscribe(topic: string): void {
    if (this.#places.remove(topic) && this.state === "open") this.#send({ type: "unsubscribe", topic });
  }

  close(): void {
    this.#become("closed");
    clearTimeout(this.#timer);
    clearInterval(this.#tick);
    this.#socket?.close();
    this.#socket = undefined;
  }

  async #connect(): Promise<void> {
    try {
      const api = this.#o.api();
      const { ticket } = await api.streamTicket();
      if (this.state === "closed") return;
      const base = api.baseUrl === "" ? globalThis.location.origin : api.baseUrl;
      const Socket = this.#o.WebSocket ?? globalThis.WebSocket;
      this.#open(new Socket(`${base.replace(/^http/, "ws")}/v1/stream`, [STREAM_SUBPROTOCOL, ticket]));
    } catch (error) {
      this.#lost(error);
    }
  }

  #open(socket: WebSocket): void {
    this.#socket = socket;
    const mine = (): boolean => this.#socket === socket;
    const giveUp = setTimeout(() => {
      if (mine()) this.#leave(new Error("The daemon did not take the connection."));
    }, CONNECT_TIMEOUT_MS);
    socket.onopen = () => {
      clearTimeout(giveUp);
      if (mine()) this.#opened();
    };
    socket.onmessage = (event) => {
      if (mine()) this.#message(String(event.data));
    };
    socket.onclose = ({ code, reason }) => {
      clearTimeout(giveUp);
      if (mine()) this.#leave(new Error(`The connection was closed: ${reason || `code ${code}`}.`));
    };
    socket.onerror = () => socket.close();
  }

  #opened(): void {
    this.reconnects++;
    this.lastDataAt = Date.now();
    this.failure = undefined;
    const { incarnation } = this.#places;
    this.#send({ type: "hello", version: PROTOCOL_VERSION, ...(incarnation === undefined ? {} : { incarnation }) });
    for (const [topic, after] of this.#places.entries())
      this.#send({ type: "subscribe", topic, ...(after === undefined ? {} : { after }) });
    this.#become("open");
  }

  /** Gives this socket up; what it still says is not heard. */
  #leave(why: unknown): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#lost(why);
  }

  #lost(why: unknown): void {
    if (this.state === "closed") return;
    this.failure = why;
    this.#become("lost");
    clearTimeout(this.#timer);
    const waitMs = backoffMs(this.#attempt++, RECONNECT_BASE_MS, RECONNECT_CAP_MS, Math.random);
    this.#timer = setTimeout(() => void this.#connect(), waitMs);
  }

  #message(text: string): void {
    const socket = this.#socket;
    this.lastDataAt = Date.now();
    this.#unacked = true;
    for (const frame of JSON.parse(text) as ServerFrame[]) {
      if (this.#socket !== socket) return; // the listener closed it
      const taken = this.#places.take(frame);
      if (taken === "gap") {
        this.gaps++;
        this.#leave(new Error(`An event was missing on ${"topic" in frame ? frame.topic : "the stream"}.`));
        return;
      }
      if (frame.type === "welcome") this.#silenceMs = Math.max(SILENCE_MIN_MS, SILENT_BEATS * frame.heartbeatMs);
      if (frame.type === "caught-up") this.#attempt = 0;
      if (taken === "new") this.#o.onFrame(frame);
    }
  }

  #every(): void {
    if (this.state !== "open") return;
    if (Date.now() - this.lastDataAt > this.#silenceMs) {
      this.#leave(new Error(`The daemon said nothing for ${Math.round(this.#silenceMs / 1000)} s.`));
      return;
    }
    if (!this.#unacked) return;
    this.#unacked = false;
    this.#send({ type: "ack", seq: this.#places.newest });
  }

  #send(frame: ClientFrame): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  #become(state: StreamState): void {
    if (this.state === state || this.state === "closed") return;
    this.state = state;
    this.#o.onState?.(state);
  }
}
