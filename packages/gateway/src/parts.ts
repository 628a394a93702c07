import type { StreamPart } from "@swarm/protocol/ports";

export type DeltaKind = "text" | "reasoning" | "args";

/**
 * What a string literal's inside may be, strictly: then joining such pieces and parsing once is sound. JSON forbids
 * control characters there, so the expressions name them.
 */
// oxlint-disable-next-line no-control-regex
const ESCAPED = /^(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/;
// oxlint-disable-next-line no-control-regex
const SPECIAL = /["\\\u0000-\u001f]/;

/**
 * Collects parts between two reads by the consumer: deltas of the same stream that follow each other become one.
 * `escaped` takes the inside of a JSON string literal as it came; a run of them is decoded once, when it is taken.
 */
export class PartBatch {
  #parts: StreamPart[] = [];
  #kind: DeltaKind | undefined;
  #index = 0;
  #plain = "";
  #escaped = "";
  #pending = 0;
  readonly #args: string[] = [];
  /** UTF-16 units of text, reasoning and arguments so far: the base of an estimate when a server reports no usage. */
  outputUnits = 0;

  get empty(): boolean {
    return this.#parts.length === 0 && this.#kind === undefined;
  }
  /** Units waiting to be taken: the measure of backpressure. */
  get pendingUnits(): number {
    return this.#pending;
  }

  /** Puts a part before what is not taken yet. */
  prepend(part: StreamPart): void {
    this.#parts.unshift(part);
  }

  push(part: StreamPart): void {
    this.#close();
    this.#parts.push(part);
  }

  delta(kind: DeltaKind, index: number, text: string): void {
    if (text === "") return;
    this.#open(kind, index);
    if (this.#escaped !== "") this.#unescape();
    this.#plain += text;
    this.#pending += text.length;
  }

  /** False, and nothing taken, when `literal` is not the inside of a valid JSON string. */
  escaped(kind: DeltaKind, index: number, literal: string): boolean {
    if (SPECIAL.test(literal) && !ESCAPED.test(literal)) return false;
    if (literal === "") return true;
    this.#open(kind, index);
    this.#escaped += literal;
    this.#pending += literal.length;
    return true;
  }

  /** Arguments of a call so far. */
  args(index: number): string {
    if (this.#kind === "args" && this.#index === index) this.#close();
    return this.#args[index] ?? "";
  }

  take(): StreamPart[] {
    this.#close();
    const parts = this.#parts;
    this.#parts = [];
    this.#pending = 0;
    return parts;
  }

  #open(kind: DeltaKind, index: number): void {
    if (this.#kind === kind && this.#index === index) return;
    this.#close();
    this.#kind = kind;
    this.#index = index;
  }

  #unescape(): void {
    this.#plain += JSON.parse(`"${this.#escaped}"`) as string;
    this.#escaped = "";
  }

  #close(): void {
    if (this.#kind === undefined) return;
    if (this.#escaped !== "") this.#unescape();
    const text = this.#plain;
    this.outputUnits += text.length;
    if (this.#kind === "text") this.#parts.push({ type: "text-delta", text });
    else if (this.#kind === "reasoning") this.#parts.push({ type: "reasoning-delta", text });
    else {
      this.#args[this.#index] = (this.#args[this.#index] ?? "") + text;
      this.#parts.push({ type: "tool-call-delta", index: this.#index, args: text });
    }
    this.#kind = undefined;
    this.#plain = "";
  }
}
