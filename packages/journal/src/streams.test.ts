import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, type KvStore } from "@swarm/kv";
import { messageOf, openTally } from "@swarm/testkit/journal";
import { readStream, Streams } from "./streams.ts";

const OLD = 10_000;

async function flush(streams: Streams, store: KvStore, dropped: readonly string[] = [], now = OLD): Promise<void> {
  await store.batch(streams.take(dropped, now), { sync: true });
}
const chunksIn = async (store: KvStore): Promise<number> =>
  (await store.range({ gte: "t/", lt: "t0", limit: 1000 })).length;

test("J-11 pieces join to the text, surrogate pairs cut in two included", async () => {
  const [store, streams] = [new MemoryStore(), new Streams()];
  const text = "grüße 😀 ".repeat(1000);
  for (let at = 0; at < text.length; at += 7) streams.add("s", at, text.slice(at, at + 7), 0);
  await flush(streams, store);
  assert.equal(await readStream(store, "s"), text);
  assert.ok((await chunksIn(store)) < 6, "pieces of 2 KiB expected");
  assert.equal(await readStream(store, "none"), "");
});

test("J-11 a piece rides when it is long or old; until then it waits", async () => {
  const [store, streams] = [new MemoryStore(), new Streams()];
  streams.add("s", 0, "young", 100);
  streams.add("l", 0, "x".repeat(3000), 100);
  await flush(streams, store, [], 200);
  assert.deepEqual([await readStream(store, "s"), (await readStream(store, "l")).length], ["", 3000]);
  assert.equal(streams.waiting, true);
  await flush(streams, store, [], 400);
  assert.equal(await readStream(store, "s"), "young");
  assert.equal(streams.waiting, false);
});

test("J-11 a piece before the end cuts the stream back, one behind the end is ignored", async () => {
  const [store, streams] = [new MemoryStore(), new Streams()];
  streams.add("s", 0, "a".repeat(2048), 0);
  streams.add("s", 2048, "b".repeat(2048), 0);
  await flush(streams, store);
  streams.add("s", 9000, "lost", 0);
  streams.add("s", 2000, "c", 0);
  streams.add("s", 2001, "d", 0);
  await flush(streams, store);
  assert.equal(await readStream(store, "s"), `${"a".repeat(2000)}cd`);
  const kept = await chunksIn(store);
  streams.add("s", 9000, "lost", 0);
  await flush(streams, store);
  assert.equal(await chunksIn(store), kept);
  streams.add("s", 0, "again", 0);
  await flush(streams, store);
  assert.equal(await readStream(store, "s"), "again");
  assert.equal(await chunksIn(store), 1);
  streams.add("never begun", 5, "x", 0);
  await flush(streams, store);
  assert.equal(await chunksIn(store), 1);
});

test("J-11 dropping kills written and waiting pieces, and late ones do not bring the stream back", async () => {
  const [store, streams] = [new MemoryStore(), new Streams()];
  streams.add("s", 0, "a".repeat(5000), 0);
  await flush(streams, store);
  streams.add("s", 5000, "b".repeat(5000), 0);
  streams.add("other", 0, "kept", 0);
  await flush(streams, store, ["s"]);
  streams.add("s", 10_000, "late", 0);
  await flush(streams, store);
  assert.deepEqual(
    [await readStream(store, "s"), await readStream(store, "other"), await chunksIn(store)],
    ["", "kept", 1],
  );
});

test("J-11 what an earlier process left is read as far as it has no hole, and dropped whole", async () => {
  const [store, before] = [new MemoryStore(), new Streams()];
  for (let i = 0; i < 5; i++) before.add("s", i * 2048, String(i).repeat(2048), 0);
  await flush(before, store);
  const hole = (await store.range({ gte: "t/", lt: "t0", limit: 10 }))[2]!;
  await store.batch([{ type: "put", key: hole.key, value: '00000000"broken"' }], { sync: true });
  assert.equal((await readStream(store, "s")).length, 4096);
  await store.batch([{ type: "del", key: hole.key }], { sync: true });
  assert.equal((await readStream(store, "s")).length, 4096);
  const after = new Streams();
  await after.load(store);
  after.add("s", 4096, "went on", 0);
  await flush(after, store);
  assert.equal(await readStream(store, "s"), `${"0".repeat(2048)}${"1".repeat(2048)}went on`);
  await flush(after, store, ["s"]);
  assert.equal(await chunksIn(store), 0);
});

test("J-11 through the journal: chunks take no seq, are written by themselves, and go with the final record", async () => {
  const store = new MemoryStore();
  await using journal = await openTally({ store });
  journal.chunk("run_1/1/text", 0, "hello ");
  journal.chunk("run_1/1/text", 6, "world");
  assert.equal(await journal.readStream("run_1/1/text"), "");
  while ((await journal.readStream("run_1/1/text")) === "") await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await journal.readStream("run_1/1/text"), "hello world");
  assert.equal(journal.cursor().seq, 0);
  journal.chunk("run_1/1/text", 11, " waiting".repeat(500));
  await journal.apply(messageOf("ses_a", "1", "hello world", { dropStreams: ["run_1/1/text"] }));
  assert.equal(await chunksIn(store), 0);
  assert.equal((await journal.verify()).ok, true);
});
