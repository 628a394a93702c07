import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfterMs } from "./retry-after.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

test("Retry-After is read in seconds, as a date, in milliseconds and from RetryInfo; nonsense is nothing (C-02)", () => {
  const table: [Record<string, string>, unknown, number | undefined][] = [
    [{ "retry-after": "7" }, undefined, 7000],
    [{ "retry-after": "1.5" }, undefined, 1500],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }, undefined, 9000],
    [{ "retry-after": "Thu, 01 Jan 2026 01:00:09 GMT", date: "Thu, 01 Jan 2026 01:00:00 GMT" }, undefined, 9000],
    [{ "retry-after-ms": "250", "retry-after": "7" }, undefined, 250],
    [{ "retry-after": "3600" }, undefined, 3_600_000],
    [{ "retry-after": "-5" }, undefined, undefined],
    [{ "retry-after": "0" }, undefined, undefined],
    [{ "retry-after": "abc" }, undefined, undefined],
    [{ "retry-after": "1e9" }, undefined, undefined],
    [{ "retry-after": "" }, undefined, undefined],
    [{}, { details: [{ "@type": "x" }, { retryDelay: "17s" }] }, 17_000],
    [{}, { details: [{ retryDelay: "0.25s" }] }, 250],
    [{}, { details: [{ retryDelay: "soon" }] }, undefined],
    [{}, { details: "none" }, undefined],
  ];
  for (const [headers, error, wanted] of table)
    assert.equal(retryAfterMs(headers, error, NOW), wanted, JSON.stringify([headers, error]));
});
