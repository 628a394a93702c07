import type { AnyRecord, LiveText } from "@swarm/protocol";

interface Growing {
  readonly run: string;
  readonly step: number;
  readonly stream: string;
  text: string;
}

/**
 * The texts that stream now, put together from pieces that may be lost on the way. What is here is always a true
 * beginning of its stream: a piece that does not continue it is left out (the record that follows holds the whole),
 * one that begins earlier cuts back to there, offset 0 starts the stream anew.
 */
export class LiveTexts {
  readonly #sessions = new Map<string, Map<string, Growing>>();

  /** True when a text changed. */
  piece(live: LiveText): boolean {
    const { session, run, step, stream, offset, text } = live;
    let texts = this.#sessions.get(session);
    const key = `${run}/${step}/${stream}`;
    const have = texts?.get(key)?.text ?? "";
    if (offset > have.length) return false;
    const next = have.slice(0, offset) + text;
    if (next === have) return false;
    if (texts === undefined) this.#sessions.set(session, (texts = new Map()));
    texts.set(key, { run, step, stream, text: next });
    return true;
  }

  /** A record that holds the texts of its step, or ends them. True when texts went. */
  record({ session, kind, payload }: AnyRecord): boolean {
    switch (kind) {
      case "step.finished":
      case "step.failed":
      case "turn.interrupted":
        return this.#drop(session, (text) => text.run === payload.run && text.step <= payload.step);
      case "run.ended":
        return this.#drop(session, (text) => text.run === payload.run);
      default:
        return false;
    }
  }

  /** Undefined: nothing of it came yet, or its record did. */
  text(session: string, run: string, step: number, stream: string): string | undefined {
    return this.#sessions.get(session)?.get(`${run}/${step}/${stream}`)?.text;
  }

  of(session: string): readonly LiveText[] {
    return [...(this.#sessions.get(session)?.values() ?? [])].map((growing) => ({ session, offset: 0, ...growing }));
  }

  forget(session: string): void {
    this.#sessions.delete(session);
  }

  #drop(session: string, over: (text: Growing) => boolean): boolean {
    const texts = this.#sessions.get(session);
    if (texts === undefined) return false;
    const before = texts.size;
    for (const [key, text] of texts) if (over(text)) texts.delete(key);
    if (texts.size === 0) this.#sessions.delete(session);
    return texts.size < before;
  }
}
