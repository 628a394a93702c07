import type { LiveText } from "@swarm/protocol";

/** Where a streamed text is kept beside the log until its step is durable. */
export function streamName(run: string, step: number, stream: string): string {
  return `${run}.${step}.${stream}`;
}

interface Growing {
  readonly session: string;
  readonly run: string;
  readonly step: number;
  readonly stream: string;
  readonly name: string;
  /** What went out, in pieces: joined only when somebody asks. */
  pieces: string[];
  sent: number;
  /** What came since the last turn of the loop. */
  waiting: string;
  dirty: boolean;
}

/**
 * The texts that are streaming now, over all sessions. Deltas of one turn of the loop (one socket read) go out as one
 * piece per stream: to the listeners and, beside the log, to the journal, which writes a piece when it is 2 KiB long
 * or 250 ms old. No timer here, nothing per delta but a string concatenation.
 */
export class LiveTexts {
  readonly #listeners = new Set<(live: LiveText) => void>();
  readonly #sessions = new Map<string, SessionTexts>();
  readonly #keep: (stream: string, offset: number, text: string) => void;
  #dirty: Growing[] = [];

  constructor(keep: (stream: string, offset: number, text: string) => void) {
    this.#keep = keep;
  }

  /** The texts of one run. */
  open(session: string, run: string): SessionTexts {
    const texts = new SessionTexts(session, run, (growing) => this.#mark(growing));
    this.#sessions.set(session, texts);
    return texts;
  }

  close(texts: SessionTexts): void {
    texts.clear();
    if (this.#sessions.get(texts.session) === texts) this.#sessions.delete(texts.session);
  }

  onLive(listener: (live: LiveText) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What a client that comes now has missed: the pieces that follow continue it. */
  of(session: string): readonly LiveText[] {
    return this.#sessions.get(session)?.snapshot() ?? [];
  }

  #mark(growing: Growing): void {
    if (this.#dirty.push(growing) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const growing of dirty) {
      growing.dirty = false;
      const { session, run, step, stream, name, waiting: text, sent: offset } = growing;
      if (text === "") continue; // dropped meanwhile: the record has the whole
      growing.pieces.push(text);
      growing.sent += text.length;
      growing.waiting = "";
      this.#keep(name, offset, text);
      for (const listener of this.#listeners) listener({ session, run, step, stream, offset, text });
    }
  }
}

/** The streams of one run's current step. */
export class SessionTexts {
  readonly session: string;
  readonly #run: string;
  readonly #mark: (growing: Growing) => void;
  readonly #streams = new Map<string, Growing>();

  constructor(session: string, run: string, mark: (growing: Growing) => void) {
    this.session = session;
    this.#run = run;
    this.#mark = mark;
  }

  /** `offset` 0 starts a stream anew: a step that is tried again. */
  add(step: number, stream: string, offset: number, text: string): void {
    if (text === "") return;
    let growing = this.#streams.get(stream);
    if (growing === undefined || offset === 0) {
      if (growing !== undefined) growing.waiting = "";
      growing = this.#begin(step, stream);
    }
    growing.waiting += text;
    if (growing.dirty) return;
    growing.dirty = true;
    this.#mark(growing);
  }

  /** Names of the streams of the step so far, as the journal keeps them. */
  names(): string[] {
    return [...this.#streams.values()].map(({ name }) => name);
  }

  /** The text of an answer that is being cut off; undefined when none has begun. */
  cut(): { readonly step: number; readonly text: string } | undefined {
    const growing = this.#streams.get("text") ?? this.#streams.values().next().value;
    if (growing === undefined) return undefined;
    return { step: growing.step, text: growing.stream === "text" ? growing.pieces.join("") + growing.waiting : "" };
  }

  /** The step is durable, or over: what has not gone out need not. */
  clear(): void {
    for (const growing of this.#streams.values()) growing.waiting = "";
    this.#streams.clear();
  }

  snapshot(): LiveText[] {
    return [...this.#streams.values()]
      .filter(({ sent }) => sent > 0)
      .map(({ session, run, step, stream, pieces }) => ({
        session,
        run,
        step,
        stream,
        offset: 0,
        text: pieces.join(""),
      }));
  }

  #begin(step: number, stream: string): Growing {
    const name = streamName(this.#run, step, stream);
    const growing: Growing = {
      session: this.session,
      run: this.#run,
      step,
      stream,
      name,
      pieces: [],
      sent: 0,
      waiting: "",
      dirty: false,
    };
    this.#streams.set(stream, growing);
    return growing;
  }
}
