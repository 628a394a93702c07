/** Token counts and token pieces from a real tokenizer (o200k), remembered by text. */
import { hash } from "node:crypto";
import ranks from "gpt-tokenizer/bpeRanks/o200k_base";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** Remembered tokens: 4 bytes each, so 8 M tokens are 32 MB. */
const REMEMBERED_TOKENS_MAX = 8_000_000;
/** A character has at most four bytes, a token at least one; a joined emoji is several characters. */
const CHARACTER_TOKENS_MAX = 4;
/** Special-token spellings in a text are plain text here, never control tokens. */
const PLAIN = { disallowedSpecial: new Set<string>() };

export class Tokenizer {
  readonly #known = new Map<string, Uint32Array>();
  #held = 0;

  /** Token ids of a text. The same text is tokenised once. */
  encode(text: string): Uint32Array {
    const key = hash("sha1", text, "base64");
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const tokens = Uint32Array.from(encode(text, PLAIN));
    this.#known.set(key, tokens);
    this.#held += tokens.length;
    for (const [old, value] of this.#known) {
      if (this.#held <= REMEMBERED_TOKENS_MAX || old === key) break;
      this.#known.delete(old);
      this.#held -= value.length;
    }
    return tokens;
  }

  count(text: string): number {
    return text === "" ? 0 : this.encode(text).length;
  }

  /**
   * The text of tokens `from` up to about `to`, whole characters only: tokens that hold part of a character are
   * taken together. Answers where the next piece starts.
   */
  piece(tokens: Uint32Array, from: number, to: number): { text: string; next: number } {
    let text = "";
    let at = from;
    while (at < to && at < tokens.length) {
      const part = ranks[tokens[at]!];
      at++;
      if (typeof part === "string") text += part;
      else if (part !== undefined) {
        const bytes = [...part];
        const last = at + CHARACTER_TOKENS_MAX - 1;
        while (at < last && at < tokens.length && !isWhole(bytes)) bytes.push(...bytesOf(tokens[at++]!));
        text += Buffer.from(bytes).toString("utf8");
      }
    }
    return { text, next: at };
  }
}

function bytesOf(token: number): readonly number[] {
  const part = ranks[token];
  return typeof part === "string" ? [...Buffer.from(part)] : (part ?? []);
}

const strict = new TextDecoder("utf8", { fatal: true });

function isWhole(bytes: readonly number[]): boolean {
  try {
    strict.decode(Uint8Array.from(bytes));
    return true;
  } catch {
    return false;
  }
}
