import { sleep } from "@swarm/std";
import { Credit } from "./credit.ts";
import type { HubSocket } from "./ports.ts";
import type { Replay } from "./replay/replay.ts";
import { SYSTEM, type Topic } from "./topics.ts";

/** Bytes that may wait in a client's socket before it leaves the live path. */
const BUFFER_MAX_BYTES = 1024 * 1024;
/** It is served again, from the journal, when this little waits. */
const BUFFER_LOW_BYTES = 64 * 1024;
/** How often a client that lags is looked at. */
const DRAIN_POLL_MS = 20;

export interface Subscription {
  readonly topic: Topic;
  /** Brings it to the head; undefined: it is there, the flush feeds it. */
  replay: Replay | undefined;
}

export interface Sent {
  frames: number;
  bytes: number;
}

/** One client: its socket, its subscriptions, its credit. */
export class Subscriber {
  readonly socket: HubSocket;
  readonly subscriptions = new Map<string, Subscription>();
  readonly #credit = new Credit();
  readonly #stats: Sent;
  #liveSet: { readonly key: string; readonly topics: readonly Topic[] } | undefined;
  #takenAtBeat = Number.NEGATIVE_INFINITY;
  #idleBeats = 0;
  /** It came with this journal's incarnation: its places are good. */
  resumes = false;
  /** Somebody serves its replays. */
  served = false;
  /** A message went out since the last heartbeat. */
  spoken = false;
  gone = false;

  constructor(socket: HubSocket, stats: Sent) {
    this.socket = socket;
    this.#stats = stats;
  }

  /** The topics that the flush feeds it with. Clients with one key get the same bytes. */
  get liveSet(): { readonly key: string; readonly topics: readonly Topic[] } {
    if (this.#liveSet === undefined) {
      const topics = [...this.subscriptions.values()]
        .filter(({ topic, replay }) => replay === undefined && topic.name !== SYSTEM)
        .map(({ topic }) => topic)
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      this.#liveSet = { key: topics.map(({ name }) => name).join(" "), topics };
    }
    return this.#liveSet;
  }
  /** A subscription came, went, or changed between replay and live. */
  liveSetChanged(): void {
    this.#liveSet = undefined;
  }

  /** The next subscription that waits to be served, taking turns. */
  nextReplay(): Subscription | undefined {
    for (const [name, subscription] of this.subscriptions) {
      if (subscription.replay === undefined) continue;
      this.subscriptions.delete(name);
      this.subscriptions.set(name, subscription);
      return subscription;
    }
    return undefined;
  }

  /** `seq`: the newest seq in the frames, 0 when they carry none. */
  send(frames: readonly string[], seq: number): void {
    if (frames.length > 0) this.sendBytes(Buffer.from(`[${frames.join(",")}]`), seq);
  }

  sendBytes(bytes: Uint8Array, seq: number): void {
    if (this.gone) return;
    this.#stats.frames++;
    this.#stats.bytes += bytes.byteLength;
    this.spoken = true;
    this.#credit.sent(bytes.byteLength, seq);
    this.socket.send(bytes);
  }

  ack(seq: number): void {
    this.#credit.ack(seq);
  }

  /** It does not keep up: its socket is full, or it has not said for long that it read. */
  get overfull(): boolean {
    return this.socket.bufferedAmount > BUFFER_MAX_BYTES || this.#credit.exhausted;
  }

  /** Once per heartbeat: `dead` when for two of them it took nothing of what waits for it. */
  beat(): "alive" | "dead" {
    const taken = this.#credit.sentBytes - this.socket.bufferedAmount + this.#credit.ackedBytes;
    this.#idleBeats = this.overfull && taken <= this.#takenAtBeat ? this.#idleBeats + 1 : 0;
    this.#takenAtBeat = taken;
    return this.#idleBeats >= 2 ? "dead" : "alive";
  }

  /** Waits until it can be sent more, or is gone. */
  async drained(): Promise<void> {
    while (!this.gone && (this.socket.bufferedAmount > BUFFER_LOW_BYTES || this.#credit.exhausted))
      await sleep(DRAIN_POLL_MS);
  }
}
