import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoCode } from "@swarm/std";

/** A login code is typed or clicked soon after it was printed. */
const LOGIN_CODE_MS = 60_000;
/** A ticket is used by the very next request. */
const STREAM_TICKET_MS = 10_000;
/** A frame lives as long as a page is looked at; it is asked for anew on reload. */
const FRAME_TICKET_MS = 15 * 60_000;
/** Unused tickets of each sort: beyond it the oldest goes. */
const TICKETS_MAX = 4_096;

export interface FrameTarget {
  readonly artifact: string;
  readonly revision: number;
}

/** Who may speak to the daemon: one bearer token in a 0600 file, single-use codes and tickets in memory. */
export class Tokens {
  readonly #path: string;
  #token: string;
  readonly #codes: Tickets<true>;
  readonly #streams: Tickets<true>;
  readonly #frames: Tickets<FrameTarget>;

  constructor(home: string, now: () => number) {
    this.#path = join(home, "token");
    mkdirSync(home, { recursive: true, mode: 0o700 });
    this.#token = this.#read() ?? this.rotate();
    this.#codes = new Tickets(LOGIN_CODE_MS, now);
    this.#streams = new Tickets(STREAM_TICKET_MS, now);
    this.#frames = new Tickets(FRAME_TICKET_MS, now);
  }

  /** The token's id when it is right, in constant time. */
  check(bearer: string): string | undefined {
    return same(bearer, this.#token) ? createHash("sha256").update(this.#token).digest("hex").slice(0, 8) : undefined;
  }

  rotate(): string {
    const token = randomBytes(32).toString("base64url");
    writeFileSync(`${this.#path}.new`, `${token}\n`, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
    this.#token = token;
    return token;
  }

  createLoginCode(): string {
    return this.#codes.issue(true).ticket;
  }
  exchange(code: string): string | undefined {
    return this.#codes.redeem(code) === undefined ? undefined : this.#token;
  }
  createStreamTicket(): string {
    return this.#streams.issue(true).ticket;
  }
  redeemStreamTicket(ticket: string): boolean {
    return this.#streams.redeem(ticket) !== undefined;
  }
  createFrameTicket(target: FrameTarget): { ticket: string; expiresAt: number } {
    return this.#frames.issue(target);
  }
  /** A frame may load more than once while its ticket lives. */
  frameOf(ticket: string): FrameTarget | undefined {
    return this.#frames.look(ticket);
  }

  #read(): string | undefined {
    try {
      const token = readFileSync(this.#path, "utf8").trim();
      return token.length >= 32 ? token : undefined;
    } catch (error) {
      if (errnoCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }
}

class Tickets<T> {
  readonly #lifeMs: number;
  readonly #now: () => number;
  readonly #open = new Map<string, { value: T; until: number }>();

  constructor(lifeMs: number, now: () => number) {
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  issue(value: T): { ticket: string; expiresAt: number } {
    const now = this.#now();
    for (const [ticket, entry] of this.#open) {
      if (entry.until > now && this.#open.size < TICKETS_MAX) break;
      this.#open.delete(ticket);
    }
    const ticket = randomBytes(24).toString("base64url");
    this.#open.set(ticket, { value, until: now + this.#lifeMs });
    return { ticket, expiresAt: Date.now() + this.#lifeMs };
  }

  redeem(ticket: string): T | undefined {
    const value = this.look(ticket);
    this.#open.delete(ticket);
    return value;
  }

  look(ticket: string): T | undefined {
    const entry = this.#open.get(ticket);
    return entry !== undefined && entry.until > this.#now() ? entry.value : undefined;
  }
}

/** Hashes first, so that neither the length nor the place of the first difference shows in time. */
function same(a: string, b: string): boolean {
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}

/** `now`: monotonic ms. */
export function openTokens(home: string, now: () => number): Tokens {
  return new Tokens(home, now);
}
