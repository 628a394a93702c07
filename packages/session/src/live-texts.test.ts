import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveText } from "@swarm/protocol";
import { LiveTexts } from "./live-texts.ts";
import { turns } from "./testing/world.ts";

function collect() {
  const kept: [string, number, string][] = [];
  const heard: LiveText[] = [];
  const live = new LiveTexts((stream, offset, text) => kept.push([stream, offset, text]));
  live.onLive((piece) => heard.push(piece));
  return { live, kept, heard };
}

test("what comes in one turn of the loop goes out as one piece per stream, in order and without a hole", async () => {
  const { live, kept, heard } = collect();
  const texts = live.open("ses_1", "run_1");
  let offset = 0;
  for (let turn = 0; turn < 3; turn++) {
    for (const word of ["one ", "two "]) {
      texts.add(1, "text", offset, word);
      offset += word.length;
    }
    texts.add(1, "args:0", turn * 2, "{}");
    await turns();
  }
  assert.equal(heard.length, 6);
  assert.deepEqual(
    kept.filter(([s]) => s === "run_1.1.text").map(([, at, text]) => [at, text]),
    [
      [0, "one two "],
      [8, "one two "],
      [16, "one two "],
    ],
  );
  assert.deepEqual(
    live.of("ses_1").map((t) => [t.stream, t.text]),
    [
      ["text", "one two one two one two "],
      ["args:0", "{}{}{}"],
    ],
  );
});

test("who comes between two pieces sees exactly what the next piece continues", async () => {
  const { live, heard } = collect();
  const texts = live.open("ses_1", "run_1");
  texts.add(1, "text", 0, "abc");
  await turns();
  texts.add(1, "text", 3, "def");
  const snapshot = live.of("ses_1")[0]!.text;
  await turns();
  assert.equal(heard.at(-1)!.offset, snapshot.length);
});

test("a step that is tried again starts at 0; a step that is durable leaves nothing and sends nothing more", async () => {
  const { live, heard, kept } = collect();
  const texts = live.open("ses_1", "run_1");
  texts.add(1, "text", 0, "first");
  await turns();
  texts.add(1, "text", 5, " that is given up");
  texts.add(1, "text", 0, "second");
  assert.deepEqual(texts.cut(), { step: 1, text: "second" });
  await turns();
  assert.deepEqual(
    heard.map((p) => [p.offset, p.text]),
    [
      [0, "first"],
      [0, "second"],
    ],
  );
  texts.add(1, "text", 6, " more");
  assert.deepEqual(texts.names(), ["run_1.1.text"]);
  texts.clear();
  await turns();
  assert.equal(heard.length, 2);
  assert.equal(kept.length, 2);
  assert.deepEqual(live.of("ses_1"), []);
  assert.equal(texts.cut(), undefined);
});

test("a run that is over does not close the texts of the run that follows", async () => {
  const { live } = collect();
  const first = live.open("ses_1", "run_1");
  const second = live.open("ses_1", "run_2");
  live.close(first);
  second.add(1, "text", 0, "x");
  await turns();
  assert.equal(live.of("ses_1").length, 1);
});
