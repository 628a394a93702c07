/**
 * Reads the argument text of a call when `JSON.parse` refused it. Our own instead of a repair library, because a
 * library guesses: it closes a text that never ended and drops escapes, and half a document or a changed script would
 * be delivered as the model's work. Here is repaired only what can mean one thing:
 *
 *   L1  words, a code fence or extra closers around the object
 *   L2  a comma before a closer
 *   L3  'single' quotes around a text, bare keys, True / False / None
 *   L4  raw line breaks and tabs inside a text
 *   L5  the last closing brace missing, after a value that is complete
 *
 * Everything else is refused with its place: a text that does not end, a quote that is not escaped, an unknown escape,
 * a number or a list at the cut, two objects.
 */
export type LenientJson =
  | { readonly ok: true; readonly value: Record<string, unknown>; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly at: number; readonly problem: string };

/** Deeper arguments than this no tool takes, and no provider's parser takes back. */
export const DEPTH_MAX = 64;

class Refused extends Error {
  readonly at: number;
  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

export function parseLenient(text: string): LenientJson {
  try {
    return new Reader(text).document();
  } catch (error) {
    if (error instanceof Refused) return { ok: false, at: error.at, problem: error.message };
    throw error;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
const PYTHON: Readonly<Record<string, boolean | null>> = { True: true, False: false, None: null };
const SINGLE = "single quotes read as double quotes";
const SPACE = /[\s\uFEFF]*/y;
const WORD = /[A-Za-z_$][\w$-]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class Reader {
  readonly #text: string;
  readonly #repairs = new Set<string>();
  #at = 0;
  /** Bare keys among quoted ones are no keys but words of a text whose quote is not escaped. */
  #bareKeys: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  document(): LenientJson {
    const start = this.#text.indexOf("{");
    if (start < 0) throw new Refused(0, "there is no JSON object");
    const before = this.#text.slice(0, start);
    if (/["[\]]/.test(before)) throw new Refused(0, "the arguments must be one JSON object");
    if (before.trim() !== "") this.#repairs.add("words before the object left out");
    this.#at = start;
    const value = this.#object(1);
    const rest = this.#text.slice(this.#at);
    if (rest.includes("{")) throw new Refused(this.#at, "more than one object came");
    // a quote behind the end: the end was a sign inside a text whose quote is not escaped
    if (rest.includes('"') || (this.#repairs.has(SINGLE) && rest.includes("'")))
      throw new Refused(this.#at, "the object ends before its last text: a quote inside a text is not escaped");
    if (rest.trim() !== "") this.#repairs.add("words after the object left out");
    return { ok: true, value, repairs: [...this.#repairs] };
  }

  #value(depth: number): unknown {
    if (depth > DEPTH_MAX) throw new Refused(this.#at, `nested deeper than ${DEPTH_MAX} levels`);
    const c = this.#peek();
    if (c === "{") return this.#object(depth);
    if (c === "[") return this.#array(depth);
    if (c === '"' || c === "'") return this.#string(",}]");
    const word = this.#match(WORD);
    if (word !== "") {
      if (Object.hasOwn(WORDS, word)) return WORDS[word];
      if (!Object.hasOwn(PYTHON, word)) throw new Refused(this.#at - word.length, `"${word.slice(0, 40)}" is not JSON`);
      this.#repairs.add(`${word} read as ${String(PYTHON[word])}`);
      return PYTHON[word];
    }
    const number = this.#match(NUMBER);
    if (number === "") throw this.#unexpected();
    if (this.#at >= this.#text.length) throw this.#cut();
    return Number(number);
  }

  #object(depth: number): Record<string, unknown> {
    this.#at++;
    const members: [string, unknown][] = [];
    for (;;) {
      const c = this.#peek();
      if (c === "}" && members.length === 0) break;
      const bare = c !== '"' && c !== "'";
      this.#bareKeys ??= bare;
      if (bare !== this.#bareKeys) throw this.#unexpected();
      const key = bare ? this.#bareKey() : this.#string(":");
      if (this.#peek() !== ":") throw this.#unexpected();
      this.#at++;
      this.#peek();
      members.push([key, this.#value(depth + 1)]);
      if (this.#peek() === "" && depth === 1) {
        this.#repairs.add("missing last brace added");
        return Object.fromEntries(members);
      }
      if (this.#ended("}")) break;
    }
    this.#at++;
    return Object.fromEntries(members);
  }

  #array(depth: number): unknown[] {
    this.#at++;
    const items: unknown[] = [];
    while (items.length > 0 || this.#peek() !== "]") {
      this.#peek();
      items.push(this.#value(depth + 1));
      if (this.#ended("]")) break;
    }
    this.#at++;
    return items;
  }

  /** After a member or an item: at the closer (true), or past the comma (false). */
  #ended(closer: string): boolean {
    const c = this.#peek();
    if (c === closer) return true;
    if (c !== ",") throw this.#unexpected();
    this.#at++;
    if (this.#peek() !== closer) return false;
    this.#repairs.add(`comma before ${closer} left out`);
    return true;
  }

  #bareKey(): string {
    const key = this.#match(WORD);
    if (key === "") throw this.#unexpected();
    this.#repairs.add(`quotes around ${key.slice(0, 40)} added`);
    return key;
  }

  /** A text must be followed by one of `after`: else the quote that ended it belongs to the text and is not escaped. */
  #string(after: string): string {
    const quote = this.#text[this.#at]!;
    const pieces: string[] = [];
    let from = ++this.#at;
    for (;;) {
      const c = this.#text[this.#at];
      if (c === undefined) throw this.#cut();
      if (c === quote) break;
      if (c === "\\") {
        pieces.push(this.#text.slice(from, this.#at), this.#escape(quote));
        from = this.#at;
        continue;
      }
      if (c < " " && c !== "\u0000") this.#repairs.add("raw line breaks or tabs in a text kept");
      this.#at++;
    }
    pieces.push(this.#text.slice(from, this.#at));
    const closed = this.#at++;
    if (quote === "'") this.#repairs.add(SINGLE);
    const next = this.#peek();
    if (next !== "" && !after.includes(next)) {
      throw new Refused(closed, `a quote inside a text is not escaped (write \\"), near ${this.#near(closed)}`);
    }
    return pieces.join("");
  }

  #escape(quote: string): string {
    const c = this.#text[this.#at + 1];
    if (c === undefined) throw this.#cut();
    if (c === "u") {
      const hex = this.#text.slice(this.#at + 2, this.#at + 6);
      if (this.#at + 6 > this.#text.length) throw this.#cut();
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw new Refused(this.#at, `\\u${hex} is not an escape`);
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const plain = c === "'" && quote === "'" ? "'" : ESCAPES[c];
    if (plain === undefined) {
      throw new Refused(
        this.#at,
        `\\${c} is not an escape of JSON (a backslash is written \\\\), near ${this.#near(this.#at)}`,
      );
    }
    this.#at += 2;
    return plain;
  }

  /** The next sign that is not space; empty at the end. */
  #peek(): string {
    this.#match(SPACE);
    return this.#text[this.#at] ?? "";
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #unexpected(): Refused {
    if (this.#at >= this.#text.length) return this.#cut();
    return new Refused(this.#at, `unexpected sign near ${this.#near(this.#at)}`);
  }

  #cut(): Refused {
    return new Refused(this.#text.length, "they end before they are complete: send the whole call again");
  }

  #near(at: number): string {
    return JSON.stringify(this.#text.slice(Math.max(0, at - 24), at + 16).toWellFormed());
  }
}
