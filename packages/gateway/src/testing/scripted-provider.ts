import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

export type Answer = (response: ServerResponse, seen: SeenRequest) => void | Promise<void>;

/** A provider that answers what the test says, request by request, the last answer for ever after. */
export class ScriptedProvider implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;
  #answers: Answer[] = [];
  open = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(...answers: Answer[]): Promise<ScriptedProvider> {
    const server = createServer();
    const provider = new ScriptedProvider(server);
    provider.#answers = answers;
    server.on("request", (request, response) => {
      const parts: Buffer[] = [];
      provider.open++;
      response.on("close", () => provider.open--);
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const seen = {
          method: request.method ?? "",
          url: request.url ?? "",
          headers: request.headers,
          body: Buffer.concat(parts).toString("utf8"),
          atMs: performance.now(),
        };
        provider.seen.push(seen);
        const answer = provider.#answers.length > 1 ? provider.#answers.shift()! : provider.#answers[0]!;
        void answer(response, seen);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  script(...answers: Answer[]): void {
    this.#answers = answers;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export const SSE_HEADERS = { "content-type": "text/event-stream" };

/** Writes the bytes cut at the given offsets, one event-loop turn apart, then ends or resets. */
export function streamOf(
  bytes: Buffer | string,
  cuts: readonly number[] = [],
  end: "end" | "reset" = "end",
  headers: Record<string, string> = SSE_HEADERS,
): Answer {
  const whole = Buffer.from(bytes);
  return async (response) => {
    response.socket?.setNoDelay(true);
    response.writeHead(200, headers);
    response.flushHeaders();
    const edges = [...new Set([0, ...cuts.map((c) => c % (whole.length + 1)), whole.length])].sort((a, b) => a - b);
    for (let i = 1; i < edges.length; i++) {
      response.write(whole.subarray(edges[i - 1], edges[i]));
      await turn();
    }
    if (end === "end") response.end();
    else {
      await turn();
      response.destroy();
    }
  };
}

export function status(code: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

export function chatEvents(...deltas: unknown[]): string {
  return deltas
    .map(
      (d) =>
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "served-1", choices: [{ index: 0, delta: d, finish_reason: null }] })}\n\n`,
    )
    .join("");
}

export function chatEnd(
  reason = "stop",
  usage: unknown = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
): string {
  const finish = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "served-1", choices: [{ index: 0, delta: {}, finish_reason: reason }] })}\n\n`;
  const counts =
    usage === null
      ? ""
      : `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "served-1", choices: [], usage })}\n\n`;
  return `${finish}${counts}data: [DONE]\n\n`;
}

export function geminiEvent(
  parts: unknown[],
  rest: Record<string, unknown> = {},
  candidate: Record<string, unknown> = {},
): string {
  return `data: ${JSON.stringify({ candidates: [{ content: { parts, role: "model" }, index: 0, ...candidate }], modelVersion: "gemini-served", ...rest })}\r\n\r\n`;
}
