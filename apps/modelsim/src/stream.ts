/**
 * Paces all open answers with one timer. Each tick writes what fell due, one write per stream and tick; a socket that
 * does not drain holds its stream back. The timer stands still while nothing is open.
 */
import type { ServerResponse } from "node:http";
import type { WireEvent } from "./wire/events.ts";

/** Network packets arrive about this often anyway; longer when many streams share the core. */
const TICK_MS = 10;
const TICK_CROWDED_MS = 20;
const CROWD = 250;
/** A first event of up to this size leaves with its first token; a whole call must be finished first. */
const FIRST_CHUNK_TOKENS = 64;
/** One write never exceeds this, whatever the speed. */
const WRITE_MAX_CHARS = 256 * 1024;

export interface OutgoingFault {
  readonly type: "reset" | "stall" | "no_terminal" | "error_in_200" | "garbage_frame";
  readonly afterEvents: number;
  /** The frame of `error_in_200`. */
  readonly errorFrame: string;
}

export interface Outgoing {
  readonly response: ServerResponse;
  readonly events: Iterator<WireEvent>;
  readonly headers: Readonly<Record<string, string>>;
  /** Monotonic ms of the first event. */
  readonly startAtMs: number;
  readonly msPerToken: number;
  readonly jitter: number;
  readonly random: () => number;
  readonly fault: OutgoingFault | undefined;
  /** Once, when the model's first output token exists; on Gemini that can be long before the event that carries it. */
  onFirstToken(): void;
  /** Once: the answer ended whole, was cut by a fault, or the client went away. */
  onClosed(outcome: "complete" | "cut" | "client_gone"): void;
}

interface OpenStream extends Outgoing {
  next: WireEvent | undefined;
  dueAtMs: number;
  started: boolean;
  sent: number;
  blocked: boolean;
  stalled: boolean;
}

export class StreamPacer {
  readonly #open = new Set<OpenStream>();
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get open(): number {
    return this.#open.size;
  }

  add(outgoing: Outgoing): void {
    const first = outgoing.events.next();
    const next = first.done ? undefined : first.value;
    const wait = next !== undefined && next.tokens > FIRST_CHUNK_TOKENS ? next.tokens * outgoing.msPerToken : 0;
    const stream: OpenStream = {
      ...outgoing,
      next,
      dueAtMs: outgoing.startAtMs + wait,
      started: false,
      sent: 0,
      blocked: false,
      stalled: false,
    };
    outgoing.response.on("close", () => {
      if (this.#open.delete(stream)) stream.onClosed("client_gone");
    });
    outgoing.response.on("drain", () => {
      stream.blocked = false;
      stream.dueAtMs = Math.max(stream.dueAtMs, this.#now());
    });
    this.#open.add(stream);
    this.#timer ??= setTimeout(() => this.#tick(), TICK_MS);
  }

  /** Cuts everything: used when the process stops. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const stream of this.#open) stream.response.destroy();
  }

  #tick(): void {
    const now = this.#now();
    for (const stream of this.#open) {
      if (!stream.started && stream.startAtMs <= now) {
        stream.started = true;
        stream.onFirstToken();
      }
      if (!stream.blocked && !stream.stalled && stream.dueAtMs <= now) this.#advance(stream, now);
    }
    this.#timer =
      this.#open.size === 0
        ? undefined
        : setTimeout(() => this.#tick(), this.#open.size > CROWD ? TICK_CROWDED_MS : TICK_MS);
  }

  #advance(stream: OpenStream, now: number): void {
    let out = "";
    while (stream.next !== undefined && stream.dueAtMs <= now && out.length < WRITE_MAX_CHARS) {
      if (stream.fault !== undefined && this.#strike(stream, stream.fault, out)) return;
      out += stream.next.frame;
      stream.sent++;
      const following = stream.events.next();
      stream.next = following.done ? undefined : following.value;
      if (stream.next !== undefined) {
        stream.dueAtMs += stream.next.tokens * stream.msPerToken * (1 + stream.jitter * (2 * stream.random() - 1));
      }
    }
    this.#write(stream, out);
    if (stream.next === undefined) this.#close(stream, "complete", () => stream.response.end());
  }

  /** True when the fault took over: the caller writes no more. */
  #strike(stream: OpenStream, fault: OutgoingFault, pending: string): boolean {
    const due =
      fault.type === "no_terminal"
        ? stream.next?.terminal === true
        : stream.sent >= fault.afterEvents || stream.next?.terminal === true;
    if (!due) return false;
    switch (fault.type) {
      case "stall":
        this.#write(stream, pending);
        stream.stalled = true;
        break;
      case "no_terminal":
        this.#write(stream, pending);
        this.#close(stream, "cut", () => stream.response.end());
        break;
      case "error_in_200":
      case "garbage_frame":
        this.#write(
          stream,
          pending + (fault.type === "error_in_200" ? fault.errorFrame : 'data: {"candidates":[{"con\n\n'),
        );
        this.#close(stream, "cut", () => stream.response.end());
        break;
      case "reset":
        this.#write(stream, pending);
        // After the bytes before the cut have left: a reset must be seen in mid-stream.
        this.#close(stream, "cut", () => setTimeout(() => stream.response.socket?.resetAndDestroy(), TICK_MS));
        break;
    }
    return true;
  }

  #write(stream: OpenStream, text: string): void {
    if (!stream.response.headersSent) stream.response.writeHead(200, stream.headers);
    if (text !== "" && !stream.response.write(text)) stream.blocked = true;
  }

  #close(stream: OpenStream, outcome: "complete" | "cut", end: () => void): void {
    this.#open.delete(stream);
    end();
    stream.onClosed(outcome);
  }
}
