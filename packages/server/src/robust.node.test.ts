/** What a client without a token, or a page of another origin, must not be able to do to the process itself. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect, createServer as createTcpServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { AppError, silentLogger } from "@swarm/std";
import { WebSocket } from "ws";
import { FailureLimit, Gatekeeper } from "./guard.ts";
import { startServer } from "./index.ts";
import { RefusalLog } from "./refusals.ts";
import { attachStream } from "./stream.ts";
import { fixture, TOKEN } from "./testing/fixture.ts";

const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
const JSON_BODY = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

/** Sends bytes as they are and reads until the server closes. */
function raw(base: string, lines: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(new URL(base).port), "127.0.0.1", () => socket.write(lines));
    socket.setEncoding("utf8").on("data", (part: string) => (text += part));
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

test("a request line that is no address is answered on every listener, upgrade or not, and the server lives", async () => {
  await using f = await fixture();
  for (const base of Object.values(f.server.addresses)) {
    for (const target of [
      "//",
      "///",
      "//[",
      "*",
      "http://evil.example/v1/status",
      "/%",
      "/v1/sessions/%ff",
      `/v1/sessions/${"x".repeat(600)}`,
    ]) {
      for (const headers of ["Connection: close\r\n", UPGRADE]) {
        // the artifacts' listener knows no upgrade and keeps the connection, as for any request
        if (headers === UPGRADE && base === f.server.addresses.artifacts) continue;
        const answer = await raw(base, `GET ${target} HTTP/1.1\r\nHost: ${new URL(base).host}\r\n${headers}\r\n`);
        assert.match(answer, /^HTTP\/1\.1 (4\d\d|503) /, `${target} ${headers}`);
      }
    }
  }
  assert.deepEqual(f.called, []);
});

test("a client that resets its connection during a refused upgrade does not end the process", async () => {
  await using f = await fixture();
  const { port } = new URL(f.server.addresses.desktop);
  for (let i = 0; i < 30; i++) {
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(`GET /v1/stream HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n`);
    await new Promise((resolve) => setImmediate(resolve));
    socket.resetAndDestroy();
    await once(socket, "close");
  }
  assert.equal((await fetch(`${f.server.addresses.api}/health`)).status, 200);
});

test("a body over the limit gets its 413 although the client is still sending, with and without a declared length", async () => {
  await using f = await fixture();
  const part = Buffer.alloc(1024 * 1024, 120);
  for (const length of [undefined, 24 * part.length]) {
    const answer = await new Promise<{ status: number; connection: string | undefined; text: string }>(
      (resolve, reject) => {
        const headers = { ...JSON_BODY, ...(length === undefined ? {} : { "content-length": length }) };
        const outgoing = request(`${f.server.addresses.api}/v1/sessions`, { method: "POST", headers }, (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (t: string) => (text += t));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, connection: response.headers.connection, text }),
          );
        });
        outgoing.on("error", reject);
        for (let i = 0; i < 24; i++) outgoing.write(part);
        outgoing.end();
      },
    );
    assert.deepEqual([answer.status, answer.connection], [413, "close"]);
    assert.match(answer.text, /8 MiB/);
  }
});

test("without a token only a short body is read", async () => {
  await using f = await fixture();
  const answer = await fetch(`${f.server.addresses.api}/v1/auth/exchange`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: "x".repeat(5000) }),
  });
  assert.equal(answer.status, 413);
  assert.match(await answer.text(), /4 KiB/);
});

test("wrong login codes and stream tickets count as wrong tokens; the right code is taken all the same", async () => {
  await using f = await fixture();
  const exchange = (code: string): Promise<Response> =>
    fetch(`${f.server.addresses.desktop}/v1/auth/exchange`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
  let last = await exchange("guess");
  for (let i = 0; i < 20; i++) last = await exchange("guess");
  assert.equal(last.status, 429);
  assert.match(last.headers.get("retry-after") ?? "", /^\d+$/);
  const socket = new WebSocket(`${f.server.addresses.api.replace("http", "ws")}/v1/stream`, ["swarm.v1", "guess"]);
  const [, response] = (await once(
    socket.on("error", () => {}),
    "unexpected-response",
  )) as [unknown, { statusCode: number; headers: NodeJS.Dict<string> }];
  assert.equal(response.statusCode, 429);
  socket.terminate();
  assert.equal((await exchange("code1")).status, 200);
});

test("localhost leads to this listener's own port only, with its query; no Host makes another address of it", async () => {
  await using f = await fixture();
  const { desktop } = f.server.addresses;
  const moved = async (host: string): Promise<string> =>
    raw(desktop, `GET /x?y=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  assert.match(
    await moved(`localhost:${new URL(desktop).port}`),
    new RegExp(`^HTTP/1.1 308 [^]*location: ${desktop}/x\\?y=1\r\n`, "i"),
  );
  for (const host of ["localhost:1", "localhost:1@evil.example", "localhost:@evil.example"]) {
    const answer = await moved(host);
    assert.match(answer, /^HTTP\/1\.1 403 /, host);
    assert.doesNotMatch(answer, /location:/i);
  }
});

test("a document without a named revision is never kept by the browser: it changes", async () => {
  await using f = await fixture();
  const cache = async (path: string): Promise<string | null> =>
    (await fetch(f.server.addresses.api + path, { headers: JSON_BODY })).headers.get("cache-control");
  assert.equal(await cache("/v1/artifacts/art_1/content"), "no-store");
  assert.match((await cache("/v1/artifacts/art_1/content?revision=2")) ?? "", /max-age/);
});

test("an empty Idempotency-Key is none: two requests do not share it", async () => {
  const keys: string[] = [];
  await using f = await fixture({
    commands: {
      createSession: async (_body, _actor, key) => {
        keys.push(key);
        return { session: "ses_1", run: "run_1" };
      },
    },
  });
  for (const key of ["", "", "mine"])
    await fetch(`${f.server.addresses.api}/v1/sessions`, {
      method: "POST",
      headers: { ...JSON_BODY, "idempotency-key": key },
      body: '{"task":"x"}',
    });
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], "mine");
  assert.ok(keys.every((k) => k.length > 0));
});

test("closing ends although a stream and a refused upgrade are open", async () => {
  const f = await fixture();
  const { desktop } = f.server.addresses;
  const stream = new WebSocket(`${desktop.replace("http", "ws")}/v1/stream`, ["swarm.v1", f.desk.createStreamTicket()]);
  await once(stream, "open");
  const silent = connect({ port: Number(new URL(desktop).port), host: "127.0.0.1", allowHalfOpen: true });
  silent.on("error", () => {});
  silent.write(`GET /v1/stream HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n`);
  await once(silent, "data");
  const [[code]] = await Promise.all([once(stream, "close") as Promise<[number]>, f.server.close()]);
  assert.equal(code, 1001);
  silent.destroy();
});

test("a bug in the hub costs one client its connection, not the process", async () => {
  await using f = await fixture({
    hub: {
      attach: () => ({
        message: () => {
          throw new Error("a bug");
        },
        closed: () => {},
      }),
    },
  });
  const ws = new WebSocket(`${f.server.addresses.desktop.replace("http", "ws")}/v1/stream`, [
    "swarm.v1",
    f.desk.createStreamTicket(),
  ]);
  await once(ws, "open");
  ws.send("{}");
  const [code] = (await once(ws, "close")) as [number];
  assert.equal(code, 1011);
  assert.equal((await fetch(`${f.server.addresses.api}/health`)).status, 200);
});

test("a client that answers no ping is ended; one that answers stays", async () => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const keeper = new Gatekeeper();
  keeper.allow("127.0.0.1", port);
  const gone = Promise.withResolvers<void>();
  let closed = 0;
  const sendAway = attachStream(server, {
    keeper,
    failures: new FailureLimit(() => 0),
    refusals: new RefusalLog(silentLogger, () => 0),
    logger: silentLogger,
    heartbeatMs: 100,
    tokens: { redeemStreamTicket: () => true } as never,
    hub: {
      attach: () => ({
        message: () => {},
        closed: () => {
          closed++;
          gone.resolve();
        },
      }),
    },
  });
  const url = `ws://127.0.0.1:${port}/v1/stream`;
  const lively = new WebSocket(url, ["swarm.v1", "a"]);
  try {
    await once(lively, "open");
    const dead = new WebSocket(url, ["swarm.v1", "b"], { autoPong: false });
    let pings = 0;
    dead.on("ping", () => pings++);
    await Promise.all([once(dead, "close"), gone.promise]);
    assert.equal(pings, 2, "two pings went unanswered first");
    assert.deepEqual([closed, lively.readyState], [1, WebSocket.OPEN]);
  } finally {
    sendAway();
    lively.terminate();
    server.close();
  }
});

test("the port that is offered is not the one another listener was given", async () => {
  const taken = createTcpServer();
  await once(taken.listen(0, "127.0.0.1"), "listening");
  const { port } = taken.address() as AddressInfo;
  await assert.rejects(
    startServer({
      addresses: { api: port, desktop: port + 1, artifacts: port + 2 },
      host: "127.0.0.1",
      tokens: {} as never,
      commands: {} as never,
      hub: {} as never,
      desktopDir: undefined,
      logger: silentLogger,
      ready: () => true,
    }),
    (error: AppError) => error.code === "port_taken" && Number(/--api-port (\d+)/.exec(error.message)?.[1]) > port + 2,
  );
  taken.close();
});
