/** Gemini `streamGenerateContent`: request in, server-sent events out. Function calls arrive whole. */
import { isObject } from "@swarm/std";
import { BadRequest, textOr, type Call, type ParsedRequest, type ToolDeclared, type Turn } from "../request.ts";
import { hexFrom } from "../seeded.ts";
import type { Tokenizer } from "../tokens.ts";
import { chunkSize, type OutputItem, type WireEvent, type WireUsage } from "./events.ts";
import { lowerTypes } from "./schema.ts";

const CHUNK_TOKENS = { min: 20, max: 60 };

function textOf(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts
    .filter((p): p is Record<string, unknown> => isObject(p) && typeof p["text"] === "string" && p["thought"] !== true)
    .map((p) => p["text"] as string)
    .join("");
}

/** What a tool answered, as text: Gemini wraps it in an object of the client's choice. */
function responseText(response: unknown): string {
  if (!isObject(response)) return typeof response === "string" ? response : JSON.stringify(response ?? null);
  const values = Object.values(response);
  if (values.length === 1 && typeof values[0] === "string") return values[0];
  if (values.length === 1 && isObject(values[0])) return JSON.stringify(values[0]);
  for (const name of ["output", "result", "content", "error"])
    if (typeof response[name] === "string") return response[name];
  return JSON.stringify(response);
}

function turnsOf(contents: readonly unknown[]): Turn[] {
  const turns: Turn[] = [];
  let unnamed = 0;
  for (const content of contents) {
    if (!isObject(content) || !Array.isArray(content["parts"]) || content["parts"].length === 0)
      throw new BadRequest("contents: every content needs at least one part");
    const parts = content["parts"].filter(isObject);
    if (content["role"] === "model") {
      const calls: Call[] = parts
        .map((p) => p["functionCall"])
        .filter(isObject)
        .map((c) => ({
          id: textOr(c["id"], `call-${unnamed++}`),
          name: textOr(c["name"], ""),
          args: isObject(c["args"]) ? c["args"] : c["args"] === undefined ? {} : undefined,
        }));
      turns.push({ role: "assistant", text: textOf(parts), calls });
      continue;
    }
    for (const part of parts) {
      const response = part["functionResponse"];
      if (isObject(response))
        turns.push({
          role: "tool",
          id: textOr(response["id"], ""),
          name: textOr(response["name"], ""),
          output: responseText(response["response"]),
        });
    }
    const text = textOf(parts);
    if (text !== "") turns.push({ role: "user", text });
  }
  return turns;
}

function toolsOf(tools: unknown): ToolDeclared[] {
  if (!Array.isArray(tools)) return [];
  return tools
    .filter(isObject)
    .flatMap((tool) => {
      const declarations = tool["functionDeclarations"] ?? tool["function_declarations"];
      return Array.isArray(declarations) ? declarations : [];
    })
    .filter(isObject)
    .map((f) => ({
      name: textOr(f["name"], ""),
      description: textOr(f["description"], ""),
      parameters: lowerTypes(f["parametersJsonSchema"] ?? f["parameters"]),
    }));
}

/** A content as the model reads it: plain texts raw, every other part as the JSON that was sent. */
function segmentOf(content: unknown): string {
  if (!isObject(content) || !Array.isArray(content["parts"])) return JSON.stringify(content);
  const parts = content["parts"].map((p) =>
    isObject(p) && typeof p["text"] === "string" && Object.keys(p).length === 1 ? p["text"] : JSON.stringify(p),
  );
  return `<|${textOr(content["role"], "user")}|>${parts.join("\n")}`;
}

/** Throws BadRequest for what the real service refuses. */
export function parseGemini(model: string, body: unknown): ParsedRequest {
  if (!isObject(body)) throw new BadRequest("the body must be a JSON object");
  const contents = body["contents"];
  if (!Array.isArray(contents) || contents.length === 0) throw new BadRequest("contents is not specified");
  const instruction = body["systemInstruction"] ?? body["system_instruction"];
  const config = isObject(body["generationConfig"]) ? body["generationConfig"] : {};
  const thinking = isObject(config["thinkingConfig"]) ? config["thinkingConfig"] : {};
  const frozen = [instruction, body["tools"]].filter((part) => part !== undefined).map((part) => JSON.stringify(part));
  return {
    wire: "gemini",
    model,
    system: isObject(instruction) ? textOf(instruction["parts"]) : "",
    tools: toolsOf(body["tools"]),
    turns: turnsOf(contents),
    showThoughts: thinking["includeThoughts"] === true,
    sendUsage: true,
    segments: [...frozen, ...contents.map(segmentOf)],
    frozenSegments: frozen.length,
  };
}

interface GeminiUsage {
  promptTokenCount: number;
  cachedContentTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
  totalTokenCount: number;
}

/** Thoughts are outside candidates; the prompt count includes what was read from the cache. */
export function geminiUsage(usage: WireUsage): GeminiUsage {
  return {
    promptTokenCount: usage.input,
    ...(usage.cached > 0 ? { cachedContentTokenCount: usage.cached } : {}),
    ...(usage.text > 0 ? { candidatesTokenCount: usage.text } : {}),
    ...(usage.thoughts > 0 ? { thoughtsTokenCount: usage.thoughts } : {}),
    totalTokenCount: usage.input + usage.text + usage.thoughts,
  };
}

/** The events of one answer, made one by one as they fall due. */
export function* geminiEvents(o: {
  request: ParsedRequest;
  items: readonly OutputItem[];
  input: number;
  cached: number;
  id: string;
  tokenizer: Tokenizer;
  random: () => number;
}): Generator<WireEvent> {
  const usage = { input: o.input, cached: o.cached, text: 0, thoughts: 0 };
  const frame = (parts: readonly unknown[], finish?: string, detail?: string): string =>
    `data: ${JSON.stringify({
      candidates: [
        {
          content: { parts, role: "model" },
          ...(finish === undefined ? {} : { finishReason: finish }),
          index: 0,
          ...(detail === undefined ? {} : { finishMessage: detail }),
        },
      ],
      usageMetadata: geminiUsage(usage),
      modelVersion: o.request.model,
      responseId: o.id,
    })}\r\n\r\n`;
  let malformed: string | undefined;
  let called = 0;
  for (const item of o.items) {
    const tokens = o.tokenizer.encode(item.type === "text" || item.type === "thought" ? item.text : item.json);
    if (item.type === "call") {
      usage.text += tokens.length;
      const id = `call_${hexFrom(`${o.id}:${called}`, 12)}`;
      const signature =
        called === 0
          ? { thoughtSignature: Buffer.from(hexFrom(`${o.id}:signature`, 96), "hex").toString("base64") }
          : {};
      called++;
      let args: unknown;
      try {
        args = JSON.parse(item.json);
      } catch {
        // The real service never sends arguments that do not parse: it ends the answer instead.
        malformed = `Malformed function call: ${item.name}(${item.json.slice(0, 120)}…`;
        yield { tokens: tokens.length, frame: "" };
        break;
      }
      yield { tokens: tokens.length, frame: frame([{ functionCall: { id, name: item.name, args }, ...signature }]) };
      continue;
    }
    const hidden = item.type === "thought" && !o.request.showThoughts;
    for (let at = 0; at < tokens.length;) {
      const piece = o.tokenizer.piece(tokens, at, at + chunkSize(CHUNK_TOKENS, o.random));
      const size = piece.next - at;
      at = piece.next;
      if (item.type === "thought") usage.thoughts += size;
      else usage.text += size;
      if (hidden) continue;
      yield {
        tokens: size,
        frame: frame([{ text: piece.text, ...(item.type === "thought" ? { thought: true } : {}) }]),
      };
    }
  }
  yield {
    tokens: 0,
    frame: frame(
      malformed === undefined ? [{ text: "" }] : [],
      malformed === undefined ? "STOP" : "MALFORMED_FUNCTION_CALL",
      malformed,
    ),
    terminal: true,
  };
}
