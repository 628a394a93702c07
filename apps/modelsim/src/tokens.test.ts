import assert from "node:assert/strict";
import { test } from "node:test";
import { Tokenizer } from "./tokens.ts";

test("pieces put together are the text, and none splits a character", () => {
  const tokenizer = new Tokenizer();
  const text = 'naïve 日本語 👩‍👩‍👧 "quoted\\n" <|endoftext|> Ω≈ç√ \u{1F9EA}\u{10348} end';
  const tokens = tokenizer.encode(text);
  for (const size of [1, 2, 3, 50]) {
    let out = "";
    for (let at = 0; at < tokens.length;) {
      const piece = tokenizer.piece(tokens, at, at + size);
      assert.ok(piece.next > at);
      assert.doesNotMatch(piece.text, /\uFFFD/);
      out += piece.text;
      at = piece.next;
    }
    assert.equal(out, text);
  }
});

test("a text is tokenised once", () => {
  const tokenizer = new Tokenizer();
  assert.equal(tokenizer.encode("the same text"), tokenizer.encode("the same text"));
  assert.equal(tokenizer.count(""), 0);
});
