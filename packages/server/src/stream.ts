import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { STREAM_SUBPROTOCOL } from "@swarm/protocol";
import type { Logger } from "@swarm/std";
import { WebSocketServer, type WebSocket } from "ws";
import { targetOf, type FailureLimit, type Gatekeeper } from "./guard.ts";
import type { HubDoor, TokenDesk } from "./ports.ts";
import type { RefusalLog } from "./refusals.ts";

const MESSAGE_MAX_BYTES = 64 * 1024;
const HEARTBEAT_MS = 15_000;
/** Pings without an answer after which a client is gone. */
const MISSED_MAX = 2;
/** How long a client may take to answer the goodbye. */
const GOODBYE_MS = 1_000;

export interface StreamDoor {
  readonly keeper: Gatekeeper;
  readonly tokens: TokenDesk;
  readonly hub: HubDoor;
  readonly failures: FailureLimit;
  readonly refusals: RefusalLog;
  readonly logger: Logger;
  readonly heartbeatMs?: number;
}

/**
 * The stream's door on a server: address, origin and ticket are checked before the upgrade; a ticket works once.
 * Returns how to send the clients away: a server that has upgraded sockets never finishes closing by itself.
 */
export function attachStream(server: Server, o: StreamDoor): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_MAX_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(STREAM_SUBPROTOCOL) ? STREAM_SUBPROTOCOL : false),
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // an upgraded socket has no other listener: without this one, a client that resets it ends the process
    socket.on("error", () => socket.destroy());
    const refused = refusal(request, o);
    if (refused !== undefined) {
      o.refusals.note(request, CODES[refused.slice(0, 3)] ?? "not_found");
      socket.once("finish", () => socket.destroy());
      socket.end(`HTTP/1.1 ${refused}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => serve(ws, o));
  });
  return () => {
    for (const ws of sockets.clients) ws.close(1001, "the daemon is stopping");
    setTimeout(() => {
      for (const ws of sockets.clients) ws.terminate();
    }, GOODBYE_MS).unref();
  };
}

const CODES: Readonly<Record<string, string>> = {
  "401": "unauthorized",
  "403": "forbidden_origin",
  "429": "too_many_requests",
};

function refusal(request: IncomingMessage, o: StreamDoor): string | undefined {
  if (!o.keeper.hostAllowed(request) || !o.keeper.originAllowed(request)) return "403 Forbidden";
  if (targetOf(request)?.pathname !== "/v1/stream") return "404 Not Found";
  const [protocol, ticket] = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((p) => p.trim());
  if (protocol === STREAM_SUBPROTOCOL && ticket !== undefined && o.tokens.redeemStreamTicket(ticket)) return undefined;
  const waitS = o.failures.failed(request.socket.remoteAddress ?? "");
  return waitS === undefined ? "401 Unauthorized" : `429 Too Many Requests\r\nretry-after: ${waitS}`;
}

function serve(ws: WebSocket, o: StreamDoor): void {
  const attached = o.hub.attach({
    send: (data) => {
      if (ws.readyState === ws.OPEN) ws.send(data, { binary: false });
    },
    get bufferedAmount() {
      return ws.bufferedAmount;
    },
    close: (code, reason) => ws.close(code, reason),
  });
  let missed = 0;
  const heartbeat = setInterval(() => {
    if (missed >= MISSED_MAX) {
      ws.terminate();
      return;
    }
    missed++;
    ws.ping();
  }, o.heartbeatMs ?? HEARTBEAT_MS);
  ws.on("pong", () => (missed = 0));
  ws.on("message", (data) => {
    missed = 0;
    try {
      attached.message((data as Buffer).toString("utf8"));
    } catch (error) {
      // a bug costs this client its connection, never the process
      o.logger.log("error", "a message of a stream client failed", {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      ws.close(1011, "internal");
    }
  });
  ws.on("error", () => ws.terminate());
  ws.on("close", () => {
    clearInterval(heartbeat);
    attached.closed();
  });
}
