import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyRecord, LiveText } from "@swarm/protocol";
import fc from "fast-check";
import { LiveTexts } from "./live-texts.ts";

function piece(offset: number, text: string, more: Partial<LiveText> = {}): LiveText {
  return { session: "ses_1", run: "run_1", step: 1, stream: "text", offset, text, ...more };
}
function record(kind: string, payload: object): AnyRecord {
  return { seq: 1, session: "ses_1", rev: 1, at: 0, actor: "a", kind, payload } as unknown as AnyRecord;
}

test("whatever pieces are lost or come twice, what is kept is a true beginning of the stream", () => {
  const parts = fc.array(fc.string({ minLength: 1, maxLength: 6 }), { maxLength: 20 });
  fc.assert(
    fc.property(parts, fc.array(fc.nat({ max: 2 })), (pieces, fates) => {
      const texts = new LiveTexts();
      const whole = pieces.join("");
      let offset = 0;
      pieces.forEach((text, i) => {
        for (let n = 0; n < (fates[i] ?? 1); n++) texts.piece(piece(offset, text));
        offset += text.length;
      });
      const kept = (): string => texts.text("ses_1", "run_1", 1, "text") ?? "";
      assert.ok(whole.startsWith(kept()));
      texts.piece(piece(0, whole));
      assert.equal(kept(), whole);
    }),
  );
});

test("a piece that begins earlier cuts back to there, offset 0 starts anew", () => {
  const texts = new LiveTexts();
  texts.piece(piece(0, "Hello world"));
  texts.piece(piece(6, "moon"));
  assert.equal(texts.text("ses_1", "run_1", 1, "text"), "Hello moon");
  assert.equal(texts.piece(piece(20, "lost")), false);
  texts.piece(piece(0, "Anew"));
  assert.equal(texts.text("ses_1", "run_1", 1, "text"), "Anew");
});

test("the record of a step takes its texts away, and those of steps before it, not those of other runs or sessions", () => {
  const texts = new LiveTexts();
  texts.piece(piece(0, "a"));
  texts.piece(piece(0, "b", { stream: "args:0" }));
  texts.piece(piece(0, "c", { step: 2 }));
  texts.piece(piece(0, "d", { run: "run_2" }));
  texts.piece(piece(0, "e", { session: "ses_2" }));
  const kept = (session: string): string =>
    texts
      .of(session)
      .map(({ text }) => text)
      .join("");
  assert.equal(texts.record(record("tool.started", { run: "run_1", step: 1 })), false);
  assert.equal(texts.record(record("step.finished", { run: "run_1", step: 1 })), true);
  assert.equal(kept("ses_1"), "cd");
  texts.record(record("run.ended", { run: "run_1" }));
  assert.equal(kept("ses_1"), "d");
  assert.equal(kept("ses_2"), "e");
  texts.forget("ses_2");
  assert.equal(kept("ses_2"), "");
});
