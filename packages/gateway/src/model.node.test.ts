import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { StreamPart } from "@swarm/protocol/ports";
import { gatewayFor, prompt, SimTime, tell } from "./testing/harness.ts";
import { chatEnd, chatEvents, ScriptedProvider, SSE_HEADERS, status, streamOf } from "./testing/scripted-provider.ts";

const OK = streamOf(chatEvents({ content: "hello" }) + chatEnd());
const forever = (): AbortSignal => new AbortController().signal;

/** Simulated time that passes by itself whenever someone sleeps. */
function flowing(time: SimTime) {
  return { clock: time.clock, sleep: async (ms: number) => time.advance(ms) };
}

test("502s with ordinary headers: no wait over 60 s, a bounded number of attempts, then an error that says so (C-01)", async () => {
  await using provider = await ScriptedProvider.start(status(502, "bad gateway"));
  const time = new SimTime();
  const waits: number[] = [];
  const gateway = gatewayFor(provider.origin, {
    clock: time.clock,
    sleep: async (ms) => {
      waits.push(ms);
      time.advance(ms);
    },
  });
  const told = await tell(gateway.resolve("c/m").stream(prompt(), forever()));
  gateway.close();
  assert.equal(told.error, "provider_unavailable");
  assert.ok(waits.length > 3 && waits.every((ms) => ms > 0 && ms <= 60_000));
  assert.equal(provider.seen.length, waits.length + 1);
  assert.equal(gateway.stats().attempts, provider.seen.length);
});

test("a wall of 529 for ten minutes is waited out, each wait shown with its end (C-05)", async () => {
  await using provider = await ScriptedProvider.start(OK);
  const time = new SimTime();
  provider.script((response, seen) =>
    time.clock.monotonic() < 600_000 ? status(529, "overloaded")(response, seen) : OK(response, seen),
  );
  const gateway = gatewayFor(provider.origin, flowing(time));
  const told = await tell(gateway.resolve("c/m").stream(prompt(), forever()));
  gateway.close();
  assert.equal(told.text, "hello");
  const waiting = told.parts.filter((p) => p.type === "waiting");
  assert.ok(
    waiting.length > 8 &&
      waiting.every((p) => p.reason === "overloaded" && p.untilMs > 1_700_000_000_000 && p.untilMs < 1_700_000_700_000),
  );
});

test("an overload that outlasts the budget of 20 minutes ends as an error", async () => {
  await using provider = await ScriptedProvider.start(status(503, "overloaded"));
  const time = new SimTime();
  const gateway = gatewayFor(provider.origin, flowing(time));
  const told = await tell(gateway.resolve("c/m").stream(prompt(), forever()));
  gateway.close();
  assert.equal(told.error, "provider_unavailable");
  assert.ok(time.clock.monotonic() > 19 * 60_000 && time.clock.monotonic() < 23 * 60_000, `${time.clock.monotonic()}`);
});

test("a stated wait of an hour is handed over at once with what was asked; other requests of the gate too (C-02)", async () => {
  await using provider = await ScriptedProvider.start(status(429, "slow", { "retry-after": "3600" }));
  const time = new SimTime();
  const gateway = gatewayFor(provider.origin, flowing(time));
  for (let i = 0; i < 2; i++) {
    const told = await tell(gateway.resolve("c/m").stream(prompt(), forever()));
    assert.equal(told.error, "provider_rate_limited");
    assert.match((told.parts.at(-1) as { message: string }).message, /asks to wait 36\d\d s/);
  }
  gateway.close();
  assert.deepEqual([provider.seen.length, time.clock.monotonic()], [1, 0]);
});

test("100 sessions told to wait 20 s come back spread over 4 s, none early, and the limit is not hit again (C-07)", async () => {
  await using provider = await ScriptedProvider.start(OK);
  const time = new SimTime();
  const arrivals: number[] = [];
  provider.script((response, seen) => {
    arrivals.push(time.clock.monotonic());
    return arrivals.length <= 100 ? status(429, "slow", { "retry-after": "20" })(response, seen) : OK(response, seen);
  });
  const gateway = gatewayFor(provider.origin, { clock: time.clock, sleep: time.sleep });
  const runs = Promise.all(Array.from({ length: 100 }, () => tell(gateway.resolve("c/m").stream(prompt(), forever()))));
  while (arrivals.length < 100 || time.sleeping < 100) await wait(2);
  for (let done = 0; done < 100; done++) {
    time.step();
    while (arrivals.length < 101 + done) await wait(0);
  }
  const told = await runs;
  gateway.close();
  const back = arrivals.slice(100);
  assert.ok(told.every((t) => t.text === "hello"));
  assert.equal(back.length, 100);
  assert.ok(Math.min(...back) >= 20_000, `${Math.min(...back)}`);
  assert.ok(Math.max(...back) <= 25_001 && Math.max(...back) - Math.min(...back) >= 4000);
});

test("a limit on one model does not delay another (C-09)", async () => {
  await using provider = await ScriptedProvider.start(OK);
  provider.script((response, seen) =>
    seen.body.includes('"model":"x"')
      ? status(429, "slow", { "retry-after": "900" })(response, seen)
      : OK(response, seen),
  );
  const time = new SimTime();
  const gateway = gatewayFor(provider.origin, { clock: time.clock, sleep: time.sleep });
  const stop = new AbortController();
  const limited = tell(gateway.resolve("c/x").stream(prompt(), stop.signal)).catch((e: unknown) => e);
  while (time.sleeping === 0) await wait(1);
  assert.equal((await tell(gateway.resolve("c/y").stream(prompt(), forever()))).text, "hello");
  const reason = new Error("stop");
  stop.abort(reason);
  assert.equal(await limited, reason);
  gateway.close();
});

test("quota, a refused key and a refused request stop at once and tell which it was; the key is never repeated", async () => {
  await using provider = await ScriptedProvider.start(
    status(429, { error: { message: "You exceeded your current quota", code: "insufficient_quota" } }),
    status(401, { error: { message: "Incorrect API key provided: sk-secret-1" } }),
    status(400, { error: { message: "bad schema" } }),
  );
  const gateway = gatewayFor(provider.origin, { env: { KEY: "sk-secret-1" } }, { keyEnv: "KEY" });
  const codes: string[] = [];
  for (let i = 0; i < 3; i++) {
    const told = await tell(gateway.resolve("c/m").stream(prompt(), forever()));
    codes.push(told.error);
    assert.ok(!JSON.stringify(told.parts).includes("sk-secret-1"));
  }
  gateway.close();
  assert.deepEqual([codes, provider.seen.length], [["provider_quota", "provider_auth", "provider_refused"], 3]);
  assert.equal(provider.seen[0]?.headers.authorization, "Bearer sk-secret-1");
});

test("abort frees the socket and throws the signal's reason: in the stream, before headers, in a wait", async () => {
  await using provider = await ScriptedProvider.start(
    (r) => void r.writeHead(200, SSE_HEADERS).write(chatEvents({ content: "he" })),
    () => {},
    status(503, ""),
  );
  const gateway = gatewayFor(provider.origin);
  for (let i = 0; i < 3; i++) {
    const stop = new AbortController();
    const reason = new Error(`stop ${i}`);
    const started = performance.now();
    const run = (async () => {
      for await (const batch of gateway.resolve("c/m").stream(prompt(), stop.signal))
        if (i === 0 || batch[0]?.type === "waiting") setImmediate(() => stop.abort(reason));
    })();
    if (i === 1) setTimeout(() => stop.abort(reason), 30);
    await assert.rejects(run, (e) => e === reason);
    assert.ok(performance.now() - started < 1000);
    while (provider.open > 0) await wait(1);
  }
  assert.deepEqual([gateway.stats().open, gateway.stats().waiting, gateway.stats().aborted], [0, 0, 3]);
  gateway.close();
});

test("a consumer that stops reading frees the socket", async () => {
  await using provider = await ScriptedProvider.start(
    (r) => void r.writeHead(200, SSE_HEADERS).write(chatEvents({ content: "he" })),
  );
  const gateway = gatewayFor(provider.origin);
  for await (const _ of gateway.resolve("c/m").stream(prompt(), forever())) break;
  while (provider.open > 0) await wait(1);
  assert.equal(gateway.stats().open, 0);
  gateway.close();
});

test("silence: no headers, silence in the middle, keep-alive bytes only; each limit is named (C-10, C-18)", async () => {
  const beat = (r: import("node:http").ServerResponse): void => {
    r.writeHead(200, SSE_HEADERS);
    const timer = setInterval(() => r.write(": ping\n\n"), 10);
    r.on("close", () => clearInterval(timer));
  };
  await using provider = await ScriptedProvider.start(() => {});
  const time = new SimTime();
  const limits = { firstTokenMs: 900, idleMs: 700, stuckMs: 2500 }; // far apart and long, for a busy machine
  const gateway = gatewayFor(provider.origin, { sleep: async (ms) => time.advance(ms) }, { limits });
  const message = async (): Promise<[number, string]> => {
    const before = provider.seen.length;
    const told = await tell(gateway.resolve("c/m").stream(prompt(), forever()));
    return [provider.seen.length - before, (told.parts.at(-1) as { message: string }).message];
  };
  assert.match((await message()).join(" "), /^3 .*first-token limit/);
  provider.script((r) => void r.writeHead(200, SSE_HEADERS).write(chatEvents({ content: "1" }, { content: "2" })));
  assert.match((await message()).join(" "), /^1 .*idle limit/);
  provider.script(beat);
  assert.match((await message()).join(" "), /^3 .*only keep-alive bytes/);
  while (provider.open > 0) await wait(1);
  gateway.close();
});

test("sockets are kept and used again; one that the server closed while idle costs a fresh one, not a failure (C-19)", async () => {
  await using provider = await ScriptedProvider.start(OK);
  const ports = new Set<number>();
  provider.script((response, seen) => {
    ports.add(response.socket?.remotePort ?? 0);
    return OK(response, seen);
  });
  const gateway = gatewayFor(provider.origin);
  for (let i = 0; i < 5; i++)
    assert.equal((await tell(gateway.resolve("c/m").stream(prompt(), forever()))).text, "hello");
  assert.equal(ports.size, 1);
  provider.script(
    (response) => void response.socket?.destroy(),
    (response, seen) => OK(response, seen),
  );
  const told = await tell(gateway.resolve("c/m").stream(prompt(), forever()));
  assert.deepEqual([told.text, told.parts.filter((p) => p.type === "waiting").length], ["hello", 0]);
  gateway.close();
});

test("nobody listens: waits on the network for its budget, then an error with the cause", async () => {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const time = new SimTime();
  const gateway = gatewayFor(`http://127.0.0.1:${port}`, flowing(time));
  const told = await tell(gateway.resolve("c/m").stream(prompt(), forever()));
  gateway.close();
  assert.equal(told.error, "provider_unavailable");
  assert.match((told.parts.at(-1) as { message: string }).message, /ECONNREFUSED/);
  assert.ok(time.clock.monotonic() > 60_000 && time.clock.monotonic() < 200_000);
});

test("a provider's concurrency is kept, waiting for a place is shown, and the place comes free with the stream", async () => {
  await using provider = await ScriptedProvider.start(OK);
  let open = 0;
  let most = 0;
  provider.script(async (response, seen) => {
    most = Math.max(most, ++open);
    response.on("close", () => open--);
    await wait(5);
    await OK(response, seen);
  });
  const gateway = gatewayFor(provider.origin, {}, { concurrency: 2 });
  const told = await Promise.all(
    Array.from({ length: 8 }, () => tell(gateway.resolve("c/m").stream(prompt(), forever()))),
  );
  gateway.close();
  assert.ok(told.every((t) => t.text === "hello"));
  assert.ok(most <= 2);
  assert.equal(
    told
      .flatMap((t) => t.parts)
      .filter((p): p is Extract<StreamPart, { type: "waiting" }> => p.type === "waiting" && p.reason === "concurrency")
      .length,
    6,
  );
});
