import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compareKeys } from "./order.ts";
import { KV_CLOSED, type KvStore, type KvWrite } from "./store.ts";

/** How the suite gets stores. `open` may be called again on the same place after `close` where `persistent`. */
export interface KvSubject {
  readonly persistent: boolean;
  /** A place of its own: opens it, and again after the store was closed. */
  place(): Promise<{ open(): Promise<KvStore>; remove(): Promise<void> }>;
}

const put = (key: string, value: string | Uint8Array): KvWrite => ({ type: "put", key, value });
const del = (key: string): KvWrite => ({ type: "del", key });
const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value).toString();
const SYNC = { sync: true } as const;

/** The laws of `KvStore` as tests, run on every implementation. */
export function kvContract(name: string, subject: KvSubject): void {
  const onStore = (title: string, body: (store: KvStore) => Promise<void>): void => {
    test(title, async () => {
      const place = await subject.place();
      const store = await place.open();
      try {
        await body(store);
      } finally {
        await store.close();
        await place.remove();
      }
    });
  };

  describe(`KvStore contract: ${name}`, () => {
    onStore("KV-1 what a batch put is read by get, getSync and getMany; a miss is undefined", async (store) => {
      await store.batch([put("a", "1"), put("b", new Uint8Array([0, 255, 10]))], SYNC);
      assert.equal(text(await store.get("a")), "1");
      assert.deepEqual([...(store.getSync("b") ?? [])], [0, 255, 10]);
      assert.deepEqual(
        (await store.getMany(["b", "none", "a"])).map((v) => v?.length),
        [3, undefined, 1],
      );
      assert.equal(await store.get("none"), undefined);
      assert.equal(store.getSync("none"), undefined);
    });

    onStore("KV-2 the last write of a key in a batch wins", async (store) => {
      await store.batch([put("k", "old")], SYNC);
      await store.batch([del("k"), put("k", "new"), put("x", "1"), del("x")], SYNC);
      assert.equal(text(await store.get("k")), "new");
      assert.equal(await store.get("x"), undefined);
    });

    onStore("KV-3 keys are ordered by their UTF-8 bytes", async (store) => {
      const keys = ["b", "a", "a/0", "a0", "é", "\u{1f600}", "\uffee", "a\u0000b", "Z", "\ud7ff", "\ue000"];
      await store.batch(
        keys.map((key) => put(key, key)),
        SYNC,
      );
      const byBytes = [...keys].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
      assert.deepEqual(
        (await store.range({ limit: 100 })).map((e) => e.key),
        byBytes,
      );
      assert.deepEqual([...keys].sort(compareKeys), byBytes);
    });

    onStore("KV-4 ranges keep their bounds, direction and limit", async (store) => {
      await store.batch(
        "abcdefg".split("").map((key) => put(key, key)),
        SYNC,
      );
      const keys = async (range: Parameters<KvStore["range"]>[0]): Promise<string> =>
        (await store.range(range)).map((e) => e.key).join("");
      assert.equal(await keys({ gte: "b", lt: "e", limit: 10 }), "bcd");
      assert.equal(await keys({ gt: "b", lte: "e", limit: 10 }), "cde");
      assert.equal(await keys({ gt: "b", lte: "e", limit: 2 }), "cd");
      assert.equal(await keys({ gt: "b", lte: "e", limit: 2, reverse: true }), "ed");
      assert.equal(await keys({ limit: 3, reverse: true }), "gfe");
      assert.equal(await keys({ gt: "e", lt: "b", limit: 3 }), "");
      assert.equal(await keys({ limit: 0 }), "");
    });

    onStore("KV-5 an iterator sees the store as it was when it was made", async (store) => {
      await store.batch([put("a", "1"), put("b", "1"), put("c", "1")], SYNC);
      await using iterator = store.iterate({ gte: "a" });
      await store.batch([put("b", "2"), put("bb", "2"), del("c")], SYNC);
      const seen: string[] = [];
      for (let page = await iterator.next(2); page.length > 0; page = await iterator.next(2)) {
        assert.ok(page.length <= 2);
        for (const { key, value } of page) seen.push(`${key}=${text(value)}`);
      }
      assert.deepEqual(seen, ["a=1", "b=1", "c=1"]);
    });

    onStore("KV-6 a page is full even when its values are large", async (store) => {
      const big = "x".repeat(100_000);
      await store.batch(
        Array.from({ length: 20 }, (_, i) => put(`k${String(i).padStart(2, "0")}`, big)),
        SYNC,
      );
      assert.equal((await store.range({ gte: "k", limit: 15 })).length, 15);
      assert.equal((await store.range({ gte: "k", limit: 100 })).length, 20);
    });

    onStore("KV-7 batches of concurrent callers are each applied whole, in some order", async (store) => {
      const batch = (n: number): KvWrite[] => Array.from({ length: 10 }, (_, i) => put(`k${i}`, String(n)));
      await Promise.all(Array.from({ length: 20 }, (_, n) => store.batch(batch(n), { sync: n % 2 === 0 })));
      const values = new Set((await store.range({ gte: "k", limit: 10 })).map((e) => text(e.value)));
      assert.equal(values.size, 1, `mixed batches: ${[...values].join(" ")}`);
    });

    onStore("KV-8 text and bytes come back as they were, empty ones too", async (store) => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      await store.batch([put("t", "grüße 😀"), put("b", bytes), put("e", ""), put("z", new Uint8Array())], SYNC);
      assert.equal(text(await store.get("t")), "grüße 😀");
      assert.deepEqual(Buffer.from((await store.get("b"))!), Buffer.from(bytes));
      assert.equal((await store.get("e"))!.length, 0);
      assert.equal((await store.get("z"))!.length, 0);
    });

    onStore("KV-9 a closed store refuses with KV_CLOSED, and closing twice is fine", async (store) => {
      await store.close();
      await store.close();
      await assert.rejects(store.get("a"), { code: KV_CLOSED });
      await assert.rejects(store.batch([put("a", "1")], SYNC), { code: KV_CLOSED });
      assert.throws(() => store.getSync("a"), { code: KV_CLOSED });
    });

    if (subject.persistent) {
      test("KV-10 a store opened again holds what was written", async () => {
        const place = await subject.place();
        const first = await place.open();
        await first.batch([put("a", "1"), put("b", "2")], SYNC);
        await first.batch([del("b")], { sync: false });
        await first.close();
        const again = await place.open();
        assert.deepEqual(
          (await again.range({ limit: 10 })).map((e) => `${e.key}=${text(e.value)}`),
          ["a=1"],
        );
        await again.close();
        await place.remove();
      });
    }
  });
}
