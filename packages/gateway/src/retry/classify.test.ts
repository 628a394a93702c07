import assert from "node:assert/strict";
import { test } from "node:test";
import { classifyError, classifyStatus } from "./classify.ts";

const openai = (code: string | null, type: string | null): string =>
  JSON.stringify({ error: { message: "m", type, param: null, code } });
const gemini = (code: number, status: string, details: unknown[] = []): string =>
  JSON.stringify({ error: { code, message: "m", status, details } });

test("a status and its body decide code and retry (C-04)", () => {
  const table: [number, string, string, string][] = [
    [429, openai("rate_limit_exceeded", "tokens"), "provider_rate_limited", "shared"],
    [429, openai("insufficient_quota", "insufficient_quota"), "provider_quota", "never"],
    [429, gemini(429, "RESOURCE_EXHAUSTED"), "provider_rate_limited", "shared"],
    [
      429,
      gemini(429, "RESOURCE_EXHAUSTED", [{ violations: [{ quotaId: "RequestsPerMinute" }] }]),
      "provider_rate_limited",
      "shared",
    ],
    [
      429,
      gemini(429, "RESOURCE_EXHAUSTED", [{ violations: [{ quotaId: "GenerateRequestsPerDayPerProject" }] }]),
      "provider_quota",
      "never",
    ],
    [429, "<html>slow down</html>", "provider_rate_limited", "shared"],
    [402, openai(null, null), "provider_quota", "never"],
    [401, openai("invalid_api_key", null), "provider_auth", "never"],
    [403, gemini(403, "PERMISSION_DENIED"), "provider_auth", "never"],
    [400, gemini(400, "INVALID_ARGUMENT"), "provider_refused", "never"],
    [404, "", "provider_refused", "never"],
    [307, "", "provider_refused", "never"],
    [500, "", "provider_unavailable", "own"],
    [502, "<html>", "provider_unavailable", "own"],
    [503, gemini(503, "UNAVAILABLE"), "provider_unavailable", "shared"],
    [529, "", "provider_unavailable", "shared"],
  ];
  for (const [status, body, code, retry] of table) {
    const failure = classifyStatus(status, {}, body, 0);
    assert.deepEqual([failure.code, failure.retry, failure.status], [code, retry, status], `${status} ${body}`);
    assert.ok(failure.message.length > 0 && failure.message.length <= 501);
  }
  assert.equal(classifyStatus(503, { "x-should-retry": "false" }, "", 0).retry, "never");
});

test("an error object in a stream means what its status, number or word means (C-14)", () => {
  const table: [unknown, string, string][] = [
    [{ type: "overloaded_error", message: "m" }, "provider_unavailable", "shared"],
    [{ code: 429, message: "m" }, "provider_rate_limited", "shared"],
    [{ code: "502", message: "m" }, "provider_unavailable", "own"],
    [{ status: "RESOURCE_EXHAUSTED", message: "m" }, "provider_rate_limited", "shared"],
    [{ code: "insufficient_quota", message: "m" }, "provider_quota", "never"],
    [{ type: "invalid_request_error", message: "m" }, "provider_refused", "never"],
    [{ message: "who knows" }, "provider_unavailable", "own"],
    ["a string", "provider_unavailable", "own"],
  ];
  for (const [error, code, retry] of table) {
    const failure = classifyError(error);
    assert.deepEqual([failure.code, failure.retry], [code, retry], JSON.stringify(error));
  }
});
