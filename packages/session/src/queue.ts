/** Who is next: people before background work, groups in turn, first come first served within a group. */
export interface Waiting {
  readonly session: string;
  readonly group: string;
  readonly interactive: boolean;
}

export class FairQueue<T extends Waiting> {
  readonly #lanes: [Map<string, T[]>, Map<string, T[]>] = [new Map(), new Map()];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    const lane = this.#lanes[item.interactive ? 0 : 1];
    const group = lane.get(item.group);
    if (group === undefined) lane.set(item.group, [item]);
    else group.push(item);
    this.#size++;
  }

  shift(): T | undefined {
    for (const lane of this.#lanes) {
      const next = lane.entries().next();
      if (next.done) continue;
      const [name, group] = next.value;
      const item = group.shift()!;
      // to the end of the turn
      lane.delete(name);
      if (group.length > 0) lane.set(name, group);
      this.#size--;
      return item;
    }
    return undefined;
  }

  remove(session: string): T | undefined {
    for (const lane of this.#lanes) {
      for (const [name, group] of lane) {
        const at = group.findIndex((w) => w.session === session);
        if (at < 0) continue;
        const [item] = group.splice(at, 1);
        if (group.length === 0) lane.delete(name);
        this.#size--;
        return item;
      }
    }
    return undefined;
  }
}
