import type { FinishReason } from "../kinds.ts";
import type { Message, ToolSpec } from "../messages.ts";
import type { ErrorCode } from "../errors.ts";
import type { Cost, Usage } from "../usage.ts";

/** One request. `system` and `tools` are the frozen prefix; byte-stable for equal input. */
export interface ModelRequest {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly maxOutputTokens?: number;
  /** Sent as `prompt_cache_key` where a provider takes one: one per agent profile. */
  readonly cacheKey?: string;
  /** For fairness and the request log; never sent to the provider. */
  readonly session: string;
}

/**
 * A stream's parts. Exactly one terminal part, last: `finish` or `error`. Text of one index arrives in
 * order. `tool-call-end` is emitted only for a call that arrived whole.
 */
export type StreamPart =
  | {
      readonly type: "waiting";
      readonly reason: "rate_limit" | "overloaded" | "network" | "concurrency";
      readonly detail: string;
      readonly untilMs: number;
    }
  | { readonly type: "response-start"; readonly model: string }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "tool-call-start"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "tool-call-delta"; readonly index: number; readonly args: string }
  | {
      readonly type: "tool-call-end";
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly args: string;
      readonly signature?: string;
    }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly raw: string;
      readonly usage: Usage;
      readonly cost: Cost;
      readonly model: string;
      readonly signature?: string;
    }
  | { readonly type: "error"; readonly code: ErrorCode; readonly message: string; readonly status?: number };

export interface LanguageModel {
  /** `provider/model` as asked for. */
  readonly id: string;
  /**
   * Parts in batches, one per socket read, never empty. Retries (429, 5xx, cut before the first token) happen
   * inside and show as `waiting`. Aborting the signal frees the socket at once and throws the signal's reason.
   * After the first token a broken stream is an `error` part, never a silent retry.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly StreamPart[]>;
}

/** Finds a model by `provider/model`. Throws AppError `model_unknown` or `provider_auth` with what to do. */
export interface ModelResolver {
  resolve(id: string): LanguageModel;
}
