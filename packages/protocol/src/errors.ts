/** Class of a tool or run error. `internal` is a fault of Swarm itself: it must be 0 in every benchmark. */
export const ERROR_CLASSES = [
  "schema",
  "unknown_tool",
  "permission",
  "cas_conflict",
  "not_found",
  "limit",
  "timeout",
  "sandbox",
  "check_failed",
  "provider",
  "interrupted",
  "internal",
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/**
 * Stable codes of operational errors: HTTP status and what to do. The docs page is made from this table.
 * Tool errors that a model reads have codes of their own (`ToolError.code`).
 */
export const ERROR_CODES = {
  bad_request: { status: 400, fix: "Correct the named field and send again." },
  unauthorized: { status: 401, fix: "Send the token from the data directory's `token` file as a bearer token." },
  forbidden_origin: { status: 403, fix: "Use the address that `swarm up` printed." },
  not_found: { status: 404, fix: "Check the id with the matching list command." },
  method_not_allowed: { status: 405, fix: "See /v1/openapi.json for the methods of this path." },
  idempotency_conflict: { status: 409, fix: "The key was used with another body: use a new key." },
  rev_conflict: { status: 409, fix: "Read the current revision and decide again." },
  fenced: { status: 409, fix: "Another owner holds the lease: stop writing." },
  invalid_state: { status: 409, fix: "The thing is not in a state that allows this." },
  body_too_large: { status: 413, fix: "Send less: the limit is named in the message." },
  unsupported_media_type: { status: 415, fix: "Send application/json." },
  too_many_requests: { status: 429, fix: "Wait for the time named in Retry-After." },
  internal: { status: 500, fix: "A fault of Swarm: see the log, report it with the log lines." },
  draining: { status: 503, fix: "The daemon is stopping: start it again with `swarm up`." },
  storage_unavailable: {
    status: 503,
    fix: "The journal cannot write: free disk space, then retry. Nothing acknowledged was lost.",
  },
  disk_full: { status: 507, fix: "Free disk space: the daemon goes on by itself. Nothing acknowledged was lost." },
  data_dir_locked: { status: 409, fix: "Stop the named owner (`swarm down`) or choose another SWARM_HOME." },
  data_dir_unwritable: { status: 500, fix: "Make the directory writable or set SWARM_HOME." },
  data_newer: { status: 409, fix: "The data was written by a newer version: upgrade Swarm." },
  data_corrupt: { status: 500, fix: "Run `swarm doctor`: it names what is damaged." },
  port_taken: { status: 409, fix: "Stop the owner named in the message or choose another port." },
  provider_auth: { status: 502, fix: "The provider refused the key: set a valid one." },
  provider_unavailable: { status: 502, fix: "The provider does not answer: check its address and your network." },
  provider_rate_limited: { status: 502, fix: "Wait, or lower the number of agents." },
  provider_quota: { status: 502, fix: "The provider's quota is used up: raise it or choose another model." },
  provider_refused: { status: 502, fix: "The provider refused the request: see the message." },
  model_unknown: { status: 400, fix: "Use provider/model, see `swarm models`." },
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

/** RFC 9457 problem document. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly fix: string;
}
