import type { IndexWrite, KindDefinition } from "@swarm/journal";
import type { AnyRecord, ErrorCode, Payloads, SessionSummary } from "@swarm/protocol";
import { isRunEvent, nextPhase } from "./run-machine.ts";
import { reduceSession, type SessionState } from "./projections.ts";
import { payloadParser, SESSION_KINDS, type SessionKind } from "./shapes.ts";

/** All sessions in order of creation: key `placeKey(seq of session.created)`, value the summary as it was then. */
export const SESSIONS_INDEX = "sessions";
/** The same per group: key `groupPrefix(group)` and the place. */
export const GROUPS_INDEX = "groups";
/** Runs that have not ended, key: session. All that a start reads of a hundred thousand sessions. */
export const UNFINISHED_INDEX = "unfinished";

const PLACE_DIGITS = 14;

export function placeKey(created: number): string {
  return String(created).padStart(PLACE_DIGITS, "0");
}

export function groupPrefix(group: string): string {
  return `${encodeURIComponent(group.toWellFormed())}/`;
}

/** Kinds after which a session may stay cold for long: its row in the lists is written with them. */
const ROW_KINDS: ReadonlySet<SessionKind> = new Set(["session.created", "session.seen", "run.ended"]);

/**
 * The session's state just before a mutation, by its payload. The journal asks a guard and then, in the same turn,
 * for the index entries (J-2, J-6): the row of the list is made from what the guard saw, so that a list reads no
 * session. A row that could not be made this way is left as it was.
 */
const stateBefore = new WeakMap<object, SessionState>();

type Refusal = { readonly code: ErrorCode; readonly message: string };

function refusal(
  kind: SessionKind,
  state: SessionState | undefined,
  payload: Payloads[SessionKind],
): Refusal | undefined {
  if (kind === "session.created") {
    return state === undefined ? undefined : { code: "invalid_state", message: "this session was created before" };
  }
  if (state === undefined) return { code: "not_found", message: `${kind}: there is no such session` };
  if (kind === "question.answered") {
    const { question } = payload as Payloads["question.answered"];
    if (state.summary.question?.id === question && state.run.phase !== "ended") return undefined;
    return { code: "invalid_state", message: `question ${question} is not open: it was answered or its run ended` };
  }
  if (!isRunEvent(kind)) return undefined;
  const { run } = state;
  if (nextPhase(run.phase, kind) === undefined) {
    const now = run.phase === "none" ? "the session has no run" : `the run is ${run.phase}`;
    return { code: "invalid_state", message: `${kind} cannot happen while ${now}` };
  }
  const named = (payload as { readonly run: string }).run;
  if (kind !== "run.queued" && run.phase !== "none" && named !== run.run) {
    return { code: "invalid_state", message: `${kind} names run ${named}, the session's run is ${run.run}` };
  }
  return undefined;
}

function guardOf(kind: SessionKind): KindDefinition["guard"] {
  return {
    projection: "session",
    check(state, payload) {
      const before = state as SessionState | undefined;
      const refused = refusal(kind, before, payload as Payloads[SessionKind]);
      if (refused === undefined && before !== undefined && ROW_KINDS.has(kind)) stateBefore.set(payload, before);
      return refused;
    },
  };
}

function rowWrites(record: AnyRecord): IndexWrite[] {
  const before = stateBefore.get(record.payload);
  if (before === undefined && record.kind !== "session.created") return [];
  const { created, summary } = reduceSession(before, record);
  const place = placeKey(created);
  const writes: IndexWrite[] = [{ index: SESSIONS_INDEX, key: place, value: summary }];
  if (summary.group !== undefined) {
    writes.push({ index: GROUPS_INDEX, key: groupPrefix(summary.group) + place, value: summary });
  }
  return writes;
}

export function isSummary(value: unknown): value is SessionSummary {
  return typeof value === "object" && value !== null && typeof (value as { id?: unknown }).id === "string";
}

function indexesOf(kind: SessionKind): KindDefinition["indexes"] {
  switch (kind) {
    case "session.created":
    case "session.seen":
      return rowWrites;
    case "run.queued":
      return (record) => [
        { index: UNFINISHED_INDEX, key: record.session, value: (record.payload as Payloads["run.queued"]).run },
      ];
    case "run.ended":
      return (record) => [...rowWrites(record), { index: UNFINISHED_INDEX, key: record.session, remove: true }];
    default:
      return undefined;
  }
}

function define(kind: SessionKind): KindDefinition {
  const schema = payloadParser(kind);
  if (kind === "daemon.started" || kind === "daemon.stopped") return { kind, schema };
  const indexes = indexesOf(kind);
  return {
    kind,
    schema,
    guard: guardOf(kind)!,
    ...(indexes === undefined ? {} : { indexes }),
    ...(kind === "run.leased" ? { epochOf: (payload) => (payload as Payloads["run.leased"]).epoch } : {}),
  };
}

/** Every kind but those of artifacts. */
export const sessionKinds: readonly KindDefinition[] = SESSION_KINDS.map(define);
