/**
 * The official libraries as oracles: the same bytes, cut the same way, through theirs and ours. Where they part, the
 * verdict is a named case below.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GoogleGenAI, type Content } from "@google/genai";
import * as fc from "fast-check";
import OpenAI from "openai";
import type { Message } from "@swarm/protocol";
import type { Gateway } from "../gateway.ts";
import { gatewayFor, prompt, SimTime, tell, TOOLS, type Told } from "../testing/harness.ts";
import { ScriptedProvider, streamOf } from "../testing/scripted-provider.ts";

const RUNS = 250;
let provider: ScriptedProvider;
let gateway: Gateway;
let openai: OpenAI;
let google: GoogleGenAI;

before(async () => {
  provider = await ScriptedProvider.start(streamOf(""));
  const time = new SimTime();
  gateway = gatewayFor(provider.origin, { clock: time.clock, sleep: async (ms) => time.advance(ms) });
  openai = new OpenAI({ apiKey: "k", baseURL: `${provider.origin}/v1`, maxRetries: 0, logLevel: "off" });
  google = new GoogleGenAI({ apiKey: "k", apiVersion: "v1beta", httpOptions: { baseUrl: provider.origin } });
});
after(async () => {
  gateway.close();
  await provider[Symbol.asyncDispose]();
});

interface Seen {
  text: string;
  calls: { name: string; args: unknown }[];
  finish: string | undefined;
  counts: (number | undefined)[] | undefined;
  failed: boolean;
}

function ourSeen(told: Told, counts: (usage: NonNullable<Told["usage"]>) => (number | undefined)[]): Seen {
  const finish = told.parts.at(-1);
  return {
    text: told.text,
    calls: told.calls.map((c) => ({ name: c.name, args: c.args })),
    finish: finish?.type === "finish" ? finish.raw : undefined,
    counts: told.usage && !told.usage.estimated ? counts(told.usage) : undefined,
    failed: told.error !== "",
  };
}

async function chatOracle(): Promise<Seen> {
  const seen: Seen = { text: "", calls: [], finish: undefined, counts: undefined, failed: false };
  const calls = new Map<number, { name: string; args: string }>();
  try {
    const stream = await openai.chat.completions.create({
      model: "m",
      messages: [{ role: "user", content: "x" }],
      stream: true,
    });
    for await (const chunk of stream) {
      const choice = chunk.choices?.[0];
      seen.text += choice?.delta?.content ?? "";
      for (const piece of choice?.delta?.tool_calls ?? []) {
        const call = calls.get(piece.index) ?? { name: "", args: "" };
        calls.set(piece.index, {
          name: piece.function?.name ?? call.name,
          args: call.args + (piece.function?.arguments ?? ""),
        });
      }
      seen.finish ??= choice?.finish_reason ?? undefined;
      const { usage } = chunk;
      if (usage)
        seen.counts = [
          usage.prompt_tokens,
          usage.prompt_tokens_details?.cached_tokens ?? 0,
          usage.completion_tokens,
          usage.completion_tokens_details?.reasoning_tokens ?? 0,
        ];
    }
  } catch {
    seen.failed = true;
  }
  seen.calls = [...calls.values()];
  return seen;
}

async function geminiOracle(): Promise<Seen> {
  const seen: Seen = { text: "", calls: [], finish: undefined, counts: undefined, failed: false };
  try {
    for await (const chunk of await google.models.generateContentStream({ model: "gemini-x", contents: "x" })) {
      const candidate = chunk.candidates?.[0];
      for (const part of candidate?.content?.parts ?? []) {
        if (part.functionCall)
          seen.calls.push({ name: part.functionCall.name ?? "", args: JSON.stringify(part.functionCall.args ?? {}) });
        else if (!part.thought) seen.text += part.text ?? "";
      }
      seen.finish ??= candidate?.finishReason;
      const u = chunk.usageMetadata;
      if (u)
        seen.counts = [
          u.promptTokenCount ?? 0,
          u.cachedContentTokenCount ?? 0,
          (u.candidatesTokenCount ?? 0) + (u.thoughtsTokenCount ?? 0),
          u.thoughtsTokenCount ?? 0,
        ];
    }
  } catch {
    seen.failed = true;
  }
  return seen;
}

async function ourChat(): Promise<Seen> {
  return ourSeen(await tell(gateway.resolve("c/m").stream(prompt(), AbortSignal.timeout(20_000))), (u) => [
    u.input,
    u.cached,
    u.output,
    u.reasoning,
  ]);
}
async function ourGemini(): Promise<Seen> {
  return ourSeen(await tell(gateway.resolve("g/gemini-x").stream(prompt(), AbortSignal.timeout(20_000))), (u) => [
    u.input,
    u.cached,
    u.output,
    u.reasoning,
  ]);
}

/**
 * A stream that failed or never finished is no answer on either side; an answer must be the same in everything.
 * Verdict "cut after the finish reason": both libraries throw when the body ends inside an event; ours keeps the answer,
 * which is whole, and only loses what the cut event held (usage, then estimated).
 * Verdict "unfinished calls": where a limit or a filter ended the answer, calls whose arguments are no JSON object are
 * not ended by ours; nor is a call without a name ever.
 */
function assertSame(theirs: Seen, ours: Seen, mutation: string): void {
  const answer = theirs.finish !== undefined && (!theirs.failed || mutation === "truncate");
  assert.equal(!ours.failed, answer, `theirs ${JSON.stringify(theirs)} ours ${JSON.stringify(ours)}`);
  if (!answer) return;
  const normal = theirs.finish === "stop" || theirs.finish === "tool_calls" || theirs.finish === "STOP";
  const calls = theirs.calls.filter((call) => call.name !== "" && (normal || isObjectText(String(call.args))));
  assert.deepEqual(ours, { ...theirs, calls, failed: false });
}

function isObjectText(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object" && text.trimEnd().endsWith("}");
  } catch {
    return false;
  }
}

const piece = fc.string({
  unit: fc.constantFrom("a", "b", " ", '"', "\\", "\n", "{", "}", "é", "漢", "😀", "\u2028", "<", "\t"),
  maxLength: 10,
});
const mutation = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ kind: "none" as const, at: 0 }) },
  fc.record({
    kind: fc.constantFrom(
      "truncate" as const,
      "garbage" as const,
      "error" as const,
      "drop" as const,
      "double" as const,
      "badByte" as const,
    ),
    at: fc.nat(),
  }),
);
const counts = fc.record({ input: fc.nat(5000), cached: fc.nat(300), output: fc.nat(900), reasoning: fc.nat(100) });
const cuts = fc.array(fc.nat(), { maxLength: 8 });

function mutate(events: readonly string[], m: { kind: string; at: number }): { bytes: Buffer; kind: string } {
  const list = [...events];
  const at = m.at % (list.length + 1);
  if (m.kind === "garbage") list.splice(at, 0, `data: {"choices":[{"del\n\n`);
  if (m.kind === "error")
    list.splice(at, 0, `data: {"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}\n\n`);
  if (m.kind === "drop") list.splice(at, 1);
  if (m.kind === "double") list.splice(at, 0, list[at] ?? "");
  const bytes = Buffer.from(list.join(""));
  if (m.kind === "truncate") return { bytes: bytes.subarray(0, m.at % (bytes.length + 1)), kind: m.kind };
  if (m.kind === "badByte") {
    const wide = [...bytes.keys()].filter((i) => bytes[i]! >= 0x80);
    if (wide.length > 0) bytes[wide[m.at % wide.length]!] = 0xff;
  }
  return { bytes, kind: m.kind };
}

const chatStream = fc
  .record({
    texts: fc.array(piece, { maxLength: 6 }),
    calls: fc.array(fc.array(piece, { minLength: 1, maxLength: 5 }), { maxLength: 3 }),
    interleave: fc.boolean(),
    finish: fc.constantFrom("stop", "tool_calls", "length", "content_filter"),
    counts: fc.option(counts),
    done: fc.boolean(),
    eol: fc.constantFrom("\n", "\n", "\r\n", "\r"),
    space: fc.constantFrom(" ", ""),
    comments: fc.boolean(),
    m: mutation,
  })
  .map((s) => {
    const chunk = (delta: unknown, finish: string | null = null): unknown => ({
      id: "c",
      model: "m-1",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const pieces = s.calls.flatMap((parts, index) => [
      {
        order: 0,
        delta: { index, id: `id${index}`, type: "function", function: { name: `tool${index}`, arguments: "" } },
      },
      ...parts.map((p, i) => ({ order: i + 1, delta: { index, function: { arguments: p } } })),
    ]);
    if (s.interleave) pieces.sort((a, b) => a.order - b.order);
    const u = s.counts;
    const chunks = [
      chunk({ role: "assistant", content: "" }),
      ...s.texts.map((content) => chunk({ content })),
      ...pieces.map(({ delta }) => chunk({ tool_calls: [delta] })),
      chunk({}, s.finish),
      ...(u
        ? [
            {
              id: "c",
              model: "m-1",
              choices: [],
              usage: {
                prompt_tokens: u.input + u.cached,
                completion_tokens: u.output + u.reasoning,
                total_tokens: u.input + u.cached + u.output + u.reasoning,
                prompt_tokens_details: { cached_tokens: u.cached },
                completion_tokens_details: { reasoning_tokens: u.reasoning },
              },
            },
          ]
        : []),
    ];
    const events = chunks.map((c) => `data:${s.space}${JSON.stringify(c)}${s.eol}${s.eol}`);
    if (s.done) events.push(`data:${s.space}[DONE]${s.eol}${s.eol}`);
    if (s.comments) events.splice(1, 0, `: keep-alive${s.eol}${s.eol}`);
    return mutate(events, s.m);
  });

test(`chat streams, mutated and cut anywhere, read as the openai library reads them (${RUNS} streams)`, async () => {
  await fc.assert(
    fc.asyncProperty(chatStream, cuts, async ({ bytes, kind }, cutsAt) => {
      provider.script(streamOf(bytes, cutsAt));
      const [theirs, ours] = await Promise.all([chatOracle(), ourChat()]);
      assertSame(theirs, ours, kind);
    }),
    { numRuns: RUNS },
  );
});

const geminiStream = fc
  .record({
    parts: fc.array(
      fc.oneof(
        piece.map((text) => ({ text })),
        piece.map((text) => ({ text, thought: true })),
        fc
          .dictionary(piece, fc.oneof(piece, fc.integer(), fc.boolean(), fc.constant(null)), { maxKeys: 3 })
          .map((args) => ({ functionCall: { name: "tool", args }, thoughtSignature: "U2ln" })),
      ),
      { maxLength: 6 },
    ),
    finish: fc.constantFrom("STOP", "STOP", "MAX_TOKENS", "SAFETY"),
    counts: fc.option(counts),
    eol: fc.constantFrom("\n", "\r\n"),
    m: mutation,
  })
  .map((s) => {
    const u = s.counts;
    const chunks: unknown[] = s.parts.map((part) => ({
      candidates: [{ content: { parts: [part], role: "model" }, index: 0 }],
      modelVersion: "gemini-x",
    }));
    chunks.push({
      candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason: s.finish, index: 0 }],
      ...(u
        ? {
            usageMetadata: {
              promptTokenCount: u.input + u.cached,
              cachedContentTokenCount: u.cached,
              candidatesTokenCount: u.output,
              thoughtsTokenCount: u.reasoning,
            },
          }
        : {}),
    });
    return mutate(
      chunks.map((c) => `data: ${JSON.stringify(c)}${s.eol}${s.eol}`),
      s.m,
    );
  });

test(`gemini streams, mutated and cut anywhere, read as the @google/genai library reads them (${RUNS} streams)`, async () => {
  await fc.assert(
    fc.asyncProperty(geminiStream, cuts, async ({ bytes, kind }, cutsAt) => {
      provider.script(streamOf(bytes, cutsAt));
      const [theirs, ours] = await Promise.all([geminiOracle(), ourGemini()]);
      assertSame(theirs, ours, kind);
    }),
    { numRuns: RUNS },
  );
});

const HISTORY: readonly Message[] = [
  { role: "user", text: "Build it." },
  {
    role: "assistant",
    text: "Two calls.",
    calls: [
      { id: "a1", name: "read", args: '{"path":"x"}', signature: "gemini:U2ln" },
      { id: "a2", name: "write", args: '{"path":"y","text":"\\u00e9"}' },
    ],
  },
  { role: "tool", callId: "a1", name: "read", output: "content", isError: false },
  { role: "tool", callId: "a2", name: "write", output: "denied", isError: true },
  { role: "user", text: "Go on." },
];

test("the same prompt through the openai library and ours is an equivalent request", async () => {
  provider.script(streamOf(""));
  provider.seen.length = 0;
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "You build." },
    { role: "user", content: "Build it." },
    {
      role: "assistant",
      content: "Two calls.",
      tool_calls: [
        { id: "a1", type: "function", function: { name: "read", arguments: '{"path":"x"}' } },
        { id: "a2", type: "function", function: { name: "write", arguments: '{"path":"y","text":"\\u00e9"}' } },
      ],
    },
    { role: "tool", tool_call_id: "a1", content: "content" },
    { role: "tool", tool_call_id: "a2", content: "denied" },
    { role: "user", content: "Go on." },
  ];
  const tools = TOOLS.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((t): OpenAI.ChatCompletionTool => ({
    type: "function",
    function: { name: t.name, description: t.description, parameters: { ...t.parameters } },
  }));
  for await (const _ of await openai.chat.completions.create({
    model: "m",
    messages,
    tools,
    max_tokens: 99,
    stream: true,
    stream_options: { include_usage: true },
  }));
  const theirs = provider.seen[0]!;
  await tell(
    gateway.resolve("c/m").stream(prompt({ messages: HISTORY, maxOutputTokens: 99 }), new AbortController().signal),
  );
  const ours = provider.seen[1]!;
  assert.deepEqual(JSON.parse(ours.body), JSON.parse(theirs.body));
  assert.equal(ours.url, theirs.url);
});

test("the same prompt through the @google/genai library and ours is an equivalent request", async () => {
  provider.script(streamOf(""));
  provider.seen.length = 0;
  const contents: Content[] = [
    { role: "user", parts: [{ text: "Build it." }] },
    {
      role: "model",
      parts: [
        { text: "Two calls." },
        { functionCall: { id: "a1", name: "read", args: { path: "x" } }, thoughtSignature: "U2ln" },
        { functionCall: { id: "a2", name: "write", args: { path: "y", text: "é" } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "a1", name: "read", response: { output: "content" } } },
        { functionResponse: { id: "a2", name: "write", response: { error: "denied" } } },
        { text: "Go on." },
      ],
    },
  ];
  const functionDeclarations = TOOLS.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((t) => ({
    name: t.name,
    description: t.description,
    parametersJsonSchema: t.parameters,
  }));
  for await (const _ of await google.models.generateContentStream({
    model: "gemini-3.6-flash",
    contents,
    config: { systemInstruction: "You build.", tools: [{ functionDeclarations }], maxOutputTokens: 99 },
  }));
  const theirs = provider.seen[0]!;
  await tell(
    gateway
      .resolve("g/gemini-3.6-flash")
      .stream(prompt({ messages: HISTORY, maxOutputTokens: 99 }), new AbortController().signal),
  );
  const ours = provider.seen[1]!;
  assert.deepEqual(JSON.parse(ours.body), JSON.parse(theirs.body));
  assert.equal(ours.url, theirs.url);
});
