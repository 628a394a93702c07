/** Text to the model is cut to head and tail above this. */
export const OUTPUT_MAX_BYTES = 32 * 1024;
/** An error that a model reads: all of it, what stands beside it not counted. */
export const ERROR_MAX_BYTES = 1024;

/** Head and tail of a text with the count of what was cut between. Never cuts inside a character. */
export function capText(text: string, maxBytes: number): { readonly text: string; readonly truncated: boolean } {
  if (text.length * 3 <= maxBytes) return { text, truncated: false };
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return { text, truncated: false };
  const half = Math.floor((maxBytes - NOTICE_BYTES) / 2);
  const head = bytes.subarray(0, boundary(bytes, half));
  const tail = bytes.subarray(boundary(bytes, bytes.length - half));
  const cut = bytes.length - head.length - tail.length;
  return {
    text: `${head.toString("utf8")}\n… ${cut} of ${bytes.length} bytes left out here …\n${tail.toString("utf8")}`,
    truncated: true,
  };
}

const NOTICE_BYTES = 64;

/** The start of a text in at most `maxBytes` bytes, with an ellipsis when it was cut. */
export function headText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  const ellipsis = "…";
  return (
    bytes.subarray(0, boundary(bytes, Math.max(0, maxBytes - Buffer.byteLength(ellipsis)))).toString("utf8") + ellipsis
  );
}

/** The nearest place at or before `at` where a character begins. */
function boundary(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place > 0 && (bytes[place]! & 0xc0) === 0x80) place--;
  return place;
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly next?: string };
}

/** An error that stays short whatever a tool put into it: the message gives way, the next call stays whole. */
export function shortError<T extends object>(body: T): T {
  const { error } = body as Partial<ErrorBody>;
  if (error === undefined) return body;
  const size = (e: object): number => Buffer.byteLength(JSON.stringify({ ok: false, error: e }));
  let short = error;
  // escapes make a text longer than its bytes: shrink until it fits
  for (let room = ERROR_MAX_BYTES; size(short) > ERROR_MAX_BYTES && room > 0; room -= 64) {
    const message = headText(error.message, room);
    short = {
      ...error,
      message,
      ...(error.next === undefined ? {} : { next: headText(error.next, ERROR_MAX_BYTES / 2) }),
    };
  }
  return { ...body, error: short };
}
