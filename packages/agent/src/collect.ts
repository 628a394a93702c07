import type { Cost, FinishReason, ToolCall, Usage } from "@swarm/protocol";
import type { StreamPart } from "@swarm/protocol/ports";
import { unreachable } from "@swarm/std";

export interface Collected {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly finish: FinishReason;
  readonly usage: Usage;
  readonly cost: Cost;
  readonly model: string;
  readonly signature?: string;
}
export type StreamEnd = { readonly ok: true; readonly collected: Collected } | { readonly ok: false; readonly error: Extract<StreamPart, { type: "error" }> };

/** A growing text: pieces are joined once, at the end; the length is the offset of the next piece. */
class Pieces {
  readonly #pieces: string[] = [];
  length = 0;
  push(text: string): number {
    const at = this.length;
    this.#pieces.push(text);
    this.length += text.length;
    return at;
  }
  join(): string {
    return this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join("");
  }
}

/** Takes a stream's parts; `live` hears each piece of text with its place in its own stream. */
export class Collector {
  readonly #text = new Pieces();
  readonly #reasoning = new Pieces();
  readonly #args = new Map<number, Pieces>();
  readonly #calls = new Map<number, ToolCall>();
  readonly #live: (stream: string, offset: number, text: string) => void;
  end: StreamEnd | undefined;
  firstAt: number | undefined;

  constructor(live: (stream: string, offset: number, text: string) => void) {
    this.#live = live;
  }

  /** `now` in monotonic ms. Answers a wait that the stream reports, if the batch held one. */
  take(batch: readonly StreamPart[], now: number): Extract<StreamPart, { type: "waiting" }> | undefined {
    let waiting: Extract<StreamPart, { type: "waiting" }> | undefined;
    for (const part of batch) {
      switch (part.type) {
        case "waiting":
          waiting = part;
          break;
        case "response-start":
          break;
        case "text-delta":
          this.firstAt ??= now;
          this.#live("text", this.#text.push(part.text), part.text);
          break;
        case "reasoning-delta":
          this.firstAt ??= now;
          this.#live("reasoning", this.#reasoning.push(part.text), part.text);
          break;
        case "tool-call-start":
          this.firstAt ??= now;
          this.#args.set(part.index, new Pieces());
          break;
        case "tool-call-delta": {
          const pieces = this.#args.get(part.index) ?? new Pieces();
          this.#args.set(part.index, pieces);
          this.#live(`args:${part.index}`, pieces.push(part.args), part.args);
          break;
        }
        case "tool-call-end": {
          const { id, name, args, signature } = part;
          // a wire that sends calls whole has had no delta: what is shown live is the whole at once
          const pieces = this.#args.get(part.index);
          if (args !== "" && (pieces === undefined || pieces.length === 0)) this.#live(`args:${part.index}`, 0, args);
          this.#calls.set(part.index, { id, name, args, ...(signature === undefined ? {} : { signature }) });
          break;
        }
        case "finish": {
          const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => call);
          const { reason, usage, cost, model, signature } = part;
          this.end = { ok: true, collected: { text: this.#text.join(), reasoning: this.#reasoning.join(), calls, finish: reason, usage, cost, model, ...(signature === undefined ? {} : { signature }) } };
          break;
        }
        case "error":
          this.end = { ok: false, error: part };
          break;
        default:
          unreachable(part);
      }
    }
    return waiting;
  }
}
