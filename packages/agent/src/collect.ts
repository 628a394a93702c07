import type { Cost, FinishReason, ToolCall, Usage } from "@swarm/protocol";
import type { StreamPart } from "@swarm/protocol/ports";
import { cleanText, unreachable } from "@swarm/std";

export interface Collected {
  readonly text: string;
  readonly reasoning: string;
  /** Calls that arrived whole, in order. */
  readonly calls: readonly ToolCall[];
  readonly finish: FinishReason;
  readonly usage: Usage;
  readonly cost: Cost;
  readonly model: string;
  readonly signature?: string;
}
type ErrorPart = Extract<StreamPart, { type: "error" }>;
type WaitingPart = Extract<StreamPart, { type: "waiting" }>;
export type StreamEnd =
  | { readonly ok: true; readonly collected: Collected }
  | { readonly ok: false; readonly error: ErrorPart };
export type Live = (stream: string, offset: number, text: string) => void;

/** A text that grows: pieces are joined once, at the end. */
interface Growing {
  readonly pieces: string[];
  /** UTF-16 units so far: the offset of the next piece. */
  length: number;
}

/**
 * Takes a stream's parts, batch by batch. `live` hears each stream's new text once per batch, with its place in that
 * stream. Whoever ends the call has its whole arguments, so of those only the length is kept on the way.
 */
export class Collector {
  readonly #text: Growing = { pieces: [], length: 0 };
  readonly #reasoning: Growing = { pieces: [], length: 0 };
  readonly #argsLength = new Map<number, number>();
  readonly #calls = new Map<number, ToolCall>();
  readonly #live: Live;
  end: StreamEnd | undefined;
  /** Monotonic ms of the first token. */
  firstAt: number | undefined;
  // the run of deltas of one stream within a batch that `live` has not heard yet
  #run = "";
  #runStream = "";
  #runAt = 0;

  constructor(live: Live) {
    this.#live = live;
  }

  /** `now` in monotonic ms. Answers a wait that the stream reports, if the batch held one. */
  take(batch: readonly StreamPart[], now: number): WaitingPart | undefined {
    let waiting: WaitingPart | undefined;
    for (const part of batch) {
      if (part.type === "waiting") waiting = part;
      else this.#part(part, now);
    }
    this.#tell();
    return waiting;
  }

  #part(part: Exclude<StreamPart, WaitingPart>, now: number): void {
    switch (part.type) {
      case "response-start":
        return;
      case "text-delta":
        this.firstAt ??= now;
        this.#hear("text", this.#text.length, part.text);
        grow(this.#text, part.text);
        return;
      case "reasoning-delta":
        this.firstAt ??= now;
        this.#hear("reasoning", this.#reasoning.length, part.text);
        grow(this.#reasoning, part.text);
        return;
      case "tool-call-start":
        this.firstAt ??= now;
        return;
      case "tool-call-delta": {
        const at = this.#argsLength.get(part.index) ?? 0;
        this.#hear(`args:${part.index}`, at, part.args);
        this.#argsLength.set(part.index, at + part.args.length);
        return;
      }
      case "tool-call-end": {
        const { index, id, name, args, signature } = part;
        // a wire that sends calls whole has had no delta: what is shown live is the whole at once
        if (!this.#argsLength.has(index)) this.#hear(`args:${index}`, 0, args);
        this.#calls.set(index, {
          id,
          name: cleanText(name).slice(0, NAME_MAX),
          args: cleanText(args),
          ...(signature === undefined ? {} : { signature }),
        });
        return;
      }
      case "finish": {
        const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => call);
        const { reason, usage, cost, model, signature } = part;
        this.end = {
          ok: true,
          collected: {
            text: whole(this.#text),
            reasoning: whole(this.#reasoning),
            calls,
            finish: reason,
            usage,
            cost,
            model,
            ...(signature === undefined ? {} : { signature }),
          },
        };
        return;
      }
      case "error":
        this.end = { ok: false, error: part };
        return;
      default:
        unreachable(part);
    }
  }

  #hear(stream: string, at: number, text: string): void {
    if (text === "") return;
    if (stream !== this.#runStream) {
      this.#tell();
      this.#runStream = stream;
      this.#runAt = at;
    }
    this.#run += text;
  }

  #tell(): void {
    if (this.#run !== "") this.#live(this.#runStream, this.#runAt, this.#run);
    this.#run = "";
    this.#runStream = "";
  }
}

/** A made-up name may be anything; what is kept of it is enough to recognise it. */
const NAME_MAX = 128;

function grow(text: Growing, piece: string): void {
  text.pieces.push(piece);
  text.length += piece.length;
}

/** Half a surrogate pair or a NUL would poison every later request: they leave here. */
function whole(text: Growing): string {
  return cleanText(text.pieces.join(""));
}
