import type { Kind, Payloads, StoredCall, StoredText } from "@swarm/protocol";
import { unreachable, type RunId } from "@swarm/std";
import type { AgentEvent } from "./events.ts";

/** Kind and payload of a record that is to be. */
export type RecordDraft = { [K in Kind]: { readonly kind: K; readonly payload: Payloads[K] } }[Kind];

/**
 * What of an event is kept, and under which kind: the other half of `stateFromRecords`. `store` says where a long text
 * goes; what it answers stands in the payload.
 */
export function recordOf(
  event: AgentEvent,
  run: RunId,
  store: (text: string) => StoredText = (text) => text,
): RecordDraft {
  switch (event.type) {
    case "step-started": {
      const { type: _type, ...payload } = event;
      return { kind: "step.started", payload: { run, ...payload } };
    }
    case "waiting": {
      const { type: _type, ...payload } = event;
      return { kind: "run.waiting", payload: { run, ...payload } };
    }
    case "resumed":
      return { kind: "run.resumed", payload: { run } };
    case "step-finished": {
      const { type: _type, text, reasoning, calls, ...payload } = event;
      const stored = calls.map((call): StoredCall => ({ ...call, args: store(call.args) }));
      return {
        kind: "step.finished",
        payload: {
          run,
          ...payload,
          text: store(text),
          calls: stored,
          ...(reasoning === undefined ? {} : { reasoning: store(reasoning) }),
        },
      };
    }
    case "step-failed":
      return { kind: "step.failed", payload: { run, step: event.step, error: event.error } };
    case "message":
      return { kind: "message.added", payload: { text: store(event.text), by: "daemon", run } };
    case "tool-started":
      return { kind: "tool.started", payload: { run, step: event.step, call: event.call.id, name: event.call.name } };
    case "tool-finished": {
      const { step, call, outcome, durationMs } = event;
      const { ok, summary, error, repaired, truncated } = outcome;
      const kept =
        error === undefined ? {} : { error: { code: error.code, class: error.class, message: error.message } };
      return {
        kind: "tool.finished",
        payload: {
          run,
          step,
          call: call.id,
          name: call.name,
          ok,
          summary,
          output: store(outcome.output),
          durationMs,
          truncated,
          ...kept,
          ...(repaired.length === 0 ? {} : { repaired }),
        },
      };
    }
    case "ended":
      return {
        kind: "run.ended",
        payload: {
          run,
          state: event.state,
          handoff: event.handoff,
          ...(event.error === undefined ? {} : { error: event.error }),
        },
      };
    default:
      return unreachable(event);
  }
}
