import { isBlobRef, type AnyRecord, type StoredText, type ToolCall } from "@swarm/protocol";
import { EMPTY_STATE, fold, withNewRun, withPersonMessage, type AgentState } from "./state.ts";

/** Rebuilds where a session's newest run stands from its records. `texts` answers what was stored as a blob. */
export async function stateFromRecords(
  records: readonly AnyRecord[],
  texts: (text: StoredText) => string | Promise<string>,
): Promise<AgentState> {
  let state = EMPTY_STATE;
  const read = async (text: StoredText): Promise<string> => (isBlobRef(text) ? texts(text) : text);
  for (const record of records) state = await foldRecord(state, record, read);
  return state;
}

type Read = (text: StoredText) => Promise<string>;

async function foldRecord(state: AgentState, record: AnyRecord, read: Read): Promise<AgentState> {
  switch (record.kind) {
    case "message.added": {
      const text = await read(record.payload.text);
      return record.payload.by === "person" ? withPersonMessage(state, text) : fold(state, { type: "message", text });
    }
    case "run.queued":
      return withNewRun(state);
    case "step.started":
      return fold(state, { type: "step-started", ...record.payload });
    case "step.failed":
      return fold(state, { type: "step-failed", ...record.payload });
    case "step.finished": {
      const { reasoning, text, calls, ...rest } = record.payload;
      const whole = await Promise.all(
        calls.map(async (call): Promise<ToolCall> => ({ ...call, args: await read(call.args) })),
      );
      return fold(state, {
        type: "step-finished",
        ...rest,
        text: await read(text),
        calls: whole,
        ...(reasoning === undefined ? {} : { reasoning: await read(reasoning) }),
      });
    }
    case "tool.started": {
      const { step, call, name } = record.payload;
      return fold(state, { type: "tool-started", step, call: callOf(state, call, name) });
    }
    case "tool.finished": {
      const { step, call, name, ok, summary, output, error, repaired, truncated, durationMs } = record.payload;
      const outcome = {
        ok,
        summary,
        output: await read(output),
        repaired: repaired ?? [],
        truncated,
        ...(error === undefined ? {} : { error }),
      };
      return fold(state, { type: "tool-finished", step, call: callOf(state, call, name), durationMs, outcome });
    }
    default:
      return state; // other kinds do not change what the model is told
  }
}

function callOf(state: AgentState, id: string, name: string): ToolCall {
  return state.pending.find((p) => p.call.id === id)?.call ?? { id, name, args: "" };
}
