/**
 * A scripted OpenAI-compatible server for the bench, in a process of its own: first step one tool call with a
 * 16 KB card, second step a short text. 300 ms to the first token, 2,000 tokens/s, one SSE event per 4 tokens,
 * each written when it is due. Prints `{"port":N}`; `GET /stats`, `POST /reset`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { benchCard } from "./card.ts";

const FIRST_TOKEN_MS = 300;
const EVENT_MS = 2; // 4 tokens at 2,000 tokens/s
const CARD_EVENTS = 1360;
const TEXT_EVENTS = 10;
const CLOSING = "The card is published. It draws its samples as one line and shows the rate below it.";

interface Stream {
  readonly response: ServerResponse;
  readonly events: readonly string[];
  readonly dueFrom: number;
  next: number;
}

const streams = new Set<Stream>();
let open = 0;
let maxOpen = 0;
let requests = 0;
let cards = 0;
let arrivals: number[] = [];
let late = { worstMs: 0, sumMs: 0, events: 0 };

/** One clock for all streams: writes what is due. Lateness is kept, so that a slow server shows. */
function tick(): void {
  const now = performance.now();
  for (const stream of streams) {
    let due = Math.min(stream.events.length, Math.floor((now - stream.dueFrom) / EVENT_MS) + 1);
    if (due <= stream.next) continue;
    const lateMs = now - (stream.dueFrom + stream.next * EVENT_MS);
    late.worstMs = Math.max(late.worstMs, lateMs);
    late.sumMs += lateMs;
    late.events++;
    let text = "";
    for (; stream.next < due; stream.next++) text += stream.events[stream.next];
    stream.response.write(text);
    if (stream.next === stream.events.length) {
      streams.delete(stream);
      stream.response.end();
    }
  }
}
setInterval(tick, 1);

function event(delta: unknown, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1764547200, model: "card", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

function pieces(text: string, count: number): string[] {
  const size = Math.ceil(text.length / count);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
}

function usage(input: number, cached: number, output: number): string {
  return `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1764547200, model: "card", choices: [], usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, prompt_tokens_details: { cached_tokens: cached } } })}\n\ndata: [DONE]\n\n`;
}

function cardEvents(index: number): string[] {
  const args = JSON.stringify({ action: "create", title: `Card ${index}`, content: benchCard(index) });
  const first = event({
    role: "assistant",
    content: null,
    tool_calls: [
      { index: 0, id: `call_${index}`, type: "function", function: { name: "manage_artifact", arguments: "" } },
    ],
  });
  const body = pieces(args, CARD_EVENTS).map((part) =>
    event({ tool_calls: [{ index: 0, function: { arguments: part } }] }),
  );
  return [first, ...body, event({}, "tool_calls") + usage(3000, 2560, 5440)];
}

function textEvents(): string[] {
  return [
    event({ role: "assistant", content: "" }),
    ...pieces(CLOSING, TEXT_EVENTS).map((part) => event({ content: part })),
    event({}, "stop") + usage(8500, 2944, 20),
  ];
}

async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrivedAt = Date.now();
  open++;
  requests++;
  maxOpen = Math.max(maxOpen, open);
  response.on("close", () => open--);
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as { messages: { role: string }[] };
  const first = !body.messages.some((m) => m.role === "tool");
  if (first) arrivals.push(arrivedAt);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  const stream: Stream = {
    response,
    events: first ? cardEvents(cards++) : textEvents(),
    dueFrom: performance.now() + FIRST_TOKEN_MS,
    next: 0,
  };
  streams.add(stream);
  response.on("close", () => streams.delete(stream));
}

const server = createServer((request, response) => {
  if (request.method === "POST" && request.url === "/v1/chat/completions") {
    complete(request, response).catch((error: unknown) => {
      console.error("scripted server:", error);
      response.destroy();
    });
    return;
  }
  if (request.url === "/reset") {
    maxOpen = open;
    requests = 0;
    arrivals = [];
    late = { worstMs: 0, sumMs: 0, events: 0 };
  }
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({
      open,
      maxOpen,
      requests,
      arrivals,
      lateWorstMs: late.worstMs,
      lateMeanMs: late.events === 0 ? 0 : late.sumMs / late.events,
    }),
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", 4096, () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
);
process.stdin.on("end", () => process.exit(0)).resume();
