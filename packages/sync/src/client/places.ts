import type { ServerFrame } from "@swarm/protocol";

type Verdict = "new" | "old" | "gap";

/**
 * Where a client stands on each of its topics, and the proof that it missed nothing: the `prev` of an event is at or
 * before its topic's place. An event at or before the place was seen already.
 */
export class Places {
  readonly #places = new Map<string, number | undefined>();
  /** Topics whose last connection ended with a gap. */
  readonly #broken = new Set<string>();
  /** Of the journal that the places belong to. */
  incarnation: string | undefined;
  /** The newest seq that came, over all topics. */
  newest = 0;

  constructor(topics: Iterable<string>) {
    for (const topic of topics) this.#places.set(topic, undefined);
  }

  /** False when it is there already. */
  add(topic: string): boolean {
    if (this.#places.has(topic)) return false;
    this.#places.set(topic, undefined);
    return true;
  }
  remove(topic: string): boolean {
    this.#broken.delete(topic);
    return this.#places.delete(topic);
  }
  entries(): Iterable<[topic: string, after: number | undefined]> {
    return this.#places.entries();
  }

  /** `new`: hand it on. `old`: seen already, or of a topic that is not wanted. `gap`: something is missing before it. */
  take(frame: ServerFrame): Verdict {
    switch (frame.type) {
      case "welcome":
        if (this.incarnation !== frame.incarnation) {
          for (const topic of this.#places.keys()) this.#places.set(topic, undefined);
          this.newest = 0;
        }
        this.incarnation = frame.incarnation;
        return "new";
      case "snapshot":
        if (!this.#places.has(frame.topic)) return "old";
        this.#good(frame.topic, frame.seq);
        return "new";
      case "caught-up":
        return this.#caughtUp(frame.topic, frame.seq);
      case "event":
        return this.#event(frame.topic, frame.seq, frame.prev);
      case "live":
      case "status":
        return this.#places.has(frame.topic) ? "new" : "old";
      default:
        return "new";
    }
  }

  /** On a topic of records it names the last that was sent; on the others there may be later ones that concern nobody. */
  #caughtUp(topic: string, seq: number): Verdict {
    if (!this.#places.has(topic)) return "old";
    const place = this.#places.get(topic);
    if (topic.startsWith("session:") && place !== undefined && seq > place) return this.#gap(topic);
    this.#good(topic, seq);
    return "new";
  }

  #event(topic: string, seq: number, prev: number): Verdict {
    const place = this.#places.get(topic);
    // no place: left, or taken again and its snapshot is still to come
    if (place === undefined || seq <= place) return "old";
    if (prev > place) return this.#gap(topic);
    this.#good(topic, seq);
    return "new";
  }

  #gap(topic: string): Verdict {
    // the second time at once the journal cannot fill it: begin with a snapshot
    if (this.#broken.has(topic)) this.#places.set(topic, undefined);
    this.#broken.add(topic);
    return "gap";
  }

  #good(topic: string, seq: number): void {
    this.#broken.delete(topic);
    this.#places.set(topic, seq);
    if (seq > this.newest) this.newest = seq;
  }
}
