/**
 * A provider for the bench, in a process of its own so that its CPU is not counted: each stream is one tool call of 16 KB
 * in `events` events of about 240 bytes, one write per `writeMs` with what is due. First line of output: `{"port":N}`.
 * Usage: provider.bench.ts <events> <events per second>. Ends with its standard input.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const EVENTS = Number(process.argv[2]);
const RATE = Number(process.argv[3]);
const WRITE_MS = 4;

const event = (delta: unknown, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1764547200, model: "card", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const args = JSON.stringify({ action: "create", content: '<div class="card">\n  <b>12 ms</b>\n</div>\n'.repeat(340) });
const size = Math.ceil(args.length / EVENTS);
const events = [
  event({
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "manage_artifact", arguments: "" } }],
  }),
  ...Array.from({ length: EVENTS }, (_, i) =>
    event({ tool_calls: [{ index: 0, function: { arguments: args.slice(i * size, (i + 1) * size) } }] }),
  ),
  `${event({}, "tool_calls")}data: ${JSON.stringify({ id: "chatcmpl-bench", choices: [], usage: { prompt_tokens: 3000, completion_tokens: 5440, total_tokens: 8440 } })}\n\ndata: [DONE]\n\n`,
];

const streams = new Map<ServerResponse, { next: number; from: number }>();
setInterval(() => {
  const now = performance.now();
  for (const [response, state] of streams) {
    const due = Math.min(events.length, Math.floor(((now - state.from) / 1000) * RATE) + 1);
    if (due <= state.next) continue;
    response.write(events.slice(state.next, due).join(""));
    state.next = due;
    if (due < events.length) continue;
    streams.delete(response);
    response.end();
  }
}, WRITE_MS);

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    streams.set(response, { next: 0, from: performance.now() });
    response.on("close", () => streams.delete(response));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", 4096, () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, argsUnits: args.length })),
);
process.stdin.on("end", () => process.exit(0)).resume();
