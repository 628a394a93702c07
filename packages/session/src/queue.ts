/** Who waits for a place. */
export interface Waiting {
  readonly session: string;
  readonly group: string;
  readonly interactive: boolean;
}

/** After this many interactive runs in a row one of the background gets its turn: nobody starves. */
export const INTERACTIVE_IN_A_ROW = 8;

type Lane<T> = Map<string, Map<string, T>>;

/** Who is next: people before background work, groups in turn, first come first served within a group. O(1) each. */
export class FairQueue<T extends Waiting> {
  readonly #interactive: Lane<T> = new Map();
  readonly #background: Lane<T> = new Map();
  readonly #items = new Map<string, T>();
  #inARow = 0;

  get size(): number {
    return this.#items.size;
  }

  has(session: string): boolean {
    return this.#items.has(session);
  }

  /** A session waits once: a second ticket replaces the first. */
  push(item: T): void {
    this.remove(item.session);
    const lane = item.interactive ? this.#interactive : this.#background;
    const group = lane.get(item.group) ?? new Map<string, T>();
    group.set(item.session, item);
    lane.set(item.group, group);
    this.#items.set(item.session, item);
  }

  shift(): T | undefined {
    const turnOfBackground = this.#inARow >= INTERACTIVE_IN_A_ROW && this.#background.size > 0;
    const lane = this.#interactive.size > 0 && !turnOfBackground ? this.#interactive : this.#background;
    this.#inARow = lane === this.#interactive ? this.#inARow + 1 : 0;
    const next = lane.entries().next();
    if (next.done) return undefined;
    const [name, group] = next.value;
    const item = group.values().next().value!;
    group.delete(item.session);
    this.#items.delete(item.session);
    lane.delete(name);
    if (group.size > 0) lane.set(name, group); // to the end of the round
    return item;
  }

  remove(session: string): T | undefined {
    const item = this.#items.get(session);
    if (item === undefined) return undefined;
    const lane = item.interactive ? this.#interactive : this.#background;
    const group = lane.get(item.group)!;
    group.delete(session);
    if (group.size === 0) lane.delete(item.group);
    this.#items.delete(session);
    return item;
  }
}
