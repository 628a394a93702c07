import type { ClientRequest, IncomingMessage } from "node:http";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import type { Readable } from "node:stream";
import type { StreamPart } from "@swarm/protocol/ports";
import { Deferred, type Clock } from "@swarm/std";
import type { Failure } from "../failure.ts";
import { PartBatch } from "../parts.ts";
import { classifyNetwork, classifyStatus, cutStream, odd, timedOut, wrongContentType } from "../retry/classify.ts";
import type { WireDecoder, WireFinish } from "../wires/wire.ts";
import { EVENT_MAX_BYTES, SseReader } from "./sse.ts";
import type { Transport } from "./transport.ts";

export interface StreamLimits {
  /** From the request to the first part of the answer. */
  readonly firstTokenMs: number;
  /** Without any byte, once the answer has begun. */
  readonly idleMs: number;
  /** Without a part of the answer though keep-alive bytes come: a server may queue for long, not for ever. */
  readonly stuckMs: number;
}
export const STREAM_LIMITS: StreamLimits = { firstTokenMs: 120_000, idleMs: 60_000, stuckMs: 600_000 };

const ERROR_BODY_MAX = 64 * 1024;
/** Unread text at which the socket is paused. */
const PENDING_MAX_UNITS = 1024 * 1024;
/** After the terminal marker: for the usage record and the body's end, so that the socket can serve again. */
const TRAILER_MS = 2_000;

export type ExchangeEnd = { readonly finish: WireFinish } | { readonly failure: Failure };

/**
 * One HTTP attempt. Reads fill the batch while the consumer is elsewhere; `ready` resolves when there is something to
 * take, so that one read of twenty events is one wake-up. `close` (and the signal) frees the socket at once.
 */
export class Exchange {
  readonly batch = new PartBatch();
  readonly decoder: WireDecoder;
  readonly requestBytes: number;
  ended: ExchangeEnd | undefined;
  readonly #request: ClientRequest;
  readonly #reader: SseReader;
  readonly #clock: Clock;
  readonly #limits: StreamLimits;
  readonly #signal: AbortSignal;
  readonly #startedAt: number;
  #response: IncomingMessage | undefined;
  #body: Readable | undefined;
  #wake: Deferred<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastByteAt: number;
  #lastPartAt: number;
  #paused = false;
  #released = false;
  /** The finish reason is here: what still may come has its own limit, however lively the server. */
  #trailing = false;

  constructor(o: {
    transport: Transport;
    url: URL;
    headers: Record<string, string>;
    body: string;
    decoder: (batch: PartBatch) => WireDecoder;
    clock: Clock;
    limits: StreamLimits;
    signal: AbortSignal;
  }) {
    this.requestBytes = o.body.length;
    this.#clock = o.clock;
    this.#limits = o.limits;
    this.#signal = o.signal;
    this.decoder = o.decoder(this.batch);
    this.#reader = new SseReader((text, start, end, name) => this.decoder.event(text, start, end, name));
    this.#startedAt = this.#lastByteAt = this.#lastPartAt = o.clock.monotonic();
    this.#request = o.transport.post(o.url, o.headers, o.body, (response) => this.#onResponse(response));
    this.#request.on("error", (error) => this.#broken(error));
    o.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#arm(o.limits.firstTokenMs);
  }

  /** Resolves when parts are there or the exchange has ended; rejects with the signal's reason. */
  async ready(): Promise<void> {
    while (this.batch.empty && this.ended === undefined) {
      this.#signal.throwIfAborted();
      this.#wake = new Deferred<void>();
      await this.#wake.promise;
    }
    this.#signal.throwIfAborted();
  }

  take(): StreamPart[] {
    const parts = this.batch.take();
    if (this.#paused) {
      this.#paused = false;
      this.#body?.resume();
    }
    return parts;
  }

  /** A socket whose body is not at its end is destroyed, one at its end serves again. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.ended ??= { failure: cutStream("closed by the reader") };
    if (this.#released || this.#response?.complete === true) return;
    this.#request.destroy();
  }

  readonly #onAbort = (): void => {
    this.#request.destroy();
    this.#end({ failure: cutStream("cancelled") });
  };

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.resolve();
  }

  #end(end: ExchangeEnd): void {
    if (this.ended !== undefined) return;
    this.ended = end;
    clearTimeout(this.#timer);
    this.#notify();
  }

  #fail(failure: Failure): void {
    this.#end({ failure });
    this.#request.destroy();
  }

  #onResponse(response: IncomingMessage): void {
    this.#response = response;
    this.#lastByteAt = this.#clock.monotonic();
    response.on("error", (error) => this.#broken(error));
    const type = response.headers["content-type"];
    if (response.statusCode !== 200)
      return this.#collect(response, (body) =>
        classifyStatus(response.statusCode ?? 0, response.headers, body, this.#clock.now()),
      );
    if (!/^text\/event-stream\b/i.test(type ?? "text/event-stream")) {
      return this.#collect(response, (body) => wrongContentType(type, body));
    }
    this.#body = decoded(response);
    if (this.#body !== response)
      this.#body.on("error", (error) => this.#fail(odd(`the compressed answer cannot be read: ${error.message}`)));
    this.#body.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#body.on("end", () => this.#eof());
    // A body that is unpacked ends later than its response, unless that was cut.
    response.on("close", () => (this.#body === response || !response.complete ? this.#eof() : undefined));
  }

  /** Not a stream: its first bytes say what is wrong. */
  #collect(response: IncomingMessage, classify: (body: string) => Failure): void {
    const parts: Buffer[] = [];
    let bytes = 0;
    const done = (): void => this.#end({ failure: classify(Buffer.concat(parts).toString("utf8")) });
    response.on("data", (chunk: Buffer) => {
      this.#lastByteAt = this.#clock.monotonic();
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes < ERROR_BODY_MAX) return;
      done();
      this.#request.destroy();
    });
    response.on("end", done);
    response.on("close", done);
  }

  #read(chunk: Buffer): void {
    if (this.ended !== undefined) return;
    const now = this.#clock.monotonic();
    this.#lastByteAt = now;
    const { decoder, batch } = this;
    const before = batch.pendingUnits;
    if (!this.#reader.push(chunk))
      return this.#fail(odd(`sent one event of more than ${EVENT_MAX_BYTES / 1048576} MiB`));
    if (decoder.state !== "open") return this.#marker();
    if (batch.empty) return;
    if (batch.pendingUnits !== before) this.#lastPartAt = now;
    if (batch.pendingUnits > PENDING_MAX_UNITS && !this.#paused) {
      this.#paused = true;
      this.#body?.pause();
    }
    this.#notify();
  }

  /** The decoder saw an end of some kind. */
  #marker(): void {
    if (this.decoder.state === "failed") return this.#fail(this.decoder.failure!);
    if (this.decoder.state === "finishing") {
      if (!this.#trailing) this.#arm(TRAILER_MS);
      this.#trailing = true;
      if (!this.batch.empty) this.#notify();
      return;
    }
    this.#complete();
    // The rest is the end of the body: read it away, so that the socket goes back to the agent.
    if (this.#response?.complete === true) return;
    this.#released = true;
    const timer = setTimeout(() => this.#request.destroy(), TRAILER_MS);
    timer.unref();
    this.#response?.on("close", () => clearTimeout(timer));
    this.#response?.resume();
  }

  /** Every way to the end of the body: with the terminal marker an answer, without it a cut. */
  #complete(): void {
    const finish = this.decoder.finish();
    this.#end(finish === undefined ? { failure: cutStream("its stream ended without a finish reason") } : { finish });
  }

  #eof(): void {
    if (this.ended !== undefined) return;
    this.#reader.end(isWhole);
    if (this.decoder.state === "failed") return this.#fail(this.decoder.failure!);
    this.#complete();
  }

  #broken(error: Error): void {
    if (this.ended !== undefined) return;
    if (this.#response !== undefined) {
      this.#reader.end(isWhole);
      if (this.decoder.state === "failed") return this.#fail(this.decoder.failure!);
      // Once the finish reason is here the answer is whole, whatever becomes of the connection.
      if (this.decoder.state === "finishing") return this.#complete();
      return this.#end({ failure: cutStream(classifyNetwork(error, false).message) });
    }
    this.#end({ failure: classifyNetwork(error, this.#request.reusedSocket) });
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onTimer(), ms);
  }

  /** One timer per stream, re-armed for what is left: a read only notes its time. */
  #onTimer(): void {
    if (this.ended !== undefined) return;
    if (this.decoder.state === "finishing") {
      this.#request.destroy();
      return this.#complete();
    }
    const { firstTokenMs, idleMs, stuckMs } = this.#limits;
    const now = this.#clock.monotonic();
    const begun = this.decoder.started;
    const silenceLeft = begun
      ? this.#lastByteAt + idleMs - now
      : Math.max(this.#lastByteAt, this.#startedAt) + firstTokenMs - now;
    const stuckLeft = this.#lastPartAt + Math.max(stuckMs, firstTokenMs) - now;
    const left = this.#paused ? idleMs : Math.min(silenceLeft, stuckLeft);
    if (left > 0) return this.#arm(Math.max(1, left));
    const what = begun
      ? `no byte for ${seconds(idleMs)} in the middle of the answer (idle limit)`
      : `no answer within ${seconds(firstTokenMs)} (first-token limit)`;
    this.#fail(
      timedOut(silenceLeft <= 0 ? what : `only keep-alive bytes for ${seconds(Math.max(stuckMs, firstTokenMs))}`),
    );
  }
}

function isWhole(data: string): boolean {
  if (data === "[DONE]") return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

/** We ask for identity; what comes compressed all the same is read. */
function decoded(response: IncomingMessage): Readable {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "gzip" || encoding === "deflate" || encoding === "x-gzip") return response.pipe(createUnzip());
  if (encoding === "br") return response.pipe(createBrotliDecompress());
  return response;
}
