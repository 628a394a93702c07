import type { Logger } from "@swarm/std";

/** Shorter values would cut ordinary words out of every line. */
const SECRET_MIN_CHARS = 8;

/** Key formats that are a secret wherever they stand. */
const FORMATS: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z]+ )?PRIVATE KEY-----|$)/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/g,
  /\b(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{30,})/g,
  /\bglpat-[0-9A-Za-z_-]{20,}/g,
  /\bxox[abprs]-[0-9A-Za-z-]{10,}/g,
  /\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}/g,
  /\bsk-(?=[0-9A-Za-z_-]*\d)[0-9A-Za-z_-]{20,}/g,
  /\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}/g,
];
/** What follows these words is a secret in any form: headers and URL parameters. The words stay. */
const AFTER_WORDS =
  /\b(authorization["']?\s*[:=]\s*["']?(?:bearer|basic)\s+|x-goog-api-key["']?\s*[:=]\s*["']?|x-api-key["']?\s*[:=]\s*["']?|[?&](?:key|api_?key|access_token|token)=)([^\s"'&,;]+)/gi;

/** Takes secrets out of a text on its way to a log. A value is known from `add`, or by its format. */
export class Scrubber {
  readonly #known = new Set<string>();
  #pattern: RegExp | undefined;
  #hits = 0;

  /** From now on the value is cut out: as it is, in base64, URL-encoded and as JSON writes it. Short values are not taken. */
  add(secret: string): void {
    if (secret.length < SECRET_MIN_CHARS) return;
    const bytes = Buffer.from(secret, "utf8");
    const forms = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      bytes.toString("base64"),
      bytes.toString("base64url"),
      bytes.toString("hex"),
      ...insideBase64(bytes),
    ];
    for (const form of forms) if (form.length >= SECRET_MIN_CHARS) this.#known.add(form.replace(/=+$/, ""));
    const longestFirst = [...this.#known].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(
      longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"),
      "g",
    );
  }

  scrub(text: string): string {
    const cut = (): string => {
      this.#hits++;
      return "[secret]";
    };
    let clean = this.#pattern === undefined ? text : text.replace(this.#pattern, cut);
    for (const format of FORMATS) clean = clean.replace(format, cut);
    return clean.replace(AFTER_WORDS, (whole, words: string, value: string) =>
      value.startsWith("[secret]") ? whole : `${words}${cut()}`,
    );
  }

  /** Leaks that were stopped. */
  hits(): number {
    return this.#hits;
  }
}

/** A secret inside a longer text that was base64-coded: at each of the three alignments the digits that are its own bits only. */
function insideBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const digits = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    return digits.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
}

/** The gate before the log: message and fields, keys and nested values included. */
export function scrubbingLogger(logger: Logger, scrubber: Scrubber): Logger {
  return {
    log(level, message, fields) {
      if (fields === undefined) return logger.log(level, scrubber.scrub(message));
      let clean: Record<string, unknown>;
      try {
        clean = JSON.parse(scrubber.scrub(JSON.stringify(fields))) as Record<string, unknown>;
      } catch {
        clean = { fields: "left out: they cannot be written as text" };
      }
      logger.log(level, scrubber.scrub(message), clean);
    },
  };
}
