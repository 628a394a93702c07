import type { IncomingMessage } from "node:http";
import { BODY_MAX_BYTES } from "@swarm/protocol";
import { AppError } from "@swarm/std";

/** Reads a JSON body: bounded, UTF-8, application/json only (a form of another page cannot send that). */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new AppError("unsupported_media_type", `Send application/json, not '${type.slice(0, 80) || "nothing"}'.`);
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > BODY_MAX_BYTES) throw overLimit(declared);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > BODY_MAX_BYTES) throw overLimit(bytes);
    parts.push(part as Buffer);
  }
  const text = Buffer.concat(parts).toString("utf8");
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("bad_request", `The body is not JSON: ${(error as Error).message.slice(0, 120)}`, {
      cause: error,
    });
  }
}

function overLimit(bytes: number): AppError {
  return new AppError("body_too_large", `The body has ${bytes} bytes or more, the limit is ${BODY_MAX_BYTES} (8 MiB).`);
}
