import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { STREAM_SUBPROTOCOL } from "@swarm/protocol";
import { WebSocketServer, type WebSocket } from "ws";
import type { Gatekeeper } from "./guard.ts";
import type { HubDoor, TokenDesk } from "./ports.ts";

const MESSAGE_MAX_BYTES = 64 * 1024;
const HEARTBEAT_MS = 15_000;

/** The stream's door on a server: address, origin and ticket are checked before the upgrade; a ticket works once. */
export function attachStream(server: Server, o: { keeper: Gatekeeper; tokens: TokenDesk; hub: HubDoor }): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_MAX_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(STREAM_SUBPROTOCOL) ? STREAM_SUBPROTOCOL : false),
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refused = refusal(request, o.keeper, o.tokens);
    if (refused !== undefined) {
      socket.end(`HTTP/1.1 ${refused}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => serve(ws, o.hub));
  });
  server.on("close", () => {
    for (const ws of sockets.clients) ws.terminate();
  });
}

function refusal(request: IncomingMessage, keeper: Gatekeeper, tokens: TokenDesk): string | undefined {
  if (new URL(request.url ?? "/", "http://127.0.0.1").pathname !== "/v1/stream") return "404 Not Found";
  if (!keeper.hostAllowed(request) || !keeper.originAllowed(request)) return "403 Forbidden";
  const [protocol, ticket] = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((p) => p.trim());
  if (protocol !== STREAM_SUBPROTOCOL || ticket === undefined || !tokens.redeemStreamTicket(ticket))
    return "401 Unauthorized";
  return undefined;
}

function serve(ws: WebSocket, hub: HubDoor): void {
  const attached = hub.attach({
    send: (data) => {
      if (ws.readyState === ws.OPEN) ws.send(data, { binary: false });
    },
    get bufferedAmount() {
      return ws.bufferedAmount;
    },
    close: (code, reason) => ws.close(code, reason),
  });
  let alive = true;
  const heartbeat = setInterval(() => {
    if (!alive) {
      ws.terminate();
      return;
    }
    alive = false;
    ws.ping();
  }, HEARTBEAT_MS);
  ws.on("pong", () => (alive = true));
  ws.on("message", (data) => {
    alive = true;
    attached.message((data as Buffer).toString("utf8"));
  });
  ws.on("error", () => ws.terminate());
  ws.on("close", () => {
    clearInterval(heartbeat);
    attached.closed();
  });
}
