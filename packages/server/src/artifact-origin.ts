import { createServer, type Server } from "node:http";
import type { Logger } from "@swarm/std";
import type { ServerCommands, TokenDesk } from "./ports.ts";

/** Shards: a card that runs away shares its process with few. */
export const SHARDS = 4;

/**
 * The origin of artifacts: `http://s<n>.localhost:<port>/<ticket>/`. Serves one document per ticket, in a sandbox that
 * may run scripts and nothing else: no network, no storage, no navigation, framed by the desktop only.
 */
export function artifactServer(o: {
  tokens: TokenDesk;
  commands: ServerCommands;
  desktopOrigins: () => readonly string[];
  logger: Logger;
}): Server {
  return createServer((request, response) => {
    const host = /^s[0-3]\.localhost:(\d+)$/.exec(request.headers.host ?? "")?.[1] === String(request.socket.localPort);
    const ticket = /^\/([\w-]{16,64})\/$/.exec(request.url ?? "")?.[1];
    const target = host && ticket !== undefined && request.method === "GET" ? o.tokens.frameOf(ticket) : undefined;
    const nothing = (): void => {
      response.writeHead(404, {
        "content-type": "text/plain",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
      response.end("This address is not valid or no longer valid.");
    };
    if (target === undefined) {
      nothing();
      return;
    }
    o.commands.artifactContent(target.artifact, target.revision).then(
      (bytes) => {
        if (bytes === undefined) {
          nothing();
          return;
        }
        response.writeHead(200, {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": `sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; frame-ancestors ${o.desktopOrigins().join(" ")}`,
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "cache-control": "no-store",
          "cross-origin-resource-policy": "cross-origin",
        });
        response.end(bytes);
      },
      (error: unknown) => {
        o.logger.log("error", "an artifact could not be read for its frame", {
          artifact: target.artifact,
          revision: target.revision,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
        nothing();
      },
    );
  });
}
