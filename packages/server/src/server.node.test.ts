import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { AppError, silentLogger } from "@swarm/std";
import { WebSocket } from "ws";
import { startServer } from "./index.ts";
import { apiRoutes, openApi } from "./routes.ts";
import { fixture, TOKEN } from "./testing/fixture.ts";

const dir = mkdtempSync(join(tmpdir(), "swarm-server-"));
mkdirSync(join(dir, "web", "assets"), { recursive: true });
writeFileSync(join(dir, "web", "index.html"), "<!doctype html><title>Swarm</title>");
writeFileSync(join(dir, "web", "assets", "a.js"), "1");
writeFileSync(join(dir, "secret.txt"), "secret");
after(() => rmSync(dir, { recursive: true, force: true }));

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** A request with exactly these headers: fetch would not let a test lie about Host and Origin. */
function ask(
  base: string,
  path: string,
  o: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  const url = new URL(base);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: url.hostname, port: url.port, path, method: o.method ?? "GET", headers: o.headers ?? {} },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(o.body);
  });
}
const BEARER = { authorization: `Bearer ${TOKEN}` };
const JSON_BODY = { ...BEARER, "content-type": "application/json" };

test("no route answers without a token except the named ones", async () => {
  await using f = await fixture();
  const routes = apiRoutes({} as never, {} as never, { ready: () => true, frameUrl: () => "" });
  assert.deepEqual(
    routes.filter((r) => !r.auth).map((r) => r.path),
    ["/health", "/ready", "/v1/auth/exchange"],
  );
  let refused = 0;
  for (const route of [
    ...routes,
    { method: "GET", path: "/v1/openapi.json", auth: true },
    { method: "GET", path: "/v1/nothing", auth: true },
  ]) {
    const path = route.path.replace(/:\w+/g, "x");
    for (const base of [f.server.addresses.api, f.server.addresses.desktop]) {
      const { status } = await ask(base, path, {
        method: route.method,
        headers: { "content-type": "application/json" },
        body: route.method === "POST" ? "{}" : "",
      });
      if (!route.auth) continue;
      assert.ok(status === 401 || status === 429, `${route.method} ${path} answered ${status}`);
      refused++;
    }
  }
  assert.ok(refused > 40);
  assert.deepEqual(f.called, []);
});

test("another name, another origin and another content type are refused, whatever the token", async () => {
  await using f = await fixture();
  const { api, desktop } = f.server.addresses;
  const port = new URL(api).port;
  for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:1`, `localhost:${port}`]) {
    assert.equal((await ask(api, "/v1/status", { headers: { ...BEARER, host } })).status, 403, host);
  }
  for (const origin of [
    "http://evil.example",
    "null",
    "http://127.0.0.1:1",
    `https://127.0.0.1:${port}`,
    `http://s0.localhost:${port}`,
  ]) {
    assert.equal(
      (await ask(api, "/v1/sessions", { method: "POST", headers: { ...JSON_BODY, origin }, body: '{"task":"x"}' }))
        .status,
      403,
      origin,
    );
  }
  assert.equal(
    (
      await ask(api, "/v1/sessions", {
        method: "POST",
        headers: { ...JSON_BODY, "sec-fetch-site": "cross-site" },
        body: '{"task":"x"}',
      })
    ).status,
    403,
  );
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]) {
    assert.equal(
      (
        await ask(api, "/v1/sessions", {
          method: "POST",
          headers: { ...BEARER, "content-type": type },
          body: '{"task":"x"}',
        })
      ).status,
      415,
      type,
    );
  }
  assert.deepEqual(f.called, []);
  assert.equal(
    (
      await ask(desktop, "/v1/sessions", {
        method: "POST",
        headers: { ...JSON_BODY, origin: desktop },
        body: '{"task":"x"}',
      })
    ).status,
    201,
  );
  const { headers } = await ask(api, "/v1/status", { headers: BEARER });
  assert.equal(headers["access-control-allow-origin"], undefined);
  assert.equal(headers["set-cookie"], undefined);
});

test("bad bodies are answered in words that say what to do, and the server lives", async () => {
  await using f = await fixture({
    commands: {
      createSession: async () => {
        throw new Error("a bug with a secret in it");
      },
    },
  });
  const { api } = f.server.addresses;
  const post = (body: string | Buffer): Promise<Answer> =>
    ask(api, "/v1/sessions", { method: "POST", headers: JSON_BODY, body });
  for (const [body, status, pattern] of [
    ["{", 400, /not JSON/],
    ["[]", 400, /body/],
    ['{"task":""}', 400, /task/],
    ['{"task":"x","colour":"red"}', 400, /colour/],
    ['{"task":"x","budget":{"usd":-1}}', 400, /budget/],
    [JSON.stringify({ task: "x".repeat(4 * 1024 * 1024 + 1) }), 413, /4 MiB/],
    [JSON.stringify({ task: "é".repeat(3 * 1024 * 1024) }), 413, /4 MiB/],
    ["x".repeat(9 * 1024 * 1024), 413, /8 MiB/],
  ] as const) {
    const answer = await post(body);
    assert.equal(answer.status, status, body.slice(0, 60));
    const problem = JSON.parse(answer.text) as { code: string; fix: string; detail: string };
    assert.match(answer.text, pattern);
    assert.ok(problem.code && problem.fix);
    assert.match(String(answer.headers["content-type"]), /problem\+json/);
  }
  const bug = await post('{"task":"x"}');
  assert.equal(bug.status, 500);
  assert.doesNotMatch(bug.text, /secret/);
  assert.equal((await ask(api, "/v1/sessions?limit=0", { headers: BEARER })).status, 400);
  assert.equal((await ask(api, "/v1/sessions?limit=x", { headers: BEARER })).status, 400);
  assert.equal((await ask(api, "/v1/sessions/nope", { headers: BEARER })).status, 404);
  assert.equal((await ask(api, "/v1/status", { method: "POST", headers: JSON_BODY, body: "{}" })).status, 405);
});

test("an operational error keeps its code; the same answer to every caller", async () => {
  await using f = await fixture({
    commands: {
      createSession: async () => {
        throw new AppError("disk_full", "no space");
      },
    },
  });
  const answer = await ask(f.server.addresses.api, "/v1/sessions", {
    method: "POST",
    headers: JSON_BODY,
    body: '{"task":"x"}',
  });
  assert.equal(answer.status, 507);
  assert.equal((JSON.parse(answer.text) as { code: string }).code, "disk_full");
});

test("wrong tokens have to wait after twenty, a right one never", async () => {
  await using f = await fixture();
  const { api } = f.server.addresses;
  const statuses: number[] = [];
  for (let i = 0; i < 25; i++)
    statuses.push((await ask(api, "/v1/status", { headers: { authorization: "Bearer wrong" } })).status);
  assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429]);
  assert.equal((await ask(api, "/v1/status", { headers: BEARER })).status, 200);
});

test("the desktop's files come with a strict policy, nothing outside their folder, and localhost goes to 127.0.0.1", async () => {
  await using f = await fixture({ desktopDir: join(dir, "web") });
  const { desktop, api } = f.server.addresses;
  const page = await ask(desktop, "/");
  assert.equal(page.status, 200);
  assert.match(String(page.headers["content-security-policy"]), /default-src 'self'; script-src 'self';/);
  assert.equal((await ask(desktop, "/some/deep/link")).text, page.text);
  assert.match(String((await ask(desktop, "/assets/a.js")).headers["cache-control"]), /immutable/);
  for (const path of [
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/%00",
    "/%",
  ]) {
    assert.doesNotMatch((await ask(desktop, path)).text, /^secret/, path);
  }
  const moved = await ask(desktop, "/x", { headers: { host: `localhost:${new URL(desktop).port}` } });
  assert.deepEqual([moved.status, moved.headers["location"]], [308, `${desktop}/x`]);
  assert.equal((await ask(api, "/")).status, 401, "the API's port serves no pages");
});

test("a login code works once, and is not needed with a token", async () => {
  await using f = await fixture();
  const exchange = (): Promise<Answer> =>
    ask(f.server.addresses.desktop, "/v1/auth/exchange", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"code":"code1"}',
    });
  assert.equal((JSON.parse((await exchange()).text) as { token: string }).token, TOKEN);
  assert.equal((await exchange()).status, 401);
});

function connect(url: string, protocols: string[], origin?: string): Promise<string> {
  return new Promise((resolve) => {
    const ws = new WebSocket(url, protocols, origin === undefined ? {} : { origin });
    ws.on("message", (data) => {
      resolve(`message ${(data as Buffer).toString("utf8")}`);
      ws.close();
    });
    ws.on("unexpected-response", (_q, response) => resolve(`refused ${response.statusCode}`));
    ws.on("error", () => resolve("error"));
  });
}

test("a stream needs a ticket, once, from the right origin", async () => {
  await using f = await fixture();
  const { desktop } = f.server.addresses;
  const url = `${desktop.replace("http", "ws")}/v1/stream`;
  assert.equal(await connect(url, ["swarm.v1"]), "refused 401");
  assert.equal(await connect(url, ["swarm.v1", "guess"]), "refused 401");
  const stolen = f.desk.createStreamTicket();
  assert.equal(await connect(url, ["swarm.v1", stolen], "http://evil.example"), "refused 403");
  const ticket = f.desk.createStreamTicket();
  assert.match(await connect(url, ["swarm.v1", ticket], desktop), /^message .*welcome/);
  assert.equal(await connect(url, ["swarm.v1", ticket], desktop), "refused 401");
  assert.equal(f.attached.filter((a) => a === "client").length, 1);
});

test("an artifact is served on its own origin only, by ticket, in a sandbox without network", async () => {
  await using f = await fixture();
  const { api, artifacts, desktop } = f.server.addresses;
  const { url } = JSON.parse(
    (await ask(api, "/v1/artifacts/art_1/frames", { method: "POST", headers: JSON_BODY, body: "{}" })).text,
  ) as { url: string };
  assert.match(url, /^http:\/\/s[0-3]\.localhost:\d+\/frame-ticket-0123456789\/$/);
  const { host, pathname } = new URL(url);
  const page = await ask(artifacts, pathname, { headers: { host } });
  assert.equal(page.status, 200);
  const policy = String(page.headers["content-security-policy"]);
  assert.match(policy, /^sandbox allow-scripts; default-src 'none'/);
  assert.ok(policy.endsWith(`frame-ancestors ${desktop}`));
  assert.equal((await ask(artifacts, pathname)).status, 404, "not under the bare address");
  assert.equal((await ask(artifacts, "/guessguessguessguess/", { headers: { host } })).status, 404);
  assert.equal((await ask(artifacts, "/v1/status", { headers: { ...BEARER, host } })).status, 404);
});

test("a taken port is named with its owner and a free one; nothing stays open", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as { port: number };
  await assert.rejects(
    startServer({
      addresses: { api: 0, desktop: port, artifacts: 0 },
      host: "127.0.0.1",
      tokens: {} as never,
      commands: {} as never,
      hub: {} as never,
      desktopDir: undefined,
      logger: silentLogger,
      ready: () => true,
    }),
    (error: AppError) =>
      error.code === "port_taken" &&
      error.message.includes(`pid ${process.pid}`) &&
      /--desktop-port \d+, which is free/.test(error.message),
  );
  taken.close();
});

test("readiness is said, and the description of the API names every route", async () => {
  await using f = await fixture({ ready: false });
  assert.equal((await ask(f.server.addresses.api, "/ready")).status, 503);
  assert.equal((await ask(f.server.addresses.api, "/health")).status, 200);
  const description = JSON.parse((await ask(f.server.addresses.api, "/v1/openapi.json", { headers: BEARER })).text) as {
    paths: object;
  };
  assert.equal(
    Object.keys(description.paths).length,
    new Set(apiRoutes({} as never, {} as never, { ready: () => true, frameUrl: () => "" }).map((r) => r.path)).size,
  );
  assert.ok(openApi([], "1"));
});
