/** Both wires over real sockets, with the providers' own libraries as readers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { GoogleGenAI } from "@google/genai";
import { NODES } from "@swarm/protocol/nodes";
import OpenAI from "openai";
import { generateCard } from "./card/generate.ts";
import { DEFAULT_SCENARIO, parseScenario, type Scenario } from "./scenario.ts";
import { startSimulator, type Simulator } from "./server.ts";
import { briefOf, framesOf, geminiStep, post, runCard, StandIn, SYSTEM, TOOLS } from "./testing/driver.ts";
import { spawnSim } from "./testing/process.ts";

const NODE = NODES.find((n) => n.id === "041")!;
const BRIEF = briefOf(NODE);
const FAST = 2000;
const PATH = "/v1beta/models/perfect:streamGenerateContent?alt=sse";
const ASK = { contents: [{ role: "user", parts: [{ text: "What is 2 + 2?" }] }] };

async function withSim<T>(
  options: { scenario?: unknown; speed?: number; seed?: number },
  work: (sim: Simulator) => Promise<T>,
): Promise<T> {
  const scenario: Scenario = options.scenario === undefined ? DEFAULT_SCENARIO : parseScenario(options.scenario);
  const sim = await startSimulator({ port: 0, speed: options.speed ?? FAST, seed: options.seed ?? 1, scenario });
  try {
    return await work(sim);
  } finally {
    await sim.close();
  }
}

test("a card runs from brief to handoff on the Gemini wire; calls arrive whole and usage adds up", () =>
  withSim({}, async (sim) => {
    const tools = new StandIn();
    const { steps } = await runCard(() => sim.port, "perfect", BRIEF, tools);
    assert.deepEqual(
      steps.map((s) => s.calls.map((c) => c.name)),
      [["plan_manage"], ["manage_artifact"], ["plan_manage", "handoff"]],
    );
    assert.equal(tools.content, generateCard(NODE));
    for (const [i, step] of steps.entries()) {
      assert.equal(step.finish, "STOP");
      const u = step.usage as Record<string, number>;
      assert.equal(
        u["totalTokenCount"],
        u["promptTokenCount"]! + u["candidatesTokenCount"]! + u["thoughtsTokenCount"]!,
      );
      assert.ok((u["cachedContentTokenCount"] ?? 0) <= u["promptTokenCount"]!);
      assert.equal((u["cachedContentTokenCount"] ?? 0) > 0, i > 0, "the second request reads what the first wrote");
      assert.equal((u["cachedContentTokenCount"] ?? 0) % 128, 0);
    }
    assert.equal(sim.stats().requests, 3);
    assert.equal(sim.stats().open, 0);
    assert.equal(new Set(sim.log().map((e) => e.prefixHash)).size, 1);
  }));

test("the official Google library reads the stream", () =>
  withSim({}, async (sim) => {
    const client = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: `http://127.0.0.1:${sim.port}` } });
    const stream = await client.models.generateContentStream({
      model: "perfect",
      contents: BRIEF,
      config: {
        systemInstruction: SYSTEM,
        tools: [
          {
            functionDeclarations: TOOLS.map((t) => ({
              name: t.name,
              description: t.description,
              parametersJsonSchema: t.parameters,
            })),
          },
        ],
      },
    });
    let text = "";
    const calls: string[] = [];
    for await (const chunk of stream) {
      text += chunk.candidates?.[0]?.content?.parts?.map((p) => p.text ?? "").join("") ?? "";
      for (const call of chunk.functionCalls ?? []) calls.push(`${call.name} ${String(call.args?.["action"])}`);
    }
    assert.match(text, /First the plan/);
    assert.deepEqual(calls, ["plan_manage set"]);
  }));

test("the official OpenAI library reads the stream, arguments come in pieces, usage only when asked for", () =>
  withSim({}, async (sim) => {
    const client = new OpenAI({ apiKey: "any", baseURL: `http://127.0.0.1:${sim.port}/v1`, maxRetries: 0 });
    const tools = TOOLS.filter((t) => t.name === "manage_artifact").map((t) => ({
      type: "function" as const,
      function: { name: t.name, description: t.description, parameters: t.parameters },
    }));
    for (const asked of [true, false]) {
      const stream = await client.chat.completions.create({
        model: "perfect",
        stream: true,
        ...(asked ? { stream_options: { include_usage: true } } : {}),
        messages: [{ role: "user", content: BRIEF }],
        tools,
      });
      let args = "";
      let pieces = 0;
      let usage: OpenAI.CompletionUsage | null | undefined;
      let finish: string | null = null;
      for await (const chunk of stream) {
        const delta = chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments;
        if (delta) {
          args += delta;
          pieces++;
        }
        finish = chunk.choices[0]?.finish_reason ?? finish;
        usage = chunk.usage ?? usage;
      }
      assert.equal(finish, "tool_calls");
      assert.ok(pieces > 1000, `${pieces} pieces`);
      assert.equal((JSON.parse(args) as { content: string }).content, generateCard(NODE));
      assert.equal(usage !== undefined && usage !== null, asked);
    }
  }));

test("equal requests get equal bytes but for the cached count; another seed paces and names otherwise", async () => {
  const once1 = await withSim({}, (sim) => post(sim.port, PATH, ASK));
  const once2 = await withSim({}, (sim) => post(sim.port, PATH, ASK));
  assert.equal(once1.text, once2.text);
  assert.notEqual(once1.text, (await withSim({ seed: 2 }, (sim) => post(sim.port, PATH, ASK))).text);
});

test("a prefix is read from the cache only by requests that begin with the same bytes", () =>
  withSim({}, async (sim) => {
    const cachedOf = async (system: string, brief: string): Promise<number> => {
      const answer = await post(sim.port, PATH, {
        systemInstruction: { parts: [{ text: system }] },
        contents: [{ role: "user", parts: [{ text: brief }] }],
      });
      return Number(
        (framesOf(answer.text).at(-1)!["usageMetadata"] as Record<string, unknown>)["cachedContentTokenCount"] ?? 0,
      );
    };
    assert.equal(await cachedOf(SYSTEM, "What is 1 + 1?"), 0);
    assert.ok((await cachedOf(SYSTEM, "What is 1 + 2?")) >= 1024);
    assert.equal(await cachedOf(`x${SYSTEM}`, "What is 1 + 2?"), 0);
    sim.reset();
    assert.equal(await cachedOf(SYSTEM, "What is 1 + 2?"), 0);
  }));

test("time to first token and token rate follow the scenario", () =>
  withSim(
    { speed: 1, scenario: { timing: { ttftMedianMs: 150, ttftSigma: 0, tokensPerSecond: 400, jitter: 0 } } },
    async (sim) => {
      await post(sim.port, PATH, ASK);
      const [entry] = sim.log();
      const first = entry!.firstTokenAtMs! - entry!.atMs;
      assert.ok(first >= 150, `${first} ms`);
    },
  ));

test("requests that do not stream, bad bodies, unknown models and refused keys get the provider's own error shape", () =>
  withSim({}, async (sim) => {
    const cases: [string, unknown, Record<string, string>, number, RegExp][] = [
      ["/v1beta/models/perfect:generateContent", ASK, {}, 400, /only streams/],
      [
        "/v1/chat/completions",
        { model: "perfect", messages: [{ role: "user", content: "hi" }] },
        {},
        400,
        /only streams/,
      ],
      [PATH, "{broken", {}, 400, /not JSON/],
      [PATH, { contents: [] }, {}, 400, /contents/],
      [PATH, ASK, { "x-goog-api-key": "wrong" }, 401, /API key not valid/],
      ["/v1/chat/completions", {}, { authorization: "Bearer invalid" }, 401, /invalid_api_key/],
      ["/v1beta/models/nobody:streamGenerateContent?alt=sse", ASK, {}, 404, /nobody/],
      ["/elsewhere", {}, {}, 404, /no such route/],
    ];
    for (const [path, body, headers, status, message] of cases) {
      const answer = await post(sim.port, path, body, headers);
      assert.equal(answer.status, status, path);
      assert.match(answer.text, message);
    }
  }));

test("rules strike by ordinal, by share of requests and by window", () =>
  withSim(
    {
      scenario: {
        faults: [
          { from: 1, to: 1, fault: { type: "status", status: 429, retryAfter: 2 } },
          { from: 2, to: 2, fault: { type: "status", status: 529 } },
          { from: 4, share: 1, fault: { type: "status", status: 500 } },
        ],
      },
    },
    async (sim) => {
      const first = await post(sim.port, PATH, ASK);
      assert.equal(first.status, 429);
      assert.equal(first.headers["retry-after"], "2");
      assert.match(first.text, /RetryInfo.*"2s"/);
      assert.equal((await post(sim.port, PATH, ASK)).status, 529);
      assert.equal((await post(sim.port, PATH, ASK)).status, 200);
      assert.equal((await post(sim.port, PATH, ASK)).status, 500);
      assert.equal((await post(sim.port, PATH, ASK)).status, 200, "a retry of the same bytes is not struck again");
      assert.equal(sim.stats().faults, 3);
    },
  ));

test("streams are cut, left without an end, broken or given an error, as the rule says", async () => {
  const faulty = (type: string): Promise<{ text: string } | { error: string }> =>
    withSim({ scenario: { faults: [{ fault: { type, afterEvents: 1 } }] } }, async (sim) => {
      const answer = await post(sim.port, PATH, ASK).catch((error: Error) => ({ error: error.message }));
      assert.equal(sim.stats().open, 0);
      return answer;
    });
  assert.match(JSON.stringify(await faulty("reset")), /"error":"(cut after [1-9]|aborted|.*ECONNRESET)/);
  const cut = await faulty("no_terminal");
  assert.ok("text" in cut && cut.text.includes('"text"') && !cut.text.includes("finishReason"));
  const error = await faulty("error_in_200");
  assert.ok("text" in error && framesOf(error.text).some((f) => "error" in f));
  const garbage = await faulty("garbage_frame");
  assert.ok("text" in garbage && garbage.text.includes('data: {"candidates":[{"con\n'));
});

test("a stalled stream stays open and silent until the client leaves", () =>
  withSim({ scenario: { faults: [{ fault: { type: "stall", afterEvents: 1 } }] } }, async (sim) => {
    const abort = new AbortController();
    const response = await fetch(`http://127.0.0.1:${sim.port}${PATH}`, {
      method: "POST",
      body: JSON.stringify(ASK),
      signal: abort.signal,
    });
    const reader = response.body!.getReader();
    assert.match(new TextDecoder().decode((await reader.read()).value), /"text"/);
    assert.equal(sim.stats().open, 1);
    abort.abort();
    await assert.rejects(reader.read());
    for (let i = 0; i < 100 && sim.stats().open > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(sim.log()[0]!.outcome, "client_gone");
  }));

test("many streams at once all end whole", () =>
  withSim({ speed: 40 }, async (sim) => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        geminiStep(sim.port, "perfect", [{ role: "user", parts: [{ text: briefOf(NODES[i]!) }] }]),
      ),
    );
    assert.ok(answers.every((a) => a.finish === "STOP" && a.calls.length === 1));
    assert.equal(sim.stats().open, 0);
  }));

test("the largest number of responses open at one instant is counted, and a reset keeps those still open", () =>
  withSim({ scenario: { faults: [{ fault: { type: "stall", afterEvents: 0 } }] } }, async (sim) => {
    const waiting = Array.from({ length: 30 }, () => post(sim.port, PATH, ASK).catch(() => "closed"));
    while (sim.stats().open < 30) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(sim.stats().maxOpen, 30);
    sim.reset();
    assert.deepEqual([sim.stats().open, sim.stats().maxOpen, sim.stats().requests], [30, 30, 0]);
    await sim.close();
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(["closed"]));
  }));

test("two processes behind an alternating proxy, killed and restarted between requests, give the same run", async () => {
  const faults = {
    temperaments: {
      faulty: {
        base: "ordinary",
        rates: { invalidPlanJson: 0, invalidArtifactJson: 0, missingHook: 1, externalFont: 0 },
      },
    },
  };
  const folder = mkdtempSync(join(tmpdir(), "modelsim-"));
  try {
    const file = join(folder, "scenario.json");
    writeFileSync(file, JSON.stringify(faults));
    const complain = (content: string): string | undefined =>
      content.includes("defineProperty(globalThis") ? undefined : "hook: __SWARM_ANIMATION_V1__ is not installed";
    const alone = await withSim({ scenario: faults }, (sim) =>
      runCard(() => sim.port, "faulty", BRIEF, new StandIn(complain)),
    );
    const args = ["--speed", String(FAST), "--scenario", file];
    const pair = [await spawnSim(args), await spawnSim(args)];
    try {
      const tools = new StandIn(complain);
      const turns = await runCard(
        async (step) => {
          const side = step % 2;
          if (step >= 2) {
            await pair[side]!.kill();
            pair[side] = await spawnSim(args);
          }
          return pair[side]!.port;
        },
        "faulty",
        BRIEF,
        tools,
      );
      assert.deepEqual(turns.contents, alone.contents);
      assert.deepEqual(
        alone.steps.map((s) => s.calls.map((c) => (c.args as { action?: string }).action ?? c.name)),
        [["set"], ["create"], ["edit"], ["complete", "handoff"]],
      );
      assert.equal(tools.content, generateCard(NODE));
    } finally {
      await Promise.all(pair.map((sim) => sim.kill()));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the process stops at once and cleanly on SIGTERM, even with open streams, and with its parent when told to", async () => {
  await using slow = await spawnSim(["--speed", "0.01"]);
  const open = post(slow.port, PATH, ASK).catch((error: Error) => error);
  while (((await (await fetch(`http://127.0.0.1:${slow.port}/_sim/stats`)).json()) as { open: number }).open === 0);
  await slow.kill("SIGTERM");
  assert.equal(slow.child.exitCode, 0);
  assert.ok((await open) instanceof Error);
  await using orphan = await spawnSim(["--die-with-parent"]);
  const gone = once(orphan.child, "exit");
  orphan.child.stdin!.end();
  assert.deepEqual(await gone, [0, null]);
});

test("a wrong scenario is refused and the message names the member", () => {
  assert.throws(() => parseScenario({ timings: {} }), /unknown member "timings"/);
  assert.throws(() => parseScenario({ faults: [{ fault: { type: "fire" } }] }), /unknown fault type "fire"/);
  assert.throws(
    () => parseScenario({ temperaments: { x: { base: "perfect", rates: { typo: 1 } } } }),
    /unknown rate "typo"/,
  );
  assert.throws(() => parseScenario({ timing: { tokensPerSecond: 0 } }), /tokensPerSecond/);
});
