/**
 * Operational errors: expected trouble with the world (disk full, provider down). Decided where they
 * are made: `code` is stable and documented, `retry` says whether trying again can help.
 * Outcomes are return values, cancellation is `signal.reason`, everything else is a bug.
 */
export type Retry = "never" | "now" | "later" | "after-fix";

export class AppError extends Error {
  readonly code: string;
  readonly retry: Retry;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: { retry?: Retry; cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.retry = options.retry ?? "never";
    this.details = options.details ?? {};
  }
}

export function isAppError(value: unknown): value is AppError {
  return value instanceof AppError;
}

export function errorMessage(value: unknown): string {
  return value instanceof Error ? value.message : String(value);
}

/** Node's errno code (`ENOSPC`, `EADDRINUSE`) of an error or its causes, if any. */
export function errnoCode(value: unknown): string | undefined {
  for (let e = value, depth = 0; e instanceof Error && depth < 8; e = e.cause, depth++) {
    const code = (e as { code?: unknown }).code;
    if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) return code;
  }
  return undefined;
}
