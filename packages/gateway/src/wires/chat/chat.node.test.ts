import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { gatewayFor, prompt, SimTime, tell } from "../../testing/harness.ts";
import {
  chatEnd,
  chatEvents,
  ScriptedProvider,
  SSE_HEADERS,
  status,
  streamOf,
  type Answer,
} from "../../testing/scripted-provider.ts";

async function ask(...answers: Answer[]) {
  await using provider = await ScriptedProvider.start(...answers);
  const time = new SimTime();
  const gateway = gatewayFor(provider.origin, { clock: time.clock, sleep: async (ms) => time.advance(ms) });
  try {
    const told = await tell(gateway.resolve("c/m-1").stream(prompt(), new AbortController().signal));
    return { told, seen: provider.seen, stats: gateway.stats() };
  } finally {
    gateway.close();
  }
}

const call = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args: string | undefined,
): unknown => ({ tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] });

test("text, reasoning, usage, cost and model of a plain answer", async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 64 },
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  const { told } = await ask(
    streamOf(
      chatEvents(
        { role: "assistant", content: "" },
        { reasoning_content: "hm " },
        { reasoning: "yes" },
        { content: "He" },
        { content: "llo 🌍" },
      ) + chatEnd("stop", usage),
    ),
  );
  assert.deepEqual([told.text, told.reasoning, told.finish], ["Hello 🌍", "hm yes", "stop"]);
  const { raw, ...counts } = told.usage!;
  assert.deepEqual(counts, { input: 100, cached: 64, cacheWrite: 0, output: 50, reasoning: 20, estimated: false });
  assert.deepEqual(raw, usage);
  assert.deepEqual(told.parts[0], { type: "response-start", model: "served-1" });
});

test("deltas of one read are one part, and one read is one batch", async () => {
  const { told } = await ask(
    streamOf(chatEvents(...Array.from({ length: 40 }, (_, i) => ({ content: `w${i} ` }))) + chatEnd()),
  );
  assert.equal(told.parts.filter((p) => p.type === "text-delta").length, 1);
  assert.ok(told.batches <= 2, `${told.batches} batches`);
});

test("an answer flushed one byte per write is the same text (C-16)", async () => {
  const text = '漢字 👩‍👩‍👧 \u{1F600} "q" \\ \n end';
  const bytes = Buffer.from(chatEvents({ content: text.slice(0, 7) }, { content: text.slice(7) }) + chatEnd());
  const { told } = await ask(
    streamOf(
      bytes,
      Array.from({ length: bytes.length }, (_, i) => i),
    ),
  );
  assert.equal(told.text, text);
});

test("a surrogate pair cut between two events is one character", async () => {
  const raw = chatEvents({ content: "a" }, { content: "PLACE1" }, { content: "PLACE2" })
    .replace("PLACE1", "\\ud83d")
    .replace("PLACE2", "\\ude00");
  assert.equal((await ask(streamOf(raw + chatEnd()))).told.text, "a😀");
});

test("parallel calls are told apart: same index with other ids, no index, interleaved pieces (D-09)", async () => {
  const shapes: unknown[][] = [
    [
      call(0, "a", "read", '{"path"'),
      call(0, undefined, undefined, ':"1"}'),
      call(0, "b", "read", '{"path"'),
      call(0, undefined, undefined, ':"2"}'),
      call(0, "d", "read", '{"path":"3"}'),
    ],
    [
      call(undefined, "a", "read", '{"path":"1"}'),
      call(undefined, "b", "read", '{"path"'),
      call(undefined, undefined, undefined, ':"2"}'),
      call(undefined, undefined, "read", '{"path":"3"}'),
    ],
    [
      call(0, "a", "read", ""),
      call(1, "b", "read", ""),
      call(2, "d", "read", ""),
      call(1, undefined, undefined, '{"path":'),
      call(0, undefined, undefined, '{"path":"1"}'),
      call(2, undefined, undefined, '{"path":"3"}'),
      call(1, undefined, undefined, '"2"}'),
    ],
    [
      call(0, "a", "read", '{"path":'),
      call(0, "a", "read", '"1"}'),
      call(1, "b", "read", '{"path":"2"}'),
      call(2, "d", "read", '{"path":"3"}'),
    ],
    [
      call(0, "same", "read", '{"path":"1"}'),
      call(1, "same", "read", '{"path":"2"}'),
      call(2, "", "read", '{"path":"3"}'),
    ],
  ];
  for (const shape of shapes) {
    const { told } = await ask(streamOf(chatEvents(...shape) + chatEnd("tool_calls")));
    assert.deepEqual(
      told.calls.map((c) => c.args),
      ['{"path":"1"}', '{"path":"2"}', '{"path":"3"}'],
      JSON.stringify(shape),
    );
    assert.equal(new Set(told.calls.map((c) => c.id)).size, 3);
    assert.ok(told.calls.every((c) => c.id !== ""));
    assert.equal(told.finish, "tool_calls");
  }
});

test("a stream without a finish reason is an error, never a success, and half a call never ends (C-12)", async () => {
  const cuts = [
    chatEvents({ content: "half" }),
    chatEvents(call(0, "a", "write", '{"path":"x')),
    `${chatEvents({ content: "half" })}data: [DONE]\n\n`,
  ];
  for (const bytes of cuts) {
    for (const end of ["end", "reset"] as const) {
      const { told } = await ask(streamOf(bytes, [], end));
      assert.deepEqual([told.finish, told.error, told.calls.length], ["", "provider_unavailable", 0]);
    }
  }
});

test("a call that the length limit cut is not ended, a whole one beside it is", async () => {
  const { told } = await ask(
    streamOf(chatEvents(call(0, "a", "read", '{"path":"1"}'), call(1, "b", "write", '{"path":"x')) + chatEnd("length")),
  );
  assert.deepEqual([told.finish, told.calls.map((c) => c.id)], ["length", ["a"]]);
});

test("a finish reason without [DONE] is whole; missing usage is estimated and marked", async () => {
  const { told } = await ask(
    streamOf(chatEvents({ content: "x".repeat(400) }) + chatEnd("stop", null).replace("data: [DONE]\n\n", "")),
  );
  assert.equal(told.finish, "stop");
  assert.equal(told.usage?.estimated, true);
  assert.equal(told.usage?.output, 100);
});

test("an error frame inside a 200 after the first token is the error; before it, a retry (C-14)", async () => {
  const frame = `data: {"error":{"message":"overloaded","type":"overloaded_error"}}\n\n`;
  const late = await ask(streamOf(chatEvents({ content: "he" }) + frame));
  assert.deepEqual([late.told.text, late.told.error], ["he", "provider_unavailable"]);
  const early = await ask(
    streamOf(chatEvents({ role: "assistant", content: "" }) + frame),
    streamOf(chatEvents({ content: "hello" }) + chatEnd()),
  );
  assert.deepEqual([early.told.text, early.told.finish, early.seen.length], ["hello", "stop", 2]);
});

test("a garbage frame and a wrong content type are asked again a few times, then an error", async () => {
  const garbage = await ask(streamOf("data: {not json\n\n"));
  assert.deepEqual([garbage.told.error, garbage.seen.length], ["provider_unavailable", 3]);
  const html = await ask((r) => void r.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>"));
  assert.deepEqual([html.told.error, html.seen.length], ["provider_unavailable", 3]);
  assert.match(JSON.stringify(html.told.parts.at(-1)), /text\/html.*Sign in/);
});

test("a compressed answer, though not asked for, is read", async () => {
  const { told, seen } = await ask(
    streamOf(gzipSync(chatEvents({ content: "zip" }) + chatEnd()), [20, 40], "end", {
      ...SSE_HEADERS,
      "content-encoding": "gzip",
    }),
  );
  assert.deepEqual([told.text, told.finish, seen[0]?.headers["accept-encoding"]], ["zip", "stop", "identity"]);
});

test("a server that refuses stream_options is asked once more without it (E-06)", async () => {
  const { told, seen } = await ask(
    status(400, { error: { message: "Unknown parameter: stream_options" } }),
    streamOf(chatEvents({ content: "ok" }) + chatEnd("stop", null)),
  );
  assert.deepEqual([told.text, told.usage?.estimated], ["ok", true]);
  assert.deepEqual(
    seen.map((s) => s.body.includes("stream_options")),
    [true, false],
  );
});

test("the frozen prefix comes first and is the same bytes for tools in any order", async () => {
  await using provider = await ScriptedProvider.start(streamOf(chatEvents({ content: "x" }) + chatEnd()));
  const gateway = gatewayFor(provider.origin);
  for (const tools of [prompt().tools, prompt().tools.toReversed()]) {
    await tell(
      gateway
        .resolve("c/m-1")
        .stream(
          prompt({ tools, messages: [{ role: "user", text: `Go ${tools[0]?.name}` }] }),
          new AbortController().signal,
        ),
    );
  }
  gateway.close();
  const [a, b] = provider.seen.map((s) => s.body.slice(0, s.body.indexOf('{"role":"user"')));
  assert.equal(a, b);
  assert.match(
    a!,
    /^\{"model":"m-1","stream":true,"stream_options":\{"include_usage":true\},"tools":\[.*"name":"read".*"name":"write".*\],"messages":\[\{"role":"system"/,
  );
});
