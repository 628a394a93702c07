export interface Output {
  /** The beginning and, when something was cut, the end. */
  readonly text: string;
  /** Bytes that came. */
  readonly bytes: number;
  /** Bytes left out in the middle; 0: `text` is all. */
  readonly cutBytes: number;
}

/** Keeps the first and the last half of a stream up to a cap, however much comes: memory never exceeds it by more than a chunk. */
export class CappedOutput {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;

  constructor(capBytes: number) {
    this.#half = Math.max(1, Math.floor(capBytes / 2));
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const room = this.#half - this.#headBytes;
    if (room > 0) {
      // copies: a slice would keep the whole pool chunk alive
      this.#head.push(Buffer.from(chunk.subarray(0, room)));
      this.#headBytes += Math.min(room, chunk.length);
    }
    if (chunk.length <= room) return;
    this.#tail.push(Buffer.from(chunk.subarray(Math.max(0, room)).subarray(-this.#half)));
    this.#tailBytes += this.#tail.at(-1)!.length;
    while (this.#tailBytes - this.#tail[0]!.length >= this.#half) this.#tailBytes -= this.#tail.shift()!.length;
  }

  read(): Output {
    const tail = Buffer.concat(this.#tail).subarray(-this.#half);
    const cutBytes = this.#bytes - this.#headBytes - tail.length;
    const head = Buffer.concat(this.#head);
    if (cutBytes === 0) return { text: Buffer.concat([head, tail]).toString("utf8"), bytes: this.#bytes, cutBytes };
    const note = `\n[${cutBytes} bytes left out]\n`;
    return { text: head.toString("utf8") + note + tail.toString("utf8"), bytes: this.#bytes, cutBytes };
  }
}
