import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayFor, prompt, SimTime, tell } from "../../testing/harness.ts";
import { geminiEvent, ScriptedProvider, status, streamOf, type Answer } from "../../testing/scripted-provider.ts";

async function ask(...answers: Answer[]) {
  await using provider = await ScriptedProvider.start(...answers);
  const time = new SimTime();
  const gateway = gatewayFor(provider.origin, { clock: time.clock, sleep: async (ms) => time.advance(ms) });
  try {
    const told = await tell(gateway.resolve("g/gemini-3.6-flash").stream(prompt(), new AbortController().signal));
    return { told, seen: provider.seen, waited: time.clock.monotonic() };
  } finally {
    gateway.close();
  }
}

const STOP = { finishReason: "STOP" };

test("thoughts are reasoning and are counted into the output (E-03)", async () => {
  const usageMetadata = {
    promptTokenCount: 4,
    candidatesTokenCount: 2,
    thoughtsTokenCount: 1,
    totalTokenCount: 7,
    cachedContentTokenCount: 3,
  };
  const { told, seen } = await ask(
    streamOf(
      geminiEvent([{ text: "hm", thought: true }]) +
        geminiEvent([{ text: "Hel" }]) +
        geminiEvent([{ text: "lo" }], { usageMetadata }, STOP),
    ),
  );
  assert.deepEqual([told.text, told.reasoning, told.finish], ["Hello", "hm", "stop"]);
  const { raw: _raw, ...counts } = told.usage!;
  assert.deepEqual(counts, { input: 4, cached: 3, cacheWrite: 0, output: 3, reasoning: 1, estimated: false });
  assert.equal(seen[0]?.url, "/v1beta/models/gemini-3.6-flash:streamGenerateContent?alt=sse");
});

test("calls keep their signatures, get ids when they have none, and the signatures go back with their parts (D-18)", async () => {
  const { told } = await ask(
    streamOf(
      geminiEvent([
        { text: "Now." },
        { functionCall: { name: "read", args: { path: "1" } }, thoughtSignature: "U2ln" },
      ]) +
        geminiEvent([{ functionCall: { id: "theirs", name: "read", args: { path: "2" } } }]) +
        geminiEvent([{ text: "", thoughtSignature: "VGV4dA==" }], {}, STOP),
    ),
  );
  assert.equal(told.finish, "tool_calls");
  assert.deepEqual(
    told.calls.map((c) => c.args),
    ['{"path":"1"}', '{"path":"2"}'],
  );
  assert.match(told.calls[0]!.id, /^call_[0-9a-z]{12}$/);
  assert.equal(told.calls[1]?.id, "theirs");
  const end = told.parts.at(-1)!;
  assert.equal(end.type, "finish");

  await using provider = await ScriptedProvider.start(streamOf(geminiEvent([{ text: "ok" }], {}, STOP)));
  const gateway = gatewayFor(provider.origin);
  const signature = end.type === "finish" ? end.signature : undefined;
  const assistant = {
    role: "assistant" as const,
    text: told.text,
    calls: told.calls,
    ...(signature === undefined ? {} : { signature }),
  };
  const foreign = {
    role: "assistant" as const,
    text: "",
    calls: [{ id: "x", name: "read", args: "{}", signature: "other:abc" }],
  };
  await tell(
    gateway
      .resolve("g/gemini-3.6-flash")
      .stream(prompt({ messages: [{ role: "user", text: "Go" }, assistant, foreign] }), new AbortController().signal),
  );
  gateway.close();
  const { contents } = JSON.parse(provider.seen[0]!.body) as {
    contents: { role: string; parts: Record<string, unknown>[] }[];
  };
  assert.deepEqual(
    contents[1]?.parts.map((p) => p["thoughtSignature"]),
    ["VGV4dA==", "U2ln", undefined],
  );
  assert.deepEqual(
    contents[3]?.parts.map((p) => p["thoughtSignature"]),
    ["skip_thought_signature_validator"],
  );
});

test("a stream without a finish reason is cut: an error, and its whole calls do not end either", async () => {
  const { told } = await ask(streamOf(geminiEvent([{ functionCall: { name: "read", args: {} } }])));
  assert.deepEqual([told.error, told.calls.length], ["provider_unavailable", 0]);
});

test("a refused prompt and a filtered answer finish as content_filter, a malformed call as other, with the raw word", async () => {
  const blocked = await ask(
    streamOf(
      `data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9}}\n\n`,
    ),
  );
  assert.equal(blocked.told.finish, "content_filter");
  const safety = await ask(streamOf(geminiEvent([{ text: "a" }], {}, { finishReason: "SAFETY" })));
  assert.equal(safety.told.finish, "content_filter");
  const malformed = await ask(streamOf(geminiEvent([], {}, { finishReason: "MALFORMED_FUNCTION_CALL" })));
  assert.deepEqual(
    [malformed.told.finish, (malformed.told.parts.at(-1) as { raw: string }).raw],
    ["other", "MALFORMED_FUNCTION_CALL"],
  );
});

test("RetryInfo is obeyed; a day's quota stops at once (C-04)", async () => {
  const ok = streamOf(geminiEvent([{ text: "ok" }], {}, STOP));
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17.5s" }];
  const minute = await ask(
    status(429, [{ error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "slow down", details } }]),
    ok,
  );
  assert.equal(minute.told.text, "ok");
  assert.ok(minute.waited >= 17_500 && minute.waited <= 17_500 * 1.25 + 1, `${minute.waited}`);
  const quota = [
    {
      "@type": "type.googleapis.com/google.rpc.QuotaFailure",
      violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier", quotaValue: "250" }],
    },
  ];
  const day = await ask(
    status(429, {
      error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "quota", details: [...quota, ...details] },
    }),
    ok,
  );
  assert.deepEqual([day.told.error, day.seen.length, day.waited], ["provider_quota", 1, 0]);
});

test("an error object inside the stream means what its status means", async () => {
  const frame = `data: {"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}\r\n\r\n`;
  const { told, seen } = await ask(streamOf(frame), streamOf(geminiEvent([{ text: "ok" }], {}, STOP)));
  assert.deepEqual([told.text, seen.length], ["ok", 2]);
});
