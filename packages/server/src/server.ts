import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PROTOCOL_VERSION } from "@swarm/protocol";
import { AppError, errnoCode, type Logger } from "@swarm/std";
import type * as z from "zod/mini";
import { artifactServer, SHARDS } from "./artifact-origin.ts";
import { readJson } from "./body.ts";
import { serveFile } from "./files.ts";
import { bearerOf, FailureLimit, Gatekeeper, targetOf } from "./guard.ts";
import { nextFreePort, portOwner } from "./port-owner.ts";
import type { HubDoor, ServerCommands, TokenDesk } from "./ports.ts";
import { problemOf, sendProblem } from "./problem.ts";
import { RefusalLog } from "./refusals.ts";
import { apiRoutes, openApi, type Route } from "./routes.ts";
import { attachStream } from "./stream.ts";

export interface ServerOptions {
  /** 0: any free port. */
  readonly addresses: { readonly api: number; readonly desktop: number; readonly artifacts: number };
  readonly host: "127.0.0.1";
  readonly tokens: TokenDesk;
  readonly commands: ServerCommands;
  readonly hub: HubDoor;
  readonly desktopDir: string | undefined;
  readonly logger: Logger;
  ready(): boolean;
}

export interface RunningServer {
  readonly addresses: { readonly api: string; readonly desktop: string; readonly artifacts: string };
  close(): Promise<void>;
}

const KEY_MAX_CHARS = 200;
const FLAGS = { api: "--api-port", desktop: "--desktop-port", artifacts: "--artifact-port" } as const;

/** Listens on three ports of loopback. Rejects with AppError `port_taken` naming the owner and the next free port. */
export async function startServer(o: ServerOptions): Promise<RunningServer> {
  const ports = { api: 0, desktop: 0, artifacts: 0 };
  const failures = new FailureLimit(() => performance.now());
  let shard = 0;
  const routes = apiRoutes(o.commands, o.tokens, {
    ready: () => o.ready(),
    frameUrl: (ticket) => `http://s${shard++ % SHARDS}.localhost:${ports.artifacts}/${ticket}/`,
  });
  const table = new RouteTable([
    ...routes,
    {
      method: "GET",
      path: "/v1/openapi.json",
      what: "This document.",
      auth: true,
      handle: () => ({ json: openApi(routes, String(PROTOCOL_VERSION)) }),
    },
  ]);
  const keepers = { api: new Gatekeeper(), desktop: new Gatekeeper() };
  const refusals = new RefusalLog(o.logger, () => performance.now());
  const context = { o, table, failures, refusals };
  const api = createServer((request, response) => void answer(context, keepers.api, undefined, request, response));
  const desktop = createServer(
    (request, response) => void answer(context, keepers.desktop, desktopHeaders(ports), request, response),
  );
  const artifacts = artifactServer({
    tokens: o.tokens,
    commands: o.commands,
    desktopOrigins: () => [`http://127.0.0.1:${ports.desktop}`],
    logger: o.logger,
  });
  const servers = { api, desktop, artifacts };
  const opened: Server[] = [];
  try {
    for (const name of ["api", "desktop", "artifacts"] as const) {
      ports[name] = await listen(servers[name], o.addresses[name], o.host, FLAGS[name], Object.values(o.addresses));
      opened.push(servers[name]);
    }
  } catch (error) {
    await Promise.all(opened.map(closeServer));
    throw error;
  }
  const streams = (["api", "desktop"] as const).map((name) => {
    keepers[name].allow("127.0.0.1", ports[name]);
    return attachStream(servers[name], {
      keeper: keepers[name],
      tokens: o.tokens,
      hub: o.hub,
      failures,
      refusals,
      logger: o.logger,
    });
  });
  return {
    addresses: {
      api: `http://127.0.0.1:${ports.api}`,
      desktop: `http://127.0.0.1:${ports.desktop}`,
      artifacts: `http://127.0.0.1:${ports.artifacts}`,
    },
    async close() {
      for (const sendAway of streams) sendAway();
      await Promise.all(Object.values(servers).map(closeServer));
    },
  };
}

function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}

class RouteTable {
  readonly routes: readonly { readonly route: Route; readonly pattern: RegExp; readonly names: readonly string[] }[];
  constructor(routes: readonly Route[]) {
    this.routes = routes.map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replace(/:\w+/g, "([^/]{1,200})")}$`),
      names: [...route.path.matchAll(/:(\w+)/g)].map((m) => m[1]!),
    }));
  }
  find(method: string, path: string): { route: Route; params: Record<string, string> } | "method" | undefined {
    let known = false;
    for (const { route, pattern, names } of this.routes) {
      const match = pattern.exec(path);
      if (match === null) continue;
      known = true;
      if (route.method === method)
        return { route, params: Object.fromEntries(names.map((n, i) => [n, safeDecode(match[i + 1]!)])) };
    }
    return known ? "method" : undefined;
  }
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Context = {
  readonly o: ServerOptions;
  readonly table: RouteTable;
  readonly failures: FailureLimit;
  readonly refusals: RefusalLog;
};

/** One request: address, origin, route, token, body, command. `page`: headers of the desktop's files; undefined on the API's port. */
async function answer(
  context: Context,
  keeper: Gatekeeper,
  page: Record<string, string> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { o, table, failures, refusals } = context;
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
  let open = false;
  try {
    const url = targetOf(request);
    if (!keeper.hostAllowed(request)) {
      const moved = page !== undefined && request.method === "GET" ? keeper.movedTo(request) : undefined;
      if (moved !== undefined && url !== undefined && !url.pathname.startsWith("/v1/")) {
        response.writeHead(308, { location: `${moved}${url.pathname}${url.search}` });
        response.end();
        return;
      }
      throw new AppError(
        "forbidden_origin",
        `This daemon does not answer to the name '${(request.headers.host ?? "").slice(0, 80)}'.`,
      );
    }
    if (url === undefined) throw new AppError("bad_request", "The request names no path of this daemon.");
    const found = table.find(request.method ?? "", url.pathname);
    if (found === undefined) {
      if (
        page !== undefined &&
        (request.method === "GET" || request.method === "HEAD") &&
        !url.pathname.startsWith("/v1/")
      ) {
        serveFile(o.desktopDir, url.pathname, page, response);
        return;
      }
      authorise(context, request, failures, true);
      throw new AppError("not_found", `There is no ${url.pathname.slice(0, 120)}.`);
    }
    if (found !== "method" && request.method !== "GET" && !keeper.originAllowed(request))
      throw new AppError("forbidden_origin", "This request came from a page of another origin.");
    const needs = found === "method" || found.route.auth;
    const actor = authorise(context, request, failures, needs);
    if (found === "method")
      throw new AppError("method_not_allowed", `${request.method} is not a method of ${url.pathname}.`);
    const { route, params } = found;
    open = !route.auth;
    const body = route.method === "POST" ? parse(route, await readJson(request, route.limitBytes)) : undefined;
    const key = String(request.headers["idempotency-key"] || randomUUID());
    if (key.length > KEY_MAX_CHARS)
      throw new AppError("bad_request", `Idempotency-Key has ${key.length} characters, the limit is ${KEY_MAX_CHARS}`);
    const reply = await route.handle({ params, query: url.searchParams, body, actor, key });
    if ("json" in reply) {
      response.writeHead(reply.status ?? 200, { "content-type": "application/json", "cache-control": "no-store" });
      response.end(JSON.stringify(reply.json));
    } else {
      response.writeHead(200, {
        "content-type": reply.type,
        "cache-control": reply.fixed ? "private, max-age=3600" : "no-store",
        "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
      });
      response.end(reply.bytes);
    }
  } catch (thrown) {
    const error = open ? guessed(thrown, request, failures) : thrown;
    const p = problemOf(error, o.logger);
    refusals.note(request, p.code);
    const wait =
      p.code === "too_many_requests" && error instanceof AppError
        ? { "retry-after": String(error.details["retryAfterS"]) }
        : {};
    sendProblem(request, response, p, wait);
  }
}

function authorise(context: Context, request: IncomingMessage, failures: FailureLimit, needed: boolean): string {
  const id = context.o.tokens.check(bearerOf(request));
  if (id !== undefined) return `client:${id}`;
  if (!needed) return "client:none";
  throw refused(new AppError("unauthorized", "This request carries no valid token."), request, failures);
}

/** Counts a failed proof; after too many, the peer is told to wait instead. */
function refused(error: AppError, request: IncomingMessage, failures: FailureLimit): AppError {
  const waitS = failures.failed(request.socket.remoteAddress ?? "");
  return waitS === undefined
    ? error
    : new AppError("too_many_requests", `Too many wrong tokens or codes: wait ${waitS} s.`, {
        details: { retryAfterS: waitS },
      });
}

/** A wrong login code is a guess like a wrong token is. */
function guessed(error: unknown, request: IncomingMessage, failures: FailureLimit): unknown {
  return error instanceof AppError && error.code === "unauthorized" ? refused(error, request, failures) : error;
}

function parse(route: Route, body: unknown): unknown {
  if (route.body === undefined) return body;
  const result = route.body.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join(".") || "body";
  if (where === "task" && issue?.code === "too_big")
    throw new AppError(
      "body_too_large",
      `The task is over the limit of ${(issue as { maximum?: number }).maximum} bytes (4 MiB): put long material into files.`,
    );
  throw new AppError("bad_request", `${where}: ${issue === undefined ? "is not valid" : wrong(issue)}`);
}

/** What is wrong with one field, in words. */
function wrong(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return `${issue.keys.join(", ")} ${issue.keys.length === 1 ? "is not a field" : "are not fields"} here`;
    case "invalid_type":
      return `must be ${issue.expected}`;
    case "too_big":
      return `must be at most ${String(issue.maximum)}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be at least ${String(issue.minimum)}`;
    default:
      return issue.message;
  }
}

function desktopHeaders(ports: { readonly desktop: number; readonly artifacts: number }): Record<string, string> {
  return {
    get "content-security-policy"() {
      return `default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self' ws://127.0.0.1:${ports.desktop}; frame-src http://*.localhost:${ports.artifacts}; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    },
  };
}

async function listen(
  server: Server,
  port: number,
  host: string,
  flag: string,
  kept: readonly number[],
): Promise<number> {
  server.keepAliveTimeout = 30_000;
  server.headersTimeout = 15_000;
  server.requestTimeout = 60_000;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, 1024, resolve);
    });
  } catch (error) {
    if (errnoCode(error) !== "EADDRINUSE") throw error;
    const owner = portOwner(port);
    const free = await nextFreePort(port, host, kept);
    throw new AppError(
      "port_taken",
      `Port ${port} is taken${owner === undefined ? "" : ` by ${owner}`}: stop it${free === undefined ? "" : `, or start with ${flag} ${free}, which is free`}.`,
      { retry: "after-fix", cause: error },
    );
  }
  return (server.address() as AddressInfo).port;
}
