import type { Cost, FinishReason, Usage } from "@swarm/protocol";
import type { LanguageModel, ModelRequest, StreamPart } from "@swarm/protocol/ports";

export interface ScriptedCall {
  readonly name: string;
  readonly args: unknown;
  readonly id?: string;
}
/** One answer: text, calls, an error, or a hang until the signal aborts. `args` that is a string goes as it is. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly finish?: FinishReason;
  readonly usage?: Partial<Usage>;
  readonly costNano?: number;
  readonly error?: {
    readonly code: "provider_unavailable" | "provider_refused" | "provider_quota";
    readonly message: string;
  };
  readonly hang?: boolean;
  /** Reported before anything else. */
  readonly waiting?: Omit<Extract<StreamPart, { type: "waiting" }>, "type">;
}

/** A model that says what a script tells it to, as a function of the request and of how often it was asked. */
export class ScriptedModel implements LanguageModel {
  readonly id = "scripted/model";
  readonly requests: ModelRequest[] = [];
  readonly #script: (request: ModelRequest, n: number) => ScriptedAnswer;

  constructor(script: readonly ScriptedAnswer[] | ((request: ModelRequest, n: number) => ScriptedAnswer)) {
    this.#script = typeof script === "function" ? script : (_request, n) => script[n] ?? { text: "" };
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly StreamPart[]> {
    signal.throwIfAborted();
    const answer = this.#script(request, this.requests.length);
    this.requests.push(request);
    if (answer.waiting) yield [{ type: "waiting", ...answer.waiting }];
    yield [{ type: "response-start", model: this.id }];
    if (answer.text) yield [{ type: "text-delta", text: answer.text }];
    if (answer.hang) {
      await new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
      );
    }
    if (answer.error) {
      yield [{ type: "error", ...answer.error }];
      return;
    }
    const calls = answer.calls ?? [];
    for (const [index, call] of calls.entries()) {
      const args = typeof call.args === "string" ? call.args : JSON.stringify(call.args);
      const id = call.id ?? `call_${this.requests.length}_${index}`;
      yield [
        { type: "tool-call-start", index, id, name: call.name },
        { type: "tool-call-delta", index, args },
        { type: "tool-call-end", index, id, name: call.name, args },
      ];
    }
    const usage: Usage = {
      input: 100,
      cached: 0,
      cacheWrite: 0,
      output: 10,
      reasoning: 0,
      estimated: false,
      ...answer.usage,
    };
    const cost: Cost = {
      inputNano: 0,
      cachedNano: 0,
      outputNano: 0,
      totalNano: answer.costNano ?? 0,
      catalogue: "none",
      pricedAs: "none",
      simulated: true,
    };
    yield [
      {
        type: "finish",
        reason: answer.finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
        raw: "",
        usage,
        cost,
        model: this.id,
      },
    ];
  }
}
