import type { KindDefinition, IndexWrite } from "@swarm/journal";
import type { Kind, Payloads } from "@swarm/protocol";
import { AppError, isObject } from "@swarm/std";
import { isRunEvent, nextPhase, type RunState } from "./run-machine.ts";

type Check = "string" | "number" | "boolean" | "object" | "array" | "text";

/**
 * Cheap checks of what our own code writes (about a microsecond): a wrong type is refused before it is kept for
 * ever. `text` is a string or a blob reference; a name that ends with `?` may be missing.
 */
function shape<K extends Kind>(kind: K, fields: Readonly<Record<string, Check>>): (payload: unknown) => Payloads[K] {
  const entries = Object.entries(fields).map(([name, check]) => ({ name: name.replace("?", ""), optional: name.endsWith("?"), check }));
  return (payload) => {
    if (!isObject(payload)) throw new AppError("bad_request", `${kind}: the payload is not an object`);
    for (const { name, optional, check } of entries) {
      const value = payload[name];
      if (value === undefined ? !optional : !matches(check, value)) throw new AppError("bad_request", `${kind}: ${name} is not ${check === "text" ? "a text" : `a valid ${check}`}`);
    }
    return payload as unknown as Payloads[K];
  };
}

function matches(check: Check, value: unknown): boolean {
  switch (check) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "text":
      return typeof value === "string" || (isObject(value) && typeof value["blob"] === "string");
    case "string":
    case "boolean":
      return typeof value === check;
  }
}

const FIELDS: Readonly<Record<Exclude<Kind, `artifact.${string}`>, Readonly<Record<string, Check>>>> = {
  "session.created": { title: "string", profile: "string", model: "string", "workspace?": "string", "group?": "string", "label?": "string" },
  "session.seen": { rev: "number" },
  "message.added": { text: "text", by: "string", "run?": "string" },
  "run.queued": { run: "string", budget: "object", interactive: "boolean" },
  "run.leased": { run: "string", epoch: "number", resumed: "boolean" },
  "run.waiting": { run: "string", on: "string", detail: "string", "untilMs?": "number" },
  "run.resumed": { run: "string" },
  "run.ended": { run: "string", state: "string", handoff: "object", "error?": "object" },
  "turn.interrupted": { run: "string", step: "number", text: "string", offset: "number", sha256: "string" },
  "step.started": { run: "string", step: "number", model: "string", prefixHash: "string", prefixBytes: "number", "breakCause?": "string" },
  "step.finished": { run: "string", step: "number", text: "text", "reasoning?": "text", calls: "array", finish: "string", usage: "object", cost: "object", model: "string", ttftMs: "number", durationMs: "number" },
  "step.failed": { run: "string", step: "number", error: "object" },
  "tool.started": { run: "string", step: "number", call: "string", name: "string" },
  "tool.finished": { run: "string", step: "number", call: "string", name: "string", ok: "boolean", summary: "string", output: "text", durationMs: "number", truncated: "boolean" },
  "plan.set": { run: "string", plan: "object" },
  "question.asked": { run: "string", question: "string", text: "string", options: "array", call: "string" },
  "question.answered": { question: "string", answer: "string", by: "string" },
  "daemon.started": { version: "string", pid: "number", clean: "boolean", resumedRuns: "number" },
  "daemon.stopped": { reason: "string" },
};

/** Sessions by creation: the key sorts by time, then by id. */
export const SESSIONS_INDEX = "sessions";
/** Runs that have not ended, by session: what a start has to take up again. */
export const UNFINISHED_INDEX = "unfinished";

function indexes(kind: Kind): KindDefinition["indexes"] {
  if (kind === "session.created") return (record) => [{ index: SESSIONS_INDEX, key: sessionKey(record.at, record.session), value: record.session }];
  if (kind === "run.queued") return (record) => (record.kind === "run.queued" ? [{ index: UNFINISHED_INDEX, key: record.session, value: record.payload.run }] : []);
  if (kind === "run.ended") return (record): IndexWrite[] => [{ index: UNFINISHED_INDEX, key: record.session, remove: true }];
  return undefined;
}

export function sessionKey(at: number, session: string): string {
  return `${String(at).padStart(15, "0")}.${session}`;
}

function guard(kind: Kind): KindDefinition["guard"] {
  if (!isRunEvent(kind)) return undefined;
  return {
    projection: "run",
    check(state, payload) {
      const now = (state ?? { phase: "none" }) as RunState;
      if (nextPhase(now.phase, kind) === undefined) return { code: "invalid_state", message: `${kind} cannot happen while the run is ${now.phase}` };
      const { run } = payload as { run?: string };
      if (kind !== "run.queued" && now.phase !== "none" && run !== now.run) return { code: "invalid_state", message: `${kind} belongs to run ${String(run)}, the session's run is ${now.run}` };
      return undefined;
    },
  };
}

function define<K extends keyof typeof FIELDS>(kind: K): KindDefinition {
  const write = indexes(kind);
  const refuse = guard(kind);
  return {
    kind,
    schema: shape(kind, FIELDS[kind]) as (payload: unknown) => Payloads[Kind],
    ...(kind === "run.leased" ? { epochOf: (payload: Payloads[Kind]) => (payload as Payloads["run.leased"]).epoch } : {}),
    ...(write === undefined ? {} : { indexes: write }),
    ...(refuse === undefined ? {} : { guard: refuse }),
  };
}

export const sessionKinds: readonly KindDefinition[] = (Object.keys(FIELDS) as (keyof typeof FIELDS)[]).map(define);
