import * as z from "zod/mini";
import type { ArtifactState, CheckReport, Provenance } from "./artifact.ts";
import type { AnyRecord, Cursor } from "./records.ts";
import type { SessionSummary } from "./views/summary.ts";
import type { Totals } from "./usage.ts";

/** Requests: parsed once at the edge. Responses: types (the daemon makes them, clients trust them). */

export const TASK_MAX_BYTES = 4 * 1024 * 1024;
export const BODY_MAX_BYTES = 8 * 1024 * 1024;

const line = (max: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(max));
const count = (max: number) => z.int().check(z.positive(), z.maximum(max));

export const BudgetSchema = z.strictObject({
  turns: z.optional(count(10_000)),
  toolCalls: z.optional(count(100_000)),
  inputTokens: z.optional(count(10_000_000_000)),
  outputTokens: z.optional(count(10_000_000_000)),
  usd: z.optional(z.number().check(z.positive(), z.maximum(1_000_000))),
  wallS: z.optional(count(30 * 86_400)),
});

/** POST /v1/sessions → 201 `CreatedSession`. Idempotency-Key header honoured. */
export const CreateSessionSchema = z.strictObject({
  task: z.string().check(z.minLength(1), z.maxLength(TASK_MAX_BYTES)),
  title: z.optional(line(200)),
  profile: z.optional(line(64)),
  model: z.optional(line(200)),
  workspace: z.optional(line(4096)),
  group: z.optional(line(120)),
  label: z.optional(line(64)),
  interactive: z.optional(z.boolean()),
  budget: z.optional(BudgetSchema),
});
export type CreateSession = z.infer<typeof CreateSessionSchema>;

/** POST /v1/sessions/:id/messages: joins the running run at its next step, or starts a new run. */
export const AddMessageSchema = z.strictObject({ text: z.string().check(z.minLength(1), z.maxLength(TASK_MAX_BYTES)) });
/** POST /v1/sessions/:id/answers */
export const AnswerSchema = z.strictObject({
  question: line(64),
  answer: z.string().check(z.minLength(1), z.maxLength(100_000)),
});
/** POST /v1/sessions/cancel: all unfinished runs, or those of one group. */
export const CancelManySchema = z.strictObject({ group: z.optional(line(120)) });
/** POST /v1/auth/exchange (no token needed: the code is the secret; single use, 60 s) → `{ token }` */
export const ExchangeSchema = z.strictObject({ code: line(128) });
/** POST /v1/artifacts/:id/frames → `{ url, expiresAt }`: a short-lived address on the artifact origin. */
export const FrameSchema = z.strictObject({ revision: z.optional(count(1_000_000)) });

export interface CreatedSession {
  readonly session: string;
  readonly run: string;
}
/** Lists are never silently cut: `next` is the cursor of the next page, null at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}
/** GET /v1/sessions?after=&limit=&group= */
export type SessionPage = Page<SessionSummary>;
/** GET /v1/sessions/:id/records?after=<rev>&limit= */
export type RecordPage = Page<AnyRecord>;

/** GET /v1/artifacts?after=&limit= and GET /v1/artifacts/:id (with `revisions`, `report`, `provenance`) */
export interface ArtifactRow {
  readonly id: string;
  readonly session: string;
  readonly title: string;
  readonly revision: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly state: ArtifactState;
  readonly verdict: CheckReport["verdict"] | null;
  readonly still: string | null;
  readonly updatedAt: number;
}
export interface ArtifactDetail extends ArtifactRow {
  readonly parts: readonly string[];
  readonly revisions: readonly {
    readonly revision: number;
    readonly sha256: string;
    readonly bytes: number;
    readonly at: number;
    readonly report: CheckReport | null;
  }[];
  readonly report: CheckReport | null;
  readonly provenance: Provenance | null;
  readonly stills: readonly {
    readonly timeMs: number;
    readonly width: number;
    readonly height: number;
    readonly blob: string;
  }[];
}

/** GET /v1/status; also the state of topic `system`, every second. A measurement that does not exist is null. */
export interface DaemonStatus {
  readonly version: string;
  readonly protocol: number;
  readonly pid: number;
  readonly home: string;
  readonly startedAt: number;
  readonly uptimeS: number;
  readonly cursor: Cursor;
  readonly draining: boolean;
  readonly store: { readonly state: "ok" | "read_only"; readonly reason: string };
  readonly sessions: {
    readonly total: number;
    readonly queued: number;
    readonly running: number;
    readonly waiting: number;
    readonly ended: number;
  };
  /** Why runs wait for a place, empty when none does. */
  readonly admission: { readonly limit: number; readonly reason: string };
  readonly inFlight: number;
  readonly totals: Totals;
  readonly rssMib: number;
  readonly peakRssMib: number;
  readonly loopDelayP99Ms: number | null;
  readonly clients: number;
  readonly checker: { readonly runtime: boolean; readonly reason: string; readonly pids: readonly number[] };
  readonly models: { readonly default: string };
  /** Where the model simulator listens on loopback; null when none was started. */
  readonly simulatorPort: number | null;
  readonly addresses: { readonly api: string; readonly desktop: string; readonly artifacts: string };
  /** Abilities that are missing on this machine, each with what to do. */
  readonly degraded: readonly string[];
}

/** GET /v1/diagnostics: counters since the start, for the ladder and the benches. */
export interface Diagnostics {
  readonly journal: {
    readonly mutations: number;
    readonly groups: number;
    readonly ackP50Ms: number | null;
    readonly ackP99Ms: number | null;
    readonly ackMaxMs: number | null;
    /** Acknowledgements later than 100 ms. */
    readonly stalls: number;
    readonly conflicts: number;
    readonly bytes: number;
  };
  readonly sync: {
    readonly clients: number;
    readonly frames: number;
    readonly events: number;
    readonly bytes: number;
    readonly replays: number;
    readonly gaps: number;
    readonly commitToSocketP99Ms: number | null;
  };
  readonly runtime: {
    readonly rssMib: number;
    readonly peakRssMib: number;
    readonly loopDelayP50Ms: number | null;
    readonly loopDelayP99Ms: number | null;
    readonly loopDelayMaxMs: number | null;
    readonly gcMaxMs: number | null;
    readonly heapUsedMib: number;
  };
  readonly sessions: {
    readonly maxInFlight: number;
    readonly internalErrors: number;
    readonly errors: Readonly<Record<string, number>>;
  };
}

/** GET /v1/models */
export interface ModelInfo {
  readonly id: string;
  readonly provider: string;
  readonly simulated: boolean;
  readonly available: boolean;
  readonly reason: string;
}
/** GET /v1/keys/signing */
export interface SigningKey {
  /** Raw 32-byte Ed25519 key, base64. */
  readonly publicKey: string;
  /** First 16 hex digits of its SHA-256. */
  readonly fingerprint: string;
}
