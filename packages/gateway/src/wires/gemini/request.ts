import type { ModelRequest } from "@swarm/protocol/ports";
import { cleanText, unreachable } from "@swarm/std";
import { repairHistory, type HistoryCall, type Turn } from "../../history.ts";
import { FrozenPrefix, toolText } from "../frozen.ts";
import type { WireRequest } from "../wire.ts";

/**
 * POST {base}/models/{model}:streamGenerateContent?alt=sse (v1beta). Roles alternate: user and tool turns that follow
 * each other are one `user` content, results first. Tool schemas go as `parametersJsonSchema` (whole JSON Schema;
 * `parameters` takes an OpenAPI subset without `additionalProperties`).
 */
const frozen = new FrozenPrefix((system, tools) => {
  const text = cleanText(system);
  const instruction =
    text.trim() === "" ? "" : `"systemInstruction":{"parts":[{"text":${JSON.stringify(text)}}],"role":"user"},`;
  const list = tools.map((tool) => toolText(tool, "parametersJsonSchema"));
  return `{${instruction}${list.length === 0 ? "" : `"tools":[{"functionDeclarations":[${list.join(",")}]}],`}"contents":[`;
});

/**
 * Signatures are kept as `gemini:<theirs>`, so that those of another wire are not sent here. Gemini 3 refuses a step
 * whose first call has none; for history that another model wrote, its documentation gives this placeholder.
 */
export const SIGNATURE_TAG = "gemini:";
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

export function geminiRequest(model: string, request: ModelRequest): WireRequest {
  const strict = /^(models\/)?gemini-([3-9]|\d\d)/.test(model);
  const contents = alternate(repairHistory(request.messages), strict);
  const config =
    request.maxOutputTokens === undefined ? "" : `,"generationConfig":{"maxOutputTokens":${request.maxOutputTokens}}`;
  const name = model.startsWith("models/") ? model.slice("models/".length) : model;
  return {
    path: `/models/${encodeURIComponent(name)}:streamGenerateContent?alt=sse`,
    body: `${frozen.text(request.system, request.tools)}${contents}]${config}}`,
  };
}

function alternate(turns: readonly Turn[], strict: boolean): string {
  const contents: { role: "user" | "model"; parts: string[] }[] = [];
  for (const turn of turns) {
    const role = turn.role === "assistant" ? "model" : "user";
    let content = contents.at(-1);
    if (content?.role !== role) contents.push((content = { role, parts: [] }));
    content.parts.push(...partsOf(turn, strict));
  }
  return contents.map((c) => `{"parts":[${c.parts.join(",")}],"role":"${c.role}"}`).join(",");
}

function partsOf(turn: Turn, strict: boolean): string[] {
  switch (turn.role) {
    case "user":
      return [`{"text":${JSON.stringify(turn.text)}}`];
    case "tool":
      return [
        `{"functionResponse":{"id":${JSON.stringify(turn.callId)},"name":${JSON.stringify(turn.name)},"response":{"${turn.isError ? "error" : "output"}":${JSON.stringify(turn.output)}}}}`,
      ];
    case "assistant": {
      const parts = turn.text === "" ? [] : [`{"text":${JSON.stringify(turn.text)}${signatureOf(turn.signature)}}`];
      return parts.concat(turn.calls.map((call, i) => callPart(call, strict && i === 0)));
    }
    default:
      return unreachable(turn);
  }
}

function callPart(call: HistoryCall, needsSignature: boolean): string {
  const signature = signatureOf(call.signature) || (needsSignature ? `,"thoughtSignature":"${FOREIGN_SIGNATURE}"` : "");
  return `{"functionCall":{"args":${call.args},"id":${JSON.stringify(call.id)},"name":${JSON.stringify(call.name)}}${signature}}`;
}

function signatureOf(signature: string | undefined): string {
  if (signature === undefined || !signature.startsWith(SIGNATURE_TAG)) return "";
  return `,"thoughtSignature":${JSON.stringify(signature.slice(SIGNATURE_TAG.length))}`;
}
