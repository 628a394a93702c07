import type { KvStore, KvWrite } from "@swarm/kv";
import { seal, unseal } from "./codec.ts";
import { chunkKey, chunkOfKey, SPACE, spaceEnd, streamEnd } from "./keys.ts";

/** A piece is written when it is this long … */
const CHUNK_CHARS = 2048;
/** … or this old: what a crash may take from a stream. */
export const CHUNK_MS = 250;
/** Pieces that wait for a slow disk, over all streams; beyond it they are not kept (the final record is). */
const QUEUED_MAX_CHARS = 8 * 1024 * 1024;
const SCAN_PAGE = 1000;

interface Stream {
  /** Where the next piece belongs. Unknown (infinite) for a stream found on disk. */
  end: number;
  readonly written: Set<number>;
  readonly queued: Map<number, string>;
  /** Written pieces that were cut off and must go. */
  readonly stale: Set<number>;
  tail: { readonly offset: number; text: string; readonly since: number } | undefined;
}

/**
 * Streamed text outside the ordered log: pieces under (stream, offset), never acknowledged. A piece that begins
 * before the end cuts the stream back; one that begins behind it is ignored, for the text between is unknown.
 * All pieces on disk are known here, so dropping a stream kills written and waiting ones alike.
 */
export class Streams {
  readonly #streams = new Map<string, Stream>();
  readonly #dirty = new Set<string>();
  #queuedChars = 0;

  /** Finds what an earlier process left. Forgets what was waiting. */
  async load(store: KvStore): Promise<void> {
    this.#streams.clear();
    this.#dirty.clear();
    this.#queuedChars = 0;
    await using iterator = store.iterate({ gte: SPACE.chunks, lt: spaceEnd(SPACE.chunks) });
    for (let page = await iterator.next(SCAN_PAGE); page.length > 0; page = await iterator.next(SCAN_PAGE)) {
      for (const { key } of page) {
        const { stream, offset } = chunkOfKey(key);
        this.#open(stream, Number.POSITIVE_INFINITY).written.add(offset);
      }
    }
  }

  /** Whether something waits to be written. */
  get waiting(): boolean {
    return this.#dirty.size > 0;
  }

  add(name: string, offset: number, text: string, now: number): void {
    const stream = this.#streams.get(name) ?? (offset === 0 ? this.#open(name, 0) : undefined);
    if (!stream || offset > stream.end || this.#queuedChars + text.length > QUEUED_MAX_CHARS) return;
    if (offset < stream.end) this.#cut(stream, offset);
    this.#queuedChars += text.length;
    if (stream.tail) stream.tail.text += text;
    else stream.tail = { offset, text, since: now };
    stream.end = offset + text.length;
    if (stream.tail.text.length >= CHUNK_CHARS) queueTail(stream);
    this.#dirty.add(name);
  }

  /** Writes for the next batch, puts before deletes: full pieces, old ones (all with `everything`), and the ends of `dropped`. */
  take(dropped: readonly string[], now: number, everything = false): KvWrite[] {
    const puts: KvWrite[] = [];
    const deletes: KvWrite[] = [];
    for (const name of dropped) {
      const stream = this.#streams.get(name);
      if (!stream) continue;
      for (const offset of [...stream.written, ...stream.stale])
        deletes.push({ type: "del", key: chunkKey(name, offset) });
      this.#queuedChars -= waitingChars(stream);
      this.#streams.delete(name);
      this.#dirty.delete(name);
    }
    for (const name of this.#dirty) {
      const stream = this.#streams.get(name)!;
      if (stream.tail && (everything || now - stream.tail.since >= CHUNK_MS)) queueTail(stream);
      for (const [offset, text] of stream.queued) {
        // JSON keeps halves of surrogate pairs that UTF-8 could not.
        puts.push({ type: "put", key: chunkKey(name, offset), value: seal(JSON.stringify(text)) });
        stream.written.add(offset);
        stream.stale.delete(offset);
        this.#queuedChars -= text.length;
      }
      for (const offset of stream.stale) deletes.push({ type: "del", key: chunkKey(name, offset) });
      stream.queued.clear();
      stream.stale.clear();
      if (!stream.tail) this.#dirty.delete(name);
    }
    return puts.concat(deletes);
  }

  #open(name: string, end: number): Stream {
    let stream = this.#streams.get(name);
    if (!stream) {
      stream = { end, written: new Set(), queued: new Map(), stale: new Set(), tail: undefined };
      this.#streams.set(name, stream);
    }
    return stream;
  }

  #cut(stream: Stream, offset: number): void {
    const before = waitingChars(stream);
    for (const at of stream.written) {
      if (at < offset) continue;
      stream.written.delete(at);
      stream.stale.add(at);
    }
    for (const [at, text] of stream.queued) {
      if (at >= offset) stream.queued.delete(at);
      else if (at + text.length > offset) stream.queued.set(at, text.slice(0, offset - at));
    }
    if (stream.tail && stream.tail.offset >= offset) stream.tail = undefined;
    else if (stream.tail) stream.tail.text = stream.tail.text.slice(0, offset - stream.tail.offset);
    this.#queuedChars -= before - waitingChars(stream);
  }
}

function queueTail(stream: Stream): void {
  if (stream.tail) stream.queued.set(stream.tail.offset, stream.tail.text);
  stream.tail = undefined;
}

function waitingChars(stream: Stream): number {
  let chars = stream.tail?.text.length ?? 0;
  for (const text of stream.queued.values()) chars += text.length;
  return chars;
}

/** The text from offset 0 as far as undamaged pieces join. A later piece replaces what an earlier one had from its offset on. */
export async function readStream(store: KvStore, stream: string): Promise<string> {
  let text = "";
  await using iterator = store.iterate({ gte: chunkKey(stream, 0), lt: streamEnd(stream) });
  for (let page = await iterator.next(SCAN_PAGE); page.length > 0; page = await iterator.next(SCAN_PAGE)) {
    for (const { key, value } of page) {
      const { offset } = chunkOfKey(key);
      const body = unseal(value);
      if (body === undefined || offset > text.length) return text.slice(0, Math.min(text.length, offset));
      text = text.slice(0, offset) + (JSON.parse(body) as string);
    }
  }
  return text;
}
