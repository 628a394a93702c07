import type { ModelRequest } from "@swarm/protocol/ports";
import { cleanText, unreachable } from "@swarm/std";
import { repairHistory, type Turn } from "../../history.ts";
import { FrozenPrefix, toolText } from "../frozen.ts";
import type { Dialect, WireRequest } from "../wire.ts";

/**
 * POST {base}/chat/completions. The frozen prefix (tools, system) comes before everything that changes. Usage is asked
 * for: OpenAI-compatible servers omit it otherwise.
 */
const frozen = new FrozenPrefix((system, tools) => {
  const list = tools.map((tool) => `{"type":"function","function":${toolText(tool, "parameters")}}`);
  const first =
    cleanText(system).trim() === "" ? "" : `{"role":"system","content":${JSON.stringify(cleanText(system))}},`;
  return `${list.length === 0 ? "" : `"tools":[${list.join(",")}],`}"messages":[${first}`;
});

export function chatRequest(model: string, request: ModelRequest, dialect: Dialect): WireRequest {
  // OpenAI pads each chunk with random signs unless told not to: a third of the bytes.
  const options = dialect.openai ? `{"include_usage":true,"include_obfuscation":false}` : `{"include_usage":true}`;
  const head = `{"model":${JSON.stringify(model)},"stream":true,${dialect.streamOptions ? `"stream_options":${options},` : ""}`;
  const messages = repairHistory(request.messages).map(chatMessage);
  let tail = "";
  if (request.maxOutputTokens !== undefined)
    tail += `,"${dialect.openai ? "max_completion_tokens" : "max_tokens"}":${request.maxOutputTokens}`;
  if (request.cacheKey !== undefined && dialect.openai)
    tail += `,"prompt_cache_key":${JSON.stringify(request.cacheKey)}`;
  return {
    path: "/chat/completions",
    body: `${head}${frozen.text(request.system, request.tools)}${messages.join(",")}]${tail}}`,
  };
}

/** Consecutive calls' results follow their answer in call order: `repairHistory` guarantees it. */
function chatMessage(turn: Turn): string {
  switch (turn.role) {
    case "user":
      return `{"role":"user","content":${JSON.stringify(turn.text)}}`;
    case "tool":
      return `{"role":"tool","tool_call_id":${JSON.stringify(turn.callId)},"content":${JSON.stringify(turn.output)}}`;
    case "assistant": {
      const content = turn.text === "" ? "null" : JSON.stringify(turn.text);
      if (turn.calls.length === 0) return `{"role":"assistant","content":${content}}`;
      const calls = turn.calls.map(
        (c) =>
          `{"id":${JSON.stringify(c.id)},"type":"function","function":{"name":${JSON.stringify(c.name)},"arguments":${JSON.stringify(c.args)}}}`,
      );
      return `{"role":"assistant","content":${content},"tool_calls":[${calls.join(",")}]}`;
    }
    default:
      return unreachable(turn);
  }
}
