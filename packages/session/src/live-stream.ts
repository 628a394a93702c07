import type { LiveText } from "@swarm/protocol";

/** A streamed text is kept beside the log when this much is new, or this long after the last piece. */
export const CHUNK_CHARS = 2048;
export const CHUNK_AFTER_MS = 250;

/** The texts that one session streams now: what a new client is shown, and what a crash would leave. */
export class LiveStreams {
  readonly #texts = new Map<string, { head: Omit<LiveText, "text" | "offset">; pieces: string[]; length: number; kept: number; waiting: string[] }>();
  readonly #keep: (stream: string, offset: number, text: string) => void;

  constructor(keep: (stream: string, offset: number, text: string) => void) {
    this.#keep = keep;
  }

  get empty(): boolean {
    return this.#texts.size === 0;
  }

  add(live: LiveText, name: string): void {
    let text = this.#texts.get(name);
    if (text === undefined || live.offset === 0) {
      const { text: _t, offset: _o, ...head } = live;
      text = { head, pieces: [], length: 0, kept: 0, waiting: [] };
      this.#texts.set(name, text);
    }
    text.pieces.push(live.text);
    text.waiting.push(live.text);
    text.length += live.text.length;
    if (text.length - text.kept >= CHUNK_CHARS) this.#flush(name, text);
  }

  /** Keeps what is new of every text: called by one clock for all sessions. */
  flush(): void {
    for (const [name, text] of this.#texts) if (text.waiting.length > 0) this.#flush(name, text);
  }

  #flush(name: string, text: { kept: number; length: number; waiting: string[] }): void {
    this.#keep(name, text.kept, text.waiting.join(""));
    text.kept = text.length;
    text.waiting = [];
  }

  clear(): void {
    this.#texts.clear();
  }

  snapshot(): LiveText[] {
    return [...this.#texts.values()].map(({ head, pieces }) => ({ ...head, offset: 0, text: pieces.join("") }));
  }
}
