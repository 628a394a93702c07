import type { ServerResponse } from "node:http";
import { ERROR_CODES, type ErrorCode, type Problem } from "@swarm/protocol";
import { isAppError, type Logger } from "@swarm/std";

/** RFC 9457. A code that is not in the table is a fault of ours: its words go to the log, not to the client. */
export function problemOf(error: unknown, logger: Logger): Problem {
  if (isAppError(error) && error.code in ERROR_CODES) return problem(error.code as ErrorCode, error.message);
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

export function sendProblem(response: ServerResponse, p: Problem, headers: Record<string, string> = {}): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(p.status, { "content-type": "application/problem+json", "cache-control": "no-store", ...headers });
  response.end(JSON.stringify(p));
}
