import type { IncomingMessage } from "node:http";
import { BODY_MAX_BYTES } from "@swarm/protocol";
import { AppError } from "@swarm/std";

/** Reads a JSON body: bounded, UTF-8, application/json only (a form of another page cannot send that). */
export async function readJson(request: IncomingMessage, limitBytes: number = BODY_MAX_BYTES): Promise<unknown> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new AppError("unsupported_media_type", `Send application/json, not '${type.slice(0, 80) || "nothing"}'.`);
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limitBytes) throw overLimit(declared, limitBytes);
  const text = (await readAll(request, limitBytes)).toString("utf8");
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("bad_request", `The body is not JSON: ${(error as Error).message.slice(0, 120)}`, {
      cause: error,
    });
  }
}

/** Whether the client may still be sending. */
export function bodyPending(request: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  return !request.complete && (encoding !== undefined || Number(length ?? 0) > 0);
}

/** Not `for await`: leaving that loop destroys the request, and what the client still sends could not be taken in any more. */
function readAll(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let parts: Buffer[] = [];
    let bytes = 0;
    const take = (part: Buffer): void => {
      bytes += part.length;
      if (bytes <= limitBytes) {
        parts.push(part);
        return;
      }
      parts = [];
      request.off("data", take);
      reject(overLimit(bytes, limitBytes));
    };
    request.on("data", take);
    request.once("end", () => resolve(Buffer.concat(parts)));
    request.once("close", () => reject(new AppError("bad_request", "The connection ended before the body did.")));
    request.once("error", (error) =>
      reject(new AppError("bad_request", "The connection broke before the body ended.", { cause: error })),
    );
  });
}

function overLimit(bytes: number, limitBytes: number): AppError {
  const said = limitBytes >= 1024 * 1024 ? `${limitBytes / 1024 / 1024} MiB` : `${limitBytes / 1024} KiB`;
  return new AppError("body_too_large", `The body has ${bytes} bytes or more, the limit is ${limitBytes} (${said}).`);
}
