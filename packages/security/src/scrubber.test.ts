import assert from "node:assert/strict";
import { test } from "node:test";
import type { Logger } from "@swarm/std";
import { Scrubber, scrubbingLogger } from "./index.ts";

const SECRET = 'canary/+key="&7f3a9c21';

function scrubber(...secrets: string[]): Scrubber {
  const made = new Scrubber();
  for (const secret of secrets) made.add(secret);
  return made;
}

test("a known value is cut out as it is, URL-encoded, in JSON, in base64 at any place, in base64url and in hex", () => {
  const s = scrubber(SECRET);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const forms = [
    SECRET,
    `a ${SECRET} b`,
    encodeURIComponent(SECRET),
    JSON.stringify({ k: SECRET }),
    base64(SECRET),
    base64(`x${SECRET}`),
    base64(`xy${SECRET} more`),
    base64(`xyz${SECRET} more`),
    Buffer.from(SECRET).toString("base64url"),
    Buffer.from(SECRET).toString("hex"),
  ];
  for (const form of forms) {
    const clean = s.scrub(form);
    assert.match(clean, /\[secret\]/, form);
    assert.ok(!clean.includes("7f3a9c21") && !clean.includes(base64(SECRET).slice(4, 20)), clean);
  }
  assert.equal(s.hits(), forms.length);
});

test("the longer of two secrets is cut out whole, not only the one it begins with", () => {
  assert.equal(scrubber("abcdefgh", "abcdefgh12345678").scrub("<abcdefgh12345678>"), "<[secret]>");
});

test("well-known key formats, bearer headers and URL keys are cut out without being known", () => {
  const s = scrubber();
  const jwt = `eyJ${"a".repeat(12)}.eyJ${"b".repeat(12)}.${"c".repeat(12)}`;
  for (const key of [
    `AKIA${"A1".repeat(8)}`,
    `AIza${"a1".repeat(17)}b`,
    `ghp_${"a1".repeat(18)}`,
    `sk-ant-${"a1".repeat(12)}`,
    `xoxb-${"1".repeat(12)}`,
    jwt,
    "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----",
  ])
    assert.equal(s.scrub(`x ${key} y`), "x [secret] y");
  assert.equal(s.scrub("Authorization: Bearer abc.def-ghi"), "Authorization: Bearer [secret]");
  assert.equal(
    s.scrub("GET https://api.example/v1?alt=sse&key=abc123&x=1"),
    "GET https://api.example/v1?alt=sse&key=[secret]&x=1",
  );
});

test("ordinary lines stay as they are", () => {
  const s = scrubber("short", SECRET);
  for (const line of [
    "sk-learn is a library",
    "short of memory: 12 MiB",
    "session ses_0123456789abcdef in 41 ms",
    "key=value monkey=banana",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ])
    assert.equal(s.scrub(line), line);
});

test("a log line is scrubbed in message, field names, nested fields and causes; what cannot be written says so", () => {
  const lines: unknown[] = [];
  const sink: Logger = { log: (...line) => lines.push(line) };
  const logger = scrubbingLogger(sink, scrubber(SECRET));
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  logger.log("warn", `failed: ${SECRET}`, { [SECRET]: 1, request: { headers: [`Bearer ${SECRET}`] } });
  logger.log("info", "plain");
  logger.log("info", "loop", loop);
  assert.deepEqual(lines, [
    ["warn", "failed: [secret]", { "[secret]": 1, request: { headers: ["Bearer [secret]"] } }],
    ["info", "plain"],
    ["info", "loop", { fields: "left out: they cannot be written as text" }],
  ]);
});
