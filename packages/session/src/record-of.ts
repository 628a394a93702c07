import type { AgentEvent } from "@swarm/agent";
import { INLINE_TEXT_MAX_BYTES, type StoredCall, type StoredText } from "@swarm/protocol";
import type { AnyMutation, BlobWrite } from "@swarm/protocol/ports";
import type { RunId } from "@swarm/std";

export interface MutationContext {
  readonly session: string;
  readonly run: RunId;
  readonly epoch: number;
  readonly actor: string;
  blob(bytes: Uint8Array): BlobWrite;
}

/** The mutation of an agent's event. Long texts become blobs of the same batch. Keys make a repeated event one record. */
export function mutationOf(event: AgentEvent, context: MutationContext, sequence: number): AnyMutation {
  const { session, run, epoch, actor } = context;
  const blobs: BlobWrite[] = [];
  const store = (text: string): StoredText => {
    if (text.length * 3 <= INLINE_TEXT_MAX_BYTES || Buffer.byteLength(text) <= INLINE_TEXT_MAX_BYTES) return text;
    const write = context.blob(Buffer.from(text, "utf8"));
    blobs.push(write);
    return write.ref;
  };
  const base = { session, actor, epoch, key: `${run}/${epoch}/${sequence}` } as const;
  const done = (mutation: AnyMutation): AnyMutation => (blobs.length === 0 ? mutation : { ...mutation, blobs });
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
      const { type: _t, text, reasoning, calls, ...payload } = event;
      const stored = calls.map((call): StoredCall => ({ ...call, args: store(call.args) }));
      const streams = ["text", "reasoning", ...calls.map((_, i) => `args:${i}`)].map((s) => streamName(run, event.step, s));
      return done({ ...base, kind: "step.finished", dropStreams: streams, payload: { run, ...payload, text: store(text), calls: stored, ...(reasoning === undefined ? {} : { reasoning: store(reasoning) }) } });
    }
    case "step-failed":
      return { ...base, kind: "step.failed", payload: { run, step: event.step, error: event.error } };
    case "message":
      return done({ ...base, kind: "message.added", payload: { text: store(event.text), by: "daemon", run } });
    case "tool-started":
      return { ...base, kind: "tool.started", payload: { run, step: event.step, call: event.call.id, name: event.call.name } };
    case "tool-finished": {
      const { step, call, outcome, durationMs } = event;
      const { ok, summary, error, repaired, truncated } = outcome;
      const { next: _next, ...shown } = error ?? { code: "", class: "internal" as const, message: "" };
      return done({
        ...base,
        kind: "tool.finished",
        payload: { run, step, call: call.id, name: call.name, ok, summary, output: store(outcome.output), durationMs, truncated, ...(error === undefined ? {} : { error: shown }), ...(repaired.length === 0 ? {} : { repaired }) },
      });
    }
    case "ended":
      return { ...base, kind: "run.ended", payload: { run, state: event.state, handoff: event.handoff, ...(event.error === undefined ? {} : { error: event.error }) } };
  }
}

export function streamName(run: string, step: number, stream: string): string {
  return `${run}.${step}.${stream}`;
}
