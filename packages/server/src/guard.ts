import type { IncomingMessage } from "node:http";

/** Failed proofs of identity per minute and peer before it has to wait. */
const FAILURES_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

/** Counts wrong tokens by peer. Only requests without a valid token are ever refused for it. */
export class FailureLimit {
  readonly #now: () => number;
  readonly #peers = new Map<string, { count: number; since: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a failure; seconds to wait when there were too many. */
  failed(peer: string): number | undefined {
    const now = this.#now();
    const entry = this.#peers.get(peer);
    if (entry === undefined || now - entry.since > MINUTE_MS) {
      if (this.#peers.size > 1000) this.#peers.clear();
      this.#peers.set(peer, { count: 1, since: now });
      return undefined;
    }
    entry.count++;
    return entry.count > FAILURES_PER_MINUTE ? Math.ceil((MINUTE_MS - (now - entry.since)) / 1000) : undefined;
  }
}

/** The addresses a listener answers to: a rebound name of another site is not among them. */
export class Gatekeeper {
  readonly #hosts = new Set<string>();
  readonly #origins = new Set<string>();

  allow(host: string, port: number): void {
    this.#hosts.add(`${host}:${port}`);
    this.#origins.add(`http://${host}:${port}`);
  }

  /** `localhost` on this listener's port: a page asked for under that name is sent to the address itself. */
  movedTo(request: IncomingMessage): string | undefined {
    const port = request.socket.localPort;
    return request.headers.host === `localhost:${port}` && this.#hosts.has(`127.0.0.1:${port}`)
      ? `http://127.0.0.1:${port}`
      : undefined;
  }

  hostAllowed(request: IncomingMessage): boolean {
    return this.#hosts.has(request.headers.host ?? "");
  }

  /** A browser says where a request comes from on everything but plain reads; programs say nothing. */
  originAllowed(request: IncomingMessage): boolean {
    const { origin } = request.headers;
    if (origin !== undefined) return this.#origins.has(origin);
    const site = request.headers["sec-fetch-site"];
    return site === undefined || site === "same-origin" || site === "none";
  }
}

/** What a request line asks for; undefined when it is no path (`*`, another machine's address). Never throws, whatever was sent. */
export function targetOf(request: IncomingMessage): URL | undefined {
  const { url } = request;
  // set before the path, not as its base: `//name` must stay a path
  return url?.startsWith("/") ? new URL(`http://127.0.0.1${url}`) : undefined;
}

export function bearerOf(request: IncomingMessage): string {
  return /^Bearer ([\w-]{1,200})$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
}
