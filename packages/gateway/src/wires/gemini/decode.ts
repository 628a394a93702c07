import type { FinishReason } from "@swarm/protocol";
import { isObject } from "@swarm/std";
import type { Failure } from "../../failure.ts";
import type { PartBatch } from "../../parts.ts";
import { classifyError, garbageFrame } from "../../retry/classify.ts";
import { ToolCalls } from "../tool-calls.ts";
import type { WireDecoder, WireFinish } from "../wire.ts";
import { SIGNATURE_TAG } from "./request.ts";
import { geminiUsage } from "./usage.ts";

const FILTERED = new Set([
  "SAFETY",
  "RECITATION",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "LANGUAGE",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
]);

/**
 * Stream of `GenerateContentResponse`. The terminal marker is the candidate's `finishReason`, or a `blockReason` for a
 * prompt that was refused; the usage record of the last event counts. Calls arrive whole; thoughts are reasoning.
 */
export class GeminiDecoder implements WireDecoder {
  readonly #batch: PartBatch;
  readonly #calls: ToolCalls;
  #usage: Record<string, unknown> | undefined;
  #finish: string | undefined;
  #blocked = false;
  #signature: string | undefined;
  state: "open" | "finishing" | "done" | "failed" = "open";
  failure: Failure | undefined;
  model = "";
  started = false;

  constructor(batch: PartBatch, newCallId: () => string) {
    this.#batch = batch;
    this.#calls = new ToolCalls(batch, newCallId);
  }

  event(text: string, start: number, end: number): void {
    if (this.state === "failed") return;
    const data = text.slice(start, end);
    let chunk: unknown;
    try {
      chunk = JSON.parse(data);
    } catch {
      return this.#fail(garbageFrame(data));
    }
    if (!isObject(chunk)) return this.#fail(garbageFrame(data));
    if (chunk["error"]) return this.#fail(classifyError(chunk["error"]));
    if (typeof chunk["modelVersion"] === "string") this.model = chunk["modelVersion"];
    if (isObject(chunk["usageMetadata"])) this.#usage = chunk["usageMetadata"];
    const candidate: unknown = Array.isArray(chunk["candidates"]) ? chunk["candidates"][0] : undefined;
    if (isObject(candidate)) this.#candidate(candidate);
    const feedback = chunk["promptFeedback"];
    if (isObject(feedback) && typeof feedback["blockReason"] === "string") {
      this.#blocked = true;
      this.#end(feedback["blockReason"]);
    }
  }

  finish(): WireFinish | undefined {
    if (this.#finish === undefined) return undefined;
    const raw = this.#finish;
    const known: FinishReason =
      raw === "STOP"
        ? "stop"
        : raw === "MAX_TOKENS"
          ? "length"
          : this.#blocked || FILTERED.has(raw)
            ? "content_filter"
            : "other";
    const ended = this.#calls.end(known === "stop");
    return {
      reason: known === "stop" && ended > 0 ? "tool_calls" : known,
      raw,
      usage: this.#usage && geminiUsage(this.#usage),
      ...(this.#signature === undefined ? {} : { signature: this.#signature }),
    };
  }

  #fail(failure: Failure): void {
    this.state = "failed";
    this.failure = failure;
  }

  #end(raw: string): void {
    this.#finish ??= raw;
    this.started = true;
    if (this.state === "open") this.state = "finishing";
  }

  #candidate(candidate: Record<string, unknown>): void {
    const content = candidate["content"];
    if (isObject(content) && Array.isArray(content["parts"])) {
      for (const part of content["parts"] as unknown[]) if (isObject(part)) this.#part(part);
    }
    const reason = candidate["finishReason"];
    if (typeof reason === "string" && reason !== "" && reason !== "FINISH_REASON_UNSPECIFIED") this.#end(reason);
  }

  #part(part: Record<string, unknown>): void {
    const signature =
      typeof part["thoughtSignature"] === "string" ? SIGNATURE_TAG + part["thoughtSignature"] : undefined;
    const call = part["functionCall"];
    if (isObject(call)) {
      this.started = true;
      const args = isObject(call["args"]) ? JSON.stringify(call["args"]) : "{}";
      const id = typeof call["id"] === "string" ? call["id"] : "";
      this.#calls.addWhole(
        { index: undefined, id, name: typeof call["name"] === "string" ? call["name"] : "", args },
        signature,
      );
      return;
    }
    const text = part["text"];
    if (typeof text !== "string") return;
    if (part["thought"] !== true && signature !== undefined) this.#signature = signature;
    if (text === "") return;
    this.started = true;
    this.#batch.delta(part["thought"] === true ? "reasoning" : "text", 0, text);
  }
}
