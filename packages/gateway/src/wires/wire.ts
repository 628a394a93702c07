import type { FinishReason, Usage } from "@swarm/protocol";
import type { ModelRequest } from "@swarm/protocol/ports";
import type { Failure } from "../failure.ts";
import type { PartBatch } from "../parts.ts";

/** A provider's language: how a request is written and how its stream is read. Knows no socket and no retry. */
export interface Wire {
  request(model: string, request: ModelRequest, dialect: Dialect): WireRequest;
  headers(key: string | undefined): Record<string, string>;
  decoder(batch: PartBatch, newCallId: () => string): WireDecoder;
}

export interface WireRequest {
  /** Appended to the base address. */
  readonly path: string;
  readonly body: string;
}

/** What differs between servers of one wire. */
export interface Dialect {
  /** Servers that refuse `stream_options` are asked once more without it. */
  readonly streamOptions: boolean;
  /** `prompt_cache_key`, `max_completion_tokens`: OpenAI itself. */
  readonly openai: boolean;
}

export interface WireFinish {
  readonly reason: FinishReason;
  /** The provider's own word. */
  readonly raw: string;
  /** Undefined when the provider sent none. */
  readonly usage: Usage | undefined;
  readonly signature?: string;
}

/** Reads events into a batch. `open` until the terminal marker (`done`) or an error frame (`failed`). */
export interface WireDecoder {
  readonly state: "open" | "finishing" | "done" | "failed";
  readonly failure: Failure | undefined;
  /** Model that answers, as the provider names it; "" before it is known. */
  readonly model: string;
  /** Something of the answer has arrived: from now on a break is an error, not a retry. */
  readonly started: boolean;
  event(text: string, start: number, end: number, name: string): void;
  /** The answer's end, once; undefined when the terminal marker never came: a cut stream. Puts `tool-call-end`s in the batch. */
  finish(): WireFinish | undefined;
}
