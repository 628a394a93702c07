import type { IncomingMessage, ServerResponse } from "node:http";
import { ERROR_CODES, type ErrorCode, type Problem } from "@swarm/protocol";
import { isAppError, type Logger } from "@swarm/std";
import { bodyPending } from "./body.ts";

/** How long a refused body is still taken in and thrown away, so that the client can read why. */
const LINGER_MS = 2_000;

/** RFC 9457. A code that is not in the table is a fault of ours: its words go to the log, not to the client. */
export function problemOf(error: unknown, logger: Logger): Problem {
  if (isAppError(error) && Object.hasOwn(ERROR_CODES, error.code))
    return problem(error.code as ErrorCode, error.message);
  logger.log("error", "a request failed", {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return problem("internal", "The daemon failed on this request; its log says why.");
}

export function problem(code: ErrorCode, detail: string): Problem {
  const { status, fix } = ERROR_CODES[code];
  return {
    type: `https://swarm.invalid/problems/${code}`,
    title: code.replaceAll("_", " "),
    status,
    detail,
    code,
    fix,
  };
}

/** Answers and, when the client is still sending, closes only after it stopped: closing on unread bytes would reset the answer away. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  p: Problem,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = Buffer.from(JSON.stringify(p));
  const pending = bodyPending(request);
  response.writeHead(p.status, {
    "content-type": "application/problem+json",
    "content-length": body.length,
    "cache-control": "no-store",
    ...headers,
    ...(pending ? { connection: "close" } : {}),
  });
  if (!pending) {
    response.end(body);
    return;
  }
  response.write(body);
  const giveUp = setTimeout(() => response.end(), LINGER_MS);
  request.once("close", () => clearTimeout(giveUp));
  request.once("end", () => response.end());
  request.resume();
}
