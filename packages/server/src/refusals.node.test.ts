/** Who is turned away at the door is said in the log (I-02), and cannot fill it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { WebSocket } from "ws";
import { RefusalLog } from "./refusals.ts";
import { fixture, TOKEN } from "./testing/fixture.ts";

type Line = Record<string, unknown>;

test("a refused request is logged with peer, route and reason, and without what may be secret", async () => {
  const lines: Line[] = [];
  await using f = await fixture({
    logger: { log: (level, message, fields) => lines.push({ level, message, ...fields }) },
  });
  const { api, desktop } = f.server.addresses;
  const body = '{"task":"secret"}';
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "text/plain" };
  await fetch(`${api}/v1/status?token=secret`, { headers: { authorization: "Bearer secret" } });
  await fetch(`${api}/v1/sessions`, { method: "POST", headers, body });
  await fetch(`${api}/v1/sessions`, { method: "POST", headers: { ...headers, origin: "null" }, body });
  const ws = new WebSocket(`${desktop.replace("http", "ws")}/v1/stream`, ["swarm.v1", "secret"]);
  await once(ws, "error");
  await fetch(`${api}/v1/sessions/none`, { headers: { authorization: `Bearer ${TOKEN}` } });
  assert.deepEqual(
    lines.map(({ code, method, path, peer }) => [code, method, path, peer]),
    [
      ["unauthorized", "GET", "/v1/status", "127.0.0.1"],
      ["unsupported_media_type", "POST", "/v1/sessions", "127.0.0.1"],
      ["forbidden_origin", "POST", "/v1/sessions", "127.0.0.1"],
      ["unauthorized", "GET", "/v1/stream", "127.0.0.1"],
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines), /secret|tttt/);
});

test("a thousand refusals in a minute are thirty lines, and their number is said in the next", () => {
  let now = 0;
  const lines: Line[] = [];
  const log = new RefusalLog({ log: (_level, message, fields) => lines.push({ message, ...fields }) }, () => now);
  const request = { method: "GET", url: "/x", headers: {}, socket: {} } as IncomingMessage;
  for (let i = 0; i < 1_000; i++) log.note(request, "unauthorized");
  assert.equal(lines.length, 30);
  now = 61_000;
  log.note(request, "unauthorized");
  assert.deepEqual(
    lines.slice(30).map(({ message, count }) => [message, count]),
    [
      ["more requests were refused", 970],
      ["a request was refused", undefined],
    ],
  );
});
