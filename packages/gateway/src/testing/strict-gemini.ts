import assert from "node:assert/strict";
import { isObject } from "@swarm/std";
import { nonEmpty, validateArguments } from "./strict-chat.ts";

/** Refuses what Gemini's generateContent refuses: roles that do not alternate, unpaired calls, empty parts, lost signatures. */
export function validateGemini(text: string, strictSignatures: boolean): void {
  assert.ok(text.isWellFormed() && !/\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])/.test(text), "a lone surrogate");
  assert.ok(!text.includes("\\u0000") && !text.includes("\u0000"), "a NUL");
  const body: unknown = JSON.parse(text);
  assert.ok(isObject(body) && Array.isArray(body["contents"]) && body["contents"].length > 0);
  const contents = body["contents"] as { role: string; parts: Record<string, unknown>[] }[];
  assert.equal(contents[0]?.role, "user");
  assert.equal(contents.at(-1)?.role, "user");
  let asked: Record<string, unknown>[] = [];
  const ids = new Set<string>();
  contents.forEach((content, i) => {
    assert.equal(content.role, i % 2 === 0 ? "user" : "model", "roles alternate");
    assert.ok(content.parts.length > 0, "a content without parts");
    for (const part of content.parts) validatePart(part, content.role);
    const responses = content.parts.map((p) => p["functionResponse"]).filter(isObject);
    assert.deepEqual(
      responses.map((r) => [r["id"], r["name"]]),
      asked.map((c) => [c["id"], c["name"]]),
      "each call has one result, in the next content",
    );
    assert.ok(
      content.parts.findLastIndex((p) => "functionResponse" in p) === responses.length - 1,
      "results come first",
    );
    asked = content.parts.map((p) => p["functionCall"]).filter(isObject);
    for (const call of asked) {
      assert.ok(!ids.has(String(call["id"])), "a repeated id");
      ids.add(String(call["id"]));
    }
    if (strictSignatures && asked.length > 0)
      assert.ok(
        nonEmpty(content.parts.find((p) => "functionCall" in p)?.["thoughtSignature"]),
        "the first call of a step carries a signature",
      );
  });
  assert.deepEqual(asked, []);
}

function validatePart(part: Record<string, unknown>, role: string): void {
  const { text, functionCall: call, functionResponse: response } = part;
  assert.equal([text, call, response].filter((x) => x !== undefined).length, 1, "one kind a part");
  if (text !== undefined) assert.ok(nonEmpty(text), "an empty text");
  if (call !== undefined) {
    assert.ok(
      role === "model" &&
        isObject(call) &&
        typeof call["name"] === "string" &&
        /^[a-zA-Z_][\w.:-]{0,63}$/.test(call["name"]),
      "a call's name",
    );
    validateArguments(call["args"]);
  }
  if (response !== undefined)
    assert.ok(
      role === "user" &&
        isObject(response) &&
        isObject(response["response"]) &&
        Object.keys(response["response"]).length === 1,
    );
}
