/** OpenAI `chat/completions`, streamed: request in, server-sent events out. Arguments are streamed as text. */
import { isObject } from "@swarm/std";
import { BadRequest, textOr, type Call, type ParsedRequest, type ToolDeclared, type Turn } from "../request.ts";
import { hexFrom } from "../seeded.ts";
import type { Tokenizer } from "../tokens.ts";
import { chunkSize, type OutputItem, type WireEvent, type WireUsage } from "./events.ts";
import { lowerTypes } from "./schema.ts";

const CHUNK_TOKENS = { min: 1, max: 4 };
/** Same bytes for the same request: the answer carries a fixed date (2026-01-01). */
const CREATED = 1_767_225_600;

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}

function parseArgs(json: unknown): Record<string, unknown> | undefined {
  if (json === "" || json === undefined) return {};
  try {
    const value: unknown = JSON.parse(textOr(json, ""));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function callOf(value: unknown): Call | undefined {
  if (!isObject(value) || !isObject(value["function"])) return undefined;
  return {
    id: textOr(value["id"], ""),
    name: textOr(value["function"]["name"], ""),
    args: parseArgs(value["function"]["arguments"]),
  };
}

function turnOf(message: Record<string, unknown>, names: Map<string, string>): Turn | undefined {
  const text = contentText(message["content"]);
  switch (message["role"]) {
    case "system":
    case "developer":
      return undefined;
    case "user":
      return { role: "user", text };
    case "assistant": {
      const raw = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
      const calls = raw.map(callOf).filter((call) => call !== undefined);
      for (const call of calls) names.set(call.id, call.name);
      return { role: "assistant", text, calls };
    }
    case "tool": {
      const id = String(message["tool_call_id"]);
      const name = names.get(id);
      if (name === undefined)
        throw new BadRequest(`messages: tool_call_id ${id} answers no call of an earlier assistant message`);
      return { role: "tool", id, name, output: text };
    }
    default:
      throw new BadRequest(`messages: unknown role ${JSON.stringify(message["role"])}`);
  }
}

function toolOf(value: unknown): ToolDeclared | undefined {
  const f = isObject(value) ? value["function"] : undefined;
  if (!isObject(f)) return undefined;
  return {
    name: textOr(f["name"], ""),
    description: textOr(f["description"], ""),
    parameters: lowerTypes(f["parameters"]),
  };
}

/** A message as the model reads it: texts and arguments raw, every field that the client sent in its order. */
function segmentOf(message: Record<string, unknown>): string {
  let out = "";
  for (const [name, value] of Object.entries(message)) {
    if (typeof value === "string") out += `<|${name}|>${value}`;
    else if (name === "tool_calls" && Array.isArray(value))
      out += value
        .map((c) =>
          isObject(c) && isObject(c["function"])
            ? `<|call|>${String(c["id"])} ${String(c["function"]["name"])} ${String(c["function"]["arguments"])}`
            : JSON.stringify(c),
        )
        .join("");
    else out += `<|${name}|>${JSON.stringify(value)}`;
  }
  return out;
}

/** Throws BadRequest for what the real service refuses. */
export function parseChat(body: unknown): ParsedRequest {
  if (!isObject(body)) throw new BadRequest("the body must be a JSON object");
  if (typeof body["model"] !== "string" || body["model"] === "")
    throw new BadRequest("you must provide a model parameter");
  const messages = body["messages"];
  if (!Array.isArray(messages) || messages.length === 0) throw new BadRequest("messages must be a non-empty list");
  if (body["stream"] !== true) throw new BadRequest('the simulator only streams: send "stream": true');
  const names = new Map<string, string>();
  const parsed = messages.map((message) => {
    if (!isObject(message)) throw new BadRequest("messages: each must be an object");
    return turnOf(message, names);
  });
  const system = messages.filter((m) => isObject(m) && (m["role"] === "system" || m["role"] === "developer"));
  const options = isObject(body["stream_options"]) ? body["stream_options"] : {};
  const tools = Array.isArray(body["tools"]) ? body["tools"] : [];
  const frozen = tools.length > 0 ? [JSON.stringify(tools)] : [];
  const leading = messages.findIndex((m) => !(isObject(m) && (m["role"] === "system" || m["role"] === "developer")));
  return {
    wire: "chat",
    model: body["model"],
    system: system.map((m) => contentText((m as Record<string, unknown>)["content"])).join("\n"),
    tools: tools.map(toolOf).filter((tool) => tool !== undefined),
    turns: parsed.filter((turn) => turn !== undefined),
    showThoughts: false,
    sendUsage: options["include_usage"] === true,
    segments: [...frozen, ...messages.map((message) => segmentOf(message as Record<string, unknown>))],
    frozenSegments: frozen.length + Math.max(0, leading),
  };
}

export function chatUsage(usage: WireUsage): Record<string, unknown> {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.text + usage.thoughts,
    total_tokens: usage.input + usage.text + usage.thoughts,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.thoughts,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** The events of one answer, made one by one as they fall due. */
export function* chatEvents(o: {
  request: ParsedRequest;
  items: readonly OutputItem[];
  input: number;
  cached: number;
  id: string;
  tokenizer: Tokenizer;
  random: () => number;
}): Generator<WireEvent> {
  const head = `data: {"id":"chatcmpl-${o.id}","object":"chat.completion.chunk","created":${CREATED},"model":${JSON.stringify(o.request.model)},"system_fingerprint":"fp_sim"`;
  const tail = o.request.sendUsage ? ',"usage":null}\n\n' : "}\n\n";
  const frame = (delta: string, finish = "null"): string =>
    `${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]${tail}`;
  let text = 0;
  let thoughts = 0;
  let calls = 0;
  yield { tokens: 0, frame: frame('{"role":"assistant","content":"","refusal":null}') };
  for (const item of o.items) {
    const tokens = o.tokenizer.encode(item.type === "call" ? item.json : item.text);
    if (item.type === "thought") {
      thoughts += tokens.length;
      continue;
    }
    text += tokens.length;
    let open = '{"content":';
    let close = "}";
    if (item.type === "call") {
      const id = `call_${hexFrom(`${o.id}:${calls}`, 24)}`;
      yield {
        tokens: 1,
        frame: frame(
          `{"tool_calls":[{"index":${calls},"id":"${id}","type":"function","function":{"name":${JSON.stringify(item.name)},"arguments":""}}]}`,
        ),
      };
      open = `{"tool_calls":[{"index":${calls},"function":{"arguments":`;
      close = "}}]}";
      calls++;
    }
    for (let at = 0; at < tokens.length;) {
      const piece = o.tokenizer.piece(tokens, at, at + chunkSize(CHUNK_TOKENS, o.random));
      yield { tokens: piece.next - at, frame: frame(open + JSON.stringify(piece.text) + close) };
      at = piece.next;
    }
  }
  yield { tokens: 0, frame: frame("{}", calls > 0 ? '"tool_calls"' : '"stop"'), terminal: true };
  if (o.request.sendUsage)
    yield {
      tokens: 0,
      frame: `${head},"choices":[],"usage":${JSON.stringify(chatUsage({ input: o.input, cached: o.cached, text, thoughts }))}}\n\n`,
      terminal: true,
    };
  yield { tokens: 0, frame: "data: [DONE]\n\n", terminal: true };
}
