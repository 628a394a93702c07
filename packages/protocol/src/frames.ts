import * as z from "zod/mini";
import type { DaemonStatus } from "./api.ts";
import type { ErrorCode } from "./errors.ts";
import type { AnyRecord } from "./records.ts";
import type { SessionSummary } from "./views/summary.ts";

/**
 * Realtime protocol, WebSocket `/v1/stream`, subprotocols `swarm.v1` and the ticket.
 *
 *   client: hello, subscribe(topic, after?) …            ack(seq) at least every 2 s
 *   server: welcome │ snapshot? event* caught-up │ (event | live)* │ lagging event* caught-up │ gone
 *
 * One WebSocket message is a JSON array of server frames (one per tick). Client messages are one frame each.
 * `event.prev` is the seq of the event before it on that topic (0: none): a client proves continuity by it.
 * `live` frames are droppable: `offset` says where the text goes; the record that follows holds the whole.
 *
 * Topics: `sessions` (summaries), `session:<id>` (records and live text), `session:*` (those of all sessions), `system`.
 */
export const STREAM_SUBPROTOCOL = "swarm.v1";
export const TopicSchema = z.string().check(z.regex(/^(sessions|system|session:(\*|ses_[0-9a-z]{1,64}))$/));

export const ClientFrameSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    version: z.int(),
    /** Same incarnation: `subscribe.after` is honoured. Other or none: snapshots. */
    incarnation: z.optional(z.string().check(z.maxLength(64))),
  }),
  z.strictObject({
    type: z.literal("subscribe"),
    topic: TopicSchema,
    after: z.optional(z.int().check(z.nonnegative())),
  }),
  z.strictObject({ type: z.literal("unsubscribe"), topic: TopicSchema }),
  z.strictObject({ type: z.literal("ack"), seq: z.int().check(z.nonnegative()) }),
]);
export type ClientFrame = z.infer<typeof ClientFrameSchema>;

export interface SessionsState {
  readonly sessions: readonly SessionSummary[];
}
/** State of `session:<id>`: every record so far and the text that is streaming now. */
export interface SessionState {
  readonly records: readonly AnyRecord[];
  readonly live: readonly LiveText[];
}
export interface LiveText {
  readonly session: string;
  readonly run: string;
  readonly step: number;
  /** `text`, `reasoning` or `args:<index>` (raw JSON text of that tool call). */
  readonly stream: string;
  /** UTF-16 units of the stream before `text`. 0 starts it anew. */
  readonly offset: number;
  readonly text: string;
}

export type ServerFrame =
  | {
      readonly type: "welcome";
      readonly version: number;
      readonly incarnation: string;
      readonly seq: number;
      readonly heartbeatMs: number;
    }
  | {
      readonly type: "snapshot";
      readonly topic: string;
      readonly seq: number;
      readonly state: SessionsState | SessionState | DaemonStatus;
    }
  | {
      readonly type: "event";
      readonly topic: string;
      readonly seq: number;
      readonly prev: number;
      readonly record: AnyRecord;
    }
  | {
      readonly type: "event";
      readonly topic: string;
      readonly seq: number;
      readonly prev: number;
      readonly session: SessionSummary;
    }
  | ({ readonly type: "live"; readonly topic: string } & LiveText)
  | { readonly type: "status"; readonly topic: "system"; readonly status: DaemonStatus }
  | { readonly type: "caught-up"; readonly topic: string; readonly seq: number }
  | { readonly type: "lagging"; readonly topic: string }
  | { readonly type: "gone"; readonly topic: string }
  | { readonly type: "error"; readonly code: ErrorCode; readonly message: string };
