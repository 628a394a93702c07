/** The HTTP surface: two provider wires and the simulator's own `/_sim` routes. */
import { hash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError } from "@swarm/std";
import type { Decision } from "./decide/actions.ts";
import { decide } from "./decide/decide.ts";
import type { Temperament } from "./decide/temperament.ts";
import { defaultMessage, errorBody, faultOf } from "./faults.ts";
import { Ledger, type LogEntry, type Stats } from "./ledger.ts";
import { PrefixCache } from "./prefix-cache.ts";
import { BadRequest, type ParsedRequest } from "./request.ts";
import { DEFAULT_SCENARIO, type Fault, type Scenario } from "./scenario.ts";
import { hash32, hexFrom, normal, seededRandom } from "./seeded.ts";
import { StreamPacer, type OutgoingFault } from "./stream.ts";
import { Tokenizer } from "./tokens.ts";
import { chatEvents, parseChat } from "./wire/chat.ts";
import type { OutputItem } from "./wire/events.ts";
import { geminiEvents, parseGemini } from "./wire/gemini.ts";

const BODY_MAX_BYTES = 32 * 1024 * 1024;
const LOG_PAGE_MAX = 1000;
/** Keys that a real provider would refuse. */
const REFUSED_KEYS = new Set(["wrong", "invalid"]);

export interface SimulatorOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host?: string;
  readonly scenario?: Scenario;
  readonly seed?: number;
  /** All waits are divided by this. */
  readonly speed?: number;
}

export interface Simulator {
  readonly port: number;
  stats(): Stats;
  log(after?: number): readonly LogEntry[];
  reset(): void;
  close(): Promise<void>;
}

class SimulatorServer implements Simulator {
  readonly #http: Server;
  readonly #scenario: Scenario;
  readonly #seed: number;
  readonly #speed: number;
  readonly #ledger = new Ledger();
  readonly #tokenizer = new Tokenizer();
  readonly #cache: PrefixCache;
  readonly #pacer = new StreamPacer(() => performance.now());
  #startedMs = performance.now();

  constructor(options: SimulatorOptions) {
    this.#scenario = options.scenario ?? DEFAULT_SCENARIO;
    this.#seed = options.seed ?? 1;
    this.#speed = options.speed ?? 1;
    this.#cache = new PrefixCache(this.#scenario.cache);
    this.#tokenizer.count("The tables are built at the first use: before the first request, not in it.");
    // Idle sockets outlive the client's pool, so that the client is the one who closes.
    this.#http = createServer({ keepAliveTimeout: 75_000, requestTimeout: 0 }, (request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        if (!response.headersSent)
          sendJson(response, 500, { error: { message: error instanceof Error ? error.message : String(error) } });
        else response.destroy();
      });
    });
  }

  async listen(port: number, host: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once("error", (cause) =>
        reject(new AppError("port_taken", `cannot listen on port ${port}`, { cause })),
      );
      this.#http.listen(port, host, resolve);
    });
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }
  stats(): Stats {
    return this.#ledger.stats();
  }
  log(after = 0): readonly LogEntry[] {
    return this.#ledger.after(after, LOG_PAGE_MAX);
  }
  reset(): void {
    this.#ledger.reset();
    this.#cache.clear();
    this.#startedMs = performance.now();
  }
  async close(): Promise<void> {
    if (!this.#http.listening) return;
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#pacer.stop();
    this.#http.closeAllConnections();
    await closed;
  }

  #atMs(): number {
    return Math.round((performance.now() - this.#startedMs) * 1000) / 1000;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://sim");
    const route = `${request.method ?? ""} ${url.pathname}`;
    if (route === "GET /_sim/stats") return sendJson(response, 200, this.stats());
    if (route === "GET /_sim/log")
      return sendJson(response, 200, { entries: this.log(Number(url.searchParams.get("after") ?? 0)) });
    if (route === "GET /v1/models")
      return sendJson(response, 200, {
        object: "list",
        data: Object.keys(this.#scenario.temperaments).map((id) => ({ id, object: "model", owned_by: "simulator" })),
      });
    if (route === "GET /v1beta/models")
      return sendJson(response, 200, {
        models: Object.keys(this.#scenario.temperaments).map((id) => ({
          name: `models/${id}`,
          displayName: `${id} (simulated)`,
          supportedGenerationMethods: ["generateContent"],
        })),
      });
    const body = await readBody(request);
    if (body === undefined)
      return sendJson(response, 413, { error: { message: `the body is over ${BODY_MAX_BYTES} bytes` } });
    if (route === "POST /_sim/reset") {
      this.reset();
      return sendJson(response, 200, { ok: true });
    }
    const gemini = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(\w+)$/.exec(url.pathname);
    if (request.method === "POST" && gemini)
      return this.#complete(
        "gemini",
        request,
        response,
        body,
        (value) => {
          if (gemini[2] !== "streamGenerateContent" || url.searchParams.get("alt") !== "sse")
            throw new BadRequest("the simulator only streams: use :streamGenerateContent?alt=sse");
          return parseGemini(decodeURIComponent(gemini[1]!), value);
        },
        url.searchParams.get("key"),
      );
    if (route === "POST /v1/chat/completions") return this.#complete("chat", request, response, body, parseChat, null);
    sendJson(response, 404, { error: { code: 404, message: `no such route: ${route}`, status: "NOT_FOUND" } });
  }

  #complete(
    wire: "gemini" | "chat",
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    parse: (value: unknown) => ParsedRequest,
    keyParam: string | null,
  ): void {
    const refuse = (status: number, message: string): void =>
      sendJson(response, status, errorBody(wire, status, { message }));
    const key =
      keyParam ?? header(request, "x-goog-api-key") ?? header(request, "authorization")?.replace(/^Bearer\s+/i, "");
    if (key !== undefined && REFUSED_KEYS.has(key))
      return refuse(
        401,
        wire === "gemini" ? "API key not valid. Please pass a valid API key." : "Incorrect API key provided.",
      );
    let parsed: ParsedRequest;
    try {
      parsed = parse(JSON.parse(body.toString("utf8")));
    } catch (error) {
      if (error instanceof BadRequest) return refuse(error.status, error.message);
      if (error instanceof SyntaxError) return refuse(400, `the body is not JSON: ${error.message}`);
      throw error;
    }
    const temperament = this.#scenario.temperaments[parsed.model];
    if (temperament === undefined)
      return refuse(
        404,
        `model ${parsed.model} is not found (known: ${Object.keys(this.#scenario.temperaments).join(", ")})`,
      );
    this.#answer(parsed, temperament, body, response);
  }

  #answer(request: ParsedRequest, temperament: Temperament, body: Buffer, response: ServerResponse): void {
    const segments = request.segments.map((segment) => this.#tokenizer.encode(segment));
    const input = segments.reduce((n, tokens) => n + tokens.length, 0);
    const bodyHash = hash("sha256", body, "hex");
    const prefixHash = hash("sha256", request.segments.slice(0, request.frozenSegments).join("\n"), "hex");
    const entry = this.#ledger.begin({
      atMs: this.#atMs(),
      wire: request.wire,
      model: request.model,
      bytes: body.length,
      hash: bodyHash,
      prefixHash,
      inputTokens: input,
    });
    const fault = faultOf(
      this.#scenario.faults,
      { n: entry.n, atMs: entry.atMs, model: request.model, hash: bodyHash },
      this.#seed,
      this.#ledger,
    );
    if (fault !== undefined) this.#ledger.fault(entry, fault.type, fault.type === "status" ? fault.status : 200);
    if (fault?.type === "refuse_connection" || fault?.type === "status")
      return this.#turnAway(entry, request.wire, fault, response);
    this.#start(
      request,
      decide(request, temperament, this.#seed),
      { segments, input, bodyHash, entry, fault },
      response,
    );
  }

  #turnAway(
    entry: LogEntry,
    wire: "gemini" | "chat",
    fault: Extract<Fault, { type: "status" | "refuse_connection" }>,
    response: ServerResponse,
  ): void {
    this.#ledger.end(entry, "refused", this.#atMs());
    if (fault.type === "refuse_connection") {
      response.socket?.resetAndDestroy();
      return;
    }
    const quota = fault.quota ?? false;
    const detail = {
      message: fault.message ?? defaultMessage(fault.status, quota),
      retryAfter: fault.retryAfter,
      quota,
    };
    sendJson(
      response,
      fault.status,
      errorBody(wire, fault.status, detail),
      fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter },
    );
  }

  #start(
    request: ParsedRequest,
    decision: Decision,
    o: { segments: readonly Uint32Array[]; input: number; bodyHash: string; entry: LogEntry; fault: Fault | undefined },
    response: ServerResponse,
  ): void {
    const { timing, cache } = this.#scenario;
    const keys = this.#cache.keysOf(o.segments);
    const cached = this.#cache.read(keys, performance.now());
    const items = outputOf(decision);
    this.#ledger.usage(
      o.entry,
      cached,
      items.reduce((n, item) => n + this.#tokenizer.count(item.type === "call" ? item.json : item.text), 0),
    );
    const random = seededRandom(hash32(`${this.#seed}:pace:${o.bodyHash}`));
    const ttftMs = (timing.ttftMedianMs * Math.exp(timing.ttftSigma * normal(random))) / this.#speed;
    const id = hexFrom(`${this.#seed}:${o.bodyHash}`, 24);
    const source = { request, items, input: o.input, cached, id, tokenizer: this.#tokenizer, random };
    const remember = (): void => this.#cache.write(keys, performance.now());
    this.#pacer.add({
      response,
      events: request.wire === "gemini" ? geminiEvents(source) : chatEvents(source),
      headers: {
        "content-type": request.wire === "gemini" ? "text/event-stream" : "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
      },
      startAtMs: performance.now() + ttftMs,
      msPerToken: 1000 / timing.tokensPerSecond / this.#speed,
      jitter: timing.jitter,
      random,
      fault: streamFault(o.fault, request.wire),
      onFirstToken: () => {
        o.entry.firstTokenAtMs = this.#atMs();
        if (cache.readable === "first_token") remember();
      },
      onClosed: (outcome) => {
        if (outcome === "complete" && cache.readable === "completion") remember();
        this.#ledger.end(o.entry, outcome, this.#atMs());
      },
    });
  }
}

function streamFault(fault: Fault | undefined, wire: "gemini" | "chat"): OutgoingFault | undefined {
  if (fault === undefined || fault.type === "status" || fault.type === "refuse_connection") return undefined;
  const error = errorBody(wire, 503, { message: defaultMessage(503, false) });
  return { ...fault, errorFrame: `data: ${JSON.stringify(error)}\n\n` };
}

function outputOf(decision: Decision): OutputItem[] {
  const items: OutputItem[] = decision.thought === "" ? [] : [{ type: "thought", text: decision.thought }];
  for (const action of decision.actions) {
    if (action.type === "text") items.push(action);
    else
      items.push({
        type: "call",
        name: action.name,
        json: action.type === "call" ? JSON.stringify(action.args) : action.json,
      });
  }
  return items;
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Undefined when it is too long: the rest is read and dropped so that the answer can be sent. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_MAX_BYTES) chunks.push(chunk);
  }
  return size > BODY_MAX_BYTES ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

/** Starts a simulator in this process. Loopback only unless another host is named. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const server = new SimulatorServer(options);
  await server.listen(options.port, options.host ?? "127.0.0.1");
  return server;
}
