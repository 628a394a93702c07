import assert from "node:assert/strict";
import { isObject } from "@swarm/std";

/** Refuses what OpenAI and strict compatible servers refuse in a chat request. Written from their published rules. */
export function validateChat(text: string): void {
  assert.ok(text.isWellFormed() && !/\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])/.test(text), "a lone surrogate");
  assert.ok(!text.includes("\\u0000") && !text.includes("\u0000"), "a NUL");
  const body: unknown = JSON.parse(text);
  assert.ok(
    isObject(body) &&
      typeof body["model"] === "string" &&
      Array.isArray(body["messages"]) &&
      body["messages"].length > 0,
  );
  const messages = body["messages"] as Record<string, unknown>[];
  const seen = new Set<string>();
  let open: string[] = [];
  messages.forEach((message, i) => {
    const role = message["role"];
    if (role === "tool") {
      assert.equal(message["tool_call_id"], open.shift(), "a result without its call, or out of order");
      assert.ok(nonEmpty(message["content"]), "an empty result");
      return;
    }
    assert.deepEqual(open, [], "a call without a result");
    if (role === "system") assert.equal(i, 0, "system is first");
    else if (role === "user") assert.ok(nonEmpty(message["content"]), "an empty user text");
    else {
      assert.equal(role, "assistant");
      const calls = (message["tool_calls"] ?? []) as Record<string, unknown>[];
      assert.ok(!("tool_calls" in message) || calls.length > 0, "an empty call list");
      assert.ok(message["content"] === null ? calls.length > 0 : nonEmpty(message["content"]), "an empty answer");
      open = calls.map((call) => validateCall(call, seen));
    }
  });
  assert.deepEqual(open, [], "a call without a result");
  assert.equal(messages.find((m) => m["role"] !== "system")?.["role"], "user", "a user speaks first");
  assert.notEqual(messages.at(-1)?.["role"], "assistant");
}

function validateCall(call: Record<string, unknown>, seen: Set<string>): string {
  const { id, type, function: made } = call;
  assert.ok(typeof id === "string" && id.length > 0 && id.length <= 40 && !seen.has(id), `id ${String(id)}`);
  seen.add(id);
  assert.equal(type, "function");
  assert.ok(isObject(made) && typeof made["name"] === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(made["name"]), "a name");
  assert.equal(typeof made["arguments"], "string");
  validateArguments(JSON.parse(made["arguments"] as string));
  return id;
}

/** An object; keys under 257 signs; no deeper than a protocol-buffer parser goes; finite numbers; clean texts. */
export function validateArguments(value: unknown): void {
  assert.ok(isObject(value), "arguments are an object");
  walk(value, 0);
}

function walk(value: unknown, depth: number): void {
  assert.ok(depth < 90, "too deep");
  if (typeof value === "string") assert.ok(value.isWellFormed() && !value.includes("\u0000"), "an unclean text");
  if (typeof value === "number") assert.ok(Number.isFinite(value), "an infinite number");
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    assert.ok(key.length <= 256 && key.isWellFormed() && !key.includes("\u0000"), "a key");
    walk(member, depth + 1);
  }
}

export function nonEmpty(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "" && value.isWellFormed();
}
