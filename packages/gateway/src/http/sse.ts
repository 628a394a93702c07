/**
 * Server-sent events from socket reads. Lines end in LF, CRLF or CR, also split between reads; the space after the
 * colon is optional; several `data:` lines are one event; comments, `id` and `retry` are passed over; a byte order
 * mark is dropped. Bytes are decoded up to the last line end only, so a character cut by a read is never decoded half.
 */

/** Unfinished bytes of one event that are kept at most; more is an attack or a broken server. */
export const EVENT_MAX_BYTES = 16 * 1024 * 1024;

/** `text.slice(start, end)` is the event's data: given as a range so that a fast path need not copy it. */
export type SseListener = (text: string, start: number, end: number, name: string) => void;

const LF = 10;
const CR = 13;

export class SseReader {
  readonly #listener: SseListener;
  readonly #maxBytes: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #skipLf = false;
  #first = true;
  /** Data lines of an event whose blank line has not come. */
  #data: string | undefined;
  #name = "";

  constructor(listener: SseListener, maxBytes: number = EVENT_MAX_BYTES) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
  }

  /** False: one event is larger than the bound; the stream cannot be read on. */
  push(read: Buffer): boolean {
    let chunk = read;
    if (chunk.length === 0) return true;
    if (this.#skipLf) {
      this.#skipLf = false;
      if (chunk[0] === LF) chunk = chunk.subarray(1);
      if (chunk.length === 0) return true;
    }
    const end = lastLineEnd(chunk);
    if (end === 0) {
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
      return this.#heldBytes + (this.#data?.length ?? 0) <= this.#maxBytes;
    }
    this.#skipLf = chunk[chunk.length - 1] === CR;
    let text: string;
    if (this.#held.length === 0) text = chunk.toString("utf8", 0, end);
    else {
      this.#held.push(chunk.subarray(0, end));
      text = Buffer.concat(this.#held).toString("utf8");
      this.#held = [];
      this.#heldBytes = 0;
    }
    if (end < chunk.length) {
      this.#held.push(chunk.subarray(end));
      this.#heldBytes = chunk.length - end;
    }
    this.#lines(text);
    return (this.#data?.length ?? 0) <= this.#maxBytes;
  }

  /**
   * The body ended. An event without its blank line is delivered when `whole` says that it is complete: some servers
   * close right after the last event's text. A cut one is dropped, as the standard wants.
   */
  end(whole: (data: string) => boolean): void {
    if (this.#held.length > 0) {
      const text = `${Buffer.concat(this.#held).toString("utf8")}\n`;
      this.#held = [];
      this.#heldBytes = 0;
      this.#lines(text);
    }
    if (this.#data === undefined || whole(this.#data)) this.#dispatch();
  }

  #lines(whole: string): void {
    let text = whole;
    if (text.includes("\r")) text = text.replace(/\r\n?/g, "\n");
    let at = 0;
    if (this.#first) {
      this.#first = false;
      if (text.charCodeAt(0) === 0xfeff) at = 1;
    }
    while (at < text.length) {
      const eol = text.indexOf("\n", at);
      if (eol === at) this.#dispatch();
      else if (text.startsWith("data:", at)) {
        const start = text.charCodeAt(at + 5) === 32 ? at + 6 : at + 5;
        if (this.#data === undefined && this.#name === "" && text.charCodeAt(eol + 1) === LF) {
          if (eol > start) this.#listener(text, start, eol, "");
          at = eol + 2;
          continue;
        }
        this.#addData(text.slice(start, eol));
      } else if (eol === at + 4 && text.startsWith("data", at)) this.#addData("");
      else if (text.startsWith("event:", at)) this.#name = text.slice(at + 6, eol).trim();
      at = eol + 1;
    }
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #dispatch(): void {
    const data = this.#data;
    const name = this.#name;
    this.#data = undefined;
    this.#name = "";
    if (data !== undefined && data !== "") this.#listener(data, 0, data.length, name);
  }
}

/** Index after the last line end; 0 when there is none. */
function lastLineEnd(chunk: Buffer): number {
  const last = chunk[chunk.length - 1];
  if (last === LF || last === CR) return chunk.length;
  return Math.max(chunk.lastIndexOf(LF), chunk.lastIndexOf(CR)) + 1;
}
