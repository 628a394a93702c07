import assert from "node:assert/strict";
import { test } from "node:test";
import { createParser } from "eventsource-parser";
import * as fc from "fast-check";
import { SseReader } from "./sse.ts";

function ours(reads: readonly Buffer[], maxBytes?: number): { data: string[]; ok: boolean } {
  const data: string[] = [];
  const reader = new SseReader((text, start, end) => data.push(text.slice(start, end)), maxBytes);
  const ok = reads.every((read) => reader.push(read));
  return { data, ok };
}

function theirs(reads: readonly Buffer[]): string[] {
  const data: string[] = [];
  const parser = createParser({ onEvent: (event) => data.push(event.data) });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const read of reads) parser.feed(decoder.decode(read, { stream: true }));
  return data;
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const edges = [0, ...cuts.map((c) => c % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
}

const value = fc.string({
  unit: fc.constantFrom("a", " ", ":", "{", '"', "é", "漢", "😀", "\u0000", "\ufeff", "\\"),
  maxLength: 12,
});
const line = fc.oneof(
  { weight: 6, arbitrary: value.map((v) => `data: ${v}`) },
  { weight: 2, arbitrary: value.map((v) => `data:${v}`) },
  { weight: 2, arbitrary: fc.constant("") },
  value.map((v) => `: ${v}`),
  value.map((v) => `event: ${v}`),
  value.map((v) => `id: ${v}`),
  fc.constantFrom("retry: 5", "data", "junk", "dat: x", " data: y", "event"),
);
const stream = fc
  .record({
    bom: fc.boolean(),
    lines: fc.array(fc.tuple(line, fc.constantFrom("\n", "\n", "\r\n", "\r")), { maxLength: 30 }),
  })
  .map(({ bom, lines }) => (bom ? "\ufeff" : "") + lines.map(([text, eol]) => text + eol).join(""));

test("any event stream, cut anywhere, is read as eventsource-parser reads it (empty events are left out)", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
      const reads = cut(Buffer.from(text), cuts);
      // A CR in the middle of the text ends a line at once for us; the oracle waits for what follows it.
      const whole = theirs([Buffer.from(text)]).filter((d) => d !== "");
      const read = ours(reads).data;
      assert.deepEqual(text.endsWith("\r") ? read.slice(0, whole.length) : read, whole);
    }),
    { numRuns: 500 },
  );
});

test("one byte at a time gives the same events", () => {
  const text = '\ufeffdata: {"a":"漢😀"}\r\n\r\n: ping\r\ndata:x\rdata: y\r\rdata: z\n\n';
  const bytes = Buffer.from(text);
  assert.deepEqual(ours(Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))).data, ['{"a":"漢😀"}', "x\ny", "z"]);
});

test("bytes that are not UTF-8 become replacement characters, the rest stays", () => {
  assert.deepEqual(ours([Buffer.from([100, 97, 116, 97, 58, 0x61, 0xff, 0x62, 10, 10])]).data, ["a\ufffdb"]);
});

test("an event beyond the bound ends the reading, by line or by many data lines (C-17)", () => {
  assert.equal(
    ours(
      Array.from({ length: 40 }, () => Buffer.alloc(100, 97)),
      1000,
    ).ok,
    false,
  );
  assert.equal(
    ours(
      Array.from({ length: 40 }, () => Buffer.from(`data: ${"a".repeat(100)}\n`)),
      1000,
    ).ok,
    false,
  );
  assert.equal(
    ours(
      Array.from({ length: 40 }, () => Buffer.from(`data: ${"a".repeat(100)}\n\n`)),
      1000,
    ).ok,
    true,
  );
});
