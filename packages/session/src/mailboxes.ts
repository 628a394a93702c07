import { Mailbox } from "@swarm/std";

/** One mailbox per session that has something in it: what decides by a session's state and then writes is serial. */
export class Mailboxes {
  readonly #boxes = new Map<string, Mailbox>();

  get size(): number {
    return this.#boxes.size;
  }

  /** A task must not wait for another task of its own session. */
  async post<T>(session: string, task: () => Promise<T>): Promise<T> {
    let box = this.#boxes.get(session);
    if (box === undefined) {
      box = new Mailbox();
      this.#boxes.set(session, box);
    }
    try {
      return await box.post(task);
    } finally {
      if (box.depth === 0 && this.#boxes.get(session) === box) this.#boxes.delete(session);
    }
  }
}
