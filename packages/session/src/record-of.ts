import type { AgentEvent } from "@swarm/agent";
import { INLINE_TEXT_MAX_BYTES, type StoredCall, type StoredText } from "@swarm/protocol";
import type { AnyMutation, BlobWrite } from "@swarm/protocol/ports";
import { unreachable, type RunId } from "@swarm/std";

export const AGENT_ACTOR = "agent";

export interface MutationContext {
  readonly session: string;
  readonly run: RunId;
  readonly epoch: number;
  /** Unique among the events of this lease. */
  readonly sequence: number;
  /** Streams whose texts the event's record holds, or makes worthless. */
  readonly streams: readonly string[];
  readonly blob: (bytes: Uint8Array) => BlobWrite;
}

/** Puts a text where a record keeps it: in place, or as a blob of the same batch when it is long. */
export function storeText(text: string, blob: (bytes: Uint8Array) => BlobWrite, blobs: BlobWrite[]): StoredText {
  if (text.length * 3 <= INLINE_TEXT_MAX_BYTES || Buffer.byteLength(text) <= INLINE_TEXT_MAX_BYTES) return text;
  const write = blob(Buffer.from(text, "utf8"));
  blobs.push(write);
  return write.ref;
}

/** The mutation of an agent's event. */
export function mutationOf(event: AgentEvent, context: MutationContext): AnyMutation {
  const { session, run, epoch, sequence, streams } = context;
  const blobs: BlobWrite[] = [];
  const store = (text: string): StoredText => storeText(text, context.blob, blobs);
  const base = { session, actor: AGENT_ACTOR, epoch, key: `${run}/${epoch}/${sequence}`, blobs } as const;
  switch (event.type) {
    case "step-started": {
      const { type: _t, ...payload } = event;
      return { ...base, kind: "step.started", payload: { run, ...payload } };
    }
    case "waiting": {
      const { type: _t, ...payload } = event;
      return { ...base, kind: "run.waiting", payload: { run, ...payload } };
    }
    case "resumed":
      return { ...base, kind: "run.resumed", payload: { run } };
    case "step-finished": {
      const { type: _t, text, reasoning, calls, ...rest } = event;
      const stored = calls.map((call): StoredCall => ({ ...call, args: store(call.args) }));
      const thought = reasoning === undefined ? {} : { reasoning: store(reasoning) };
      const payload = { run, ...rest, text: store(text), calls: stored, ...thought };
      return { ...base, kind: "step.finished", dropStreams: streams, payload };
    }
    case "step-failed":
      return {
        ...base,
        kind: "step.failed",
        dropStreams: streams,
        payload: { run, step: event.step, error: event.error },
      };
    case "message":
      return { ...base, kind: "message.added", payload: { text: store(event.text), by: "daemon", run } };
    case "tool-started": {
      const { id, name } = event.call;
      return { ...base, kind: "tool.started", payload: { run, step: event.step, call: id, name } };
    }
    case "tool-finished": {
      const { step, call, outcome, durationMs } = event;
      const { ok, summary, repaired, truncated } = outcome;
      const error = outcome.error && {
        code: outcome.error.code,
        class: outcome.error.class,
        message: outcome.error.message,
      };
      const payload = {
        run,
        step,
        call: call.id,
        name: call.name,
        ok,
        summary,
        output: store(outcome.output),
        durationMs,
        truncated,
      };
      return {
        ...base,
        kind: "tool.finished",
        payload: {
          ...payload,
          ...(error === undefined ? {} : { error }),
          ...(repaired.length === 0 ? {} : { repaired }),
        },
      };
    }
    case "ended": {
      const { state, handoff, error } = event;
      const payload = { run, state, handoff, ...(error === undefined ? {} : { error }) };
      return { ...base, kind: "run.ended", dropStreams: streams, payload };
    }
    default:
      return unreachable(event);
  }
}
