import type { ServerFrame } from "@swarm/protocol";
import { sleep } from "@swarm/std";
import type { HubSocket } from "./ports.ts";

/** Bytes that may wait in a client's socket before it leaves the live path. */
const BUFFER_MAX_BYTES = 1024 * 1024;
/** It is served again from the journal when this little waits. */
const BUFFER_LOW_BYTES = 64 * 1024;
const DRAIN_POLL_MS = 20;

export interface Subscription {
  readonly topic: string;
  mode: "catching" | "live";
  /** Last seq given to the client on this topic; −1: none yet. */
  seq: number;
  /** Session topics: last revision read. */
  rev: number;
  /** A commit touched the topic while it was catching up. */
  dirty: boolean;
  /** A catch-up is under way. */
  busy: boolean;
}

/** One client: its socket, its topics, its place on each. */
export class Subscriber {
  readonly socket: HubSocket;
  readonly topics = new Map<string, Subscription>();
  readonly #stats: { frames: number; bytes: number };
  #live: string[] | undefined;
  resumes = false;
  acked = 0;
  gone = false;

  constructor(socket: HubSocket, stats: { frames: number; bytes: number }) {
    this.socket = socket;
    this.#stats = stats;
  }

  noteCommit(session: string): void {
    for (const subscription of this.topics.values()) {
      if (subscription.mode === "live") continue;
      if (
        subscription.topic === "session:*" ||
        subscription.topic === "sessions" ||
        subscription.topic === `session:${session}`
      )
        subscription.dirty = true;
    }
  }

  liveTopics(): string[] {
    const live: string[] = [];
    for (const subscription of this.topics.values())
      if (subscription.mode === "live" && subscription.topic !== "system") live.push(subscription.topic);
    this.#live = live.sort();
    return this.#live;
  }

  /** After a flush: each live topic stands at the last seq that was sent on it. */
  advance(head: number, lastOf: (topic: string) => number | undefined): void {
    for (const subscription of this.topics.values()) {
      if (subscription.mode !== "live") continue;
      if (subscription.topic === "session:*") subscription.seq = head;
      else subscription.seq = Math.max(subscription.seq, lastOf(subscription.topic) ?? 0);
    }
  }

  send(frames: readonly ServerFrame[]): void {
    this.sendBytes(Buffer.from(JSON.stringify(frames)));
  }

  sendBytes(bytes: Uint8Array): void {
    if (this.gone) return;
    this.#stats.frames++;
    this.#stats.bytes += bytes.byteLength;
    this.socket.send(bytes);
  }

  overfull(): boolean {
    return this.socket.bufferedAmount > BUFFER_MAX_BYTES;
  }

  lag(topic: string): void {
    this.send([{ type: "lagging", topic }]);
  }

  /** Waits until little is left to send. */
  async drained(): Promise<void> {
    while (!this.gone && this.socket.bufferedAmount > BUFFER_LOW_BYTES) await sleep(DRAIN_POLL_MS);
  }
}
