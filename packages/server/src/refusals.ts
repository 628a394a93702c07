import type { IncomingMessage } from "node:http";
import type { Logger } from "@swarm/std";

/** A page that tries again and again must not fill the disk with lines. */
const LINES_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const REFUSALS = new Set(["unauthorized", "forbidden_origin", "too_many_requests", "unsupported_media_type"]);

/** Says in the log who was turned away at the door, from where and why (I-02). Never a query, a header or a body: they may hold secrets. */
export class RefusalLog {
  readonly #logger: Logger;
  readonly #now: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** `now`: monotonic ms. */
  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  /** What is no refusal at the door (a wrong field, a missing session) is not noted. */
  note(request: IncomingMessage, code: string): void {
    if (!REFUSALS.has(code)) return;
    const now = this.#now();
    if (now - this.#since > MINUTE_MS) {
      if (this.#count > LINES_PER_MINUTE)
        this.#logger.log("warn", "more requests were refused", { count: this.#count - LINES_PER_MINUTE });
      this.#since = now;
      this.#count = 0;
    }
    if (++this.#count > LINES_PER_MINUTE) return;
    this.#logger.log("warn", "a request was refused", {
      code,
      peer: request.socket.remoteAddress ?? "",
      method: request.method ?? "",
      path: (request.url ?? "").split("?")[0]!.slice(0, 120),
      host: (request.headers.host ?? "").slice(0, 80),
      origin: (request.headers.origin ?? "").slice(0, 80),
    });
  }
}
