/** Token counts and token pieces from a real tokenizer (o200k), remembered by text. */
import { hash } from "node:crypto";
import { decode, encode } from "gpt-tokenizer/encoding/o200k_base";

/** Remembered tokens: 4 bytes each, so 8 M tokens are 32 MB. */
const REMEMBERED_TOKENS_MAX = 8_000_000;
/** Special-token spellings in a text are plain text here, never control tokens. */
const PLAIN = { disallowedSpecial: new Set<string>() };

export class Tokenizer {
  readonly #known = new Map<string, Uint32Array>();
  #held = 0;
  readonly #pieces = new Map<number, string>();

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
      let part = this.#pieceOf(tokens[at]!);
      let used = 1;
      while (part.includes("\uFFFD") && at + used < tokens.length && used < 8) {
        used++;
        part = decode(tokens.subarray(at, at + used));
      }
      text += part;
      at += used;
    }
    return { text, next: at };
  }

  #pieceOf(token: number): string {
    let piece = this.#pieces.get(token);
    if (piece === undefined) this.#pieces.set(token, (piece = decode([token])));
    return piece;
  }
}
