import { isBlobRef, type AnyRecord, type Message, type StoredText, type ToolCall } from "@swarm/protocol";
import { unreachable } from "@swarm/std";
import type { AgentEvent } from "./events.ts";
import { observeCall, type GuardState, type GuardVerdict } from "./loop-guard.ts";

/** Where a run stands: a pure fold over its events. The same fold over the session's records rebuilds it. */
export interface AgentState {
  readonly messages: readonly Message[];
  /** Last finished step of this run; 0 before the first. */
  readonly step: number;
  /** Calls of the last step without a result, in call order. */
  readonly pending: readonly PendingCall[];
  /** Words of a person that came while calls were pending: they follow the results. */
  readonly held: readonly string[];
  readonly spent: Spent;
  /** Corrections given since the last step that did something. */
  readonly corrections: number;
  readonly guard: GuardState;
  /** What the guard said of the newest result. */
  readonly verdict: GuardVerdict;
  /** Failures of the step that is being tried. */
  readonly attempts: number;
  readonly prefixHash: string | undefined;
  /** Budget warnings already given. */
  readonly warned: readonly string[];
}

export interface PendingCall {
  readonly call: ToolCall;
  readonly started: boolean;
}

export interface Spent {
  readonly turns: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNano: number;
}

const NOTHING: Spent = { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costNano: 0 };

export const EMPTY_STATE: AgentState = { messages: [], step: 0, pending: [], held: [], spent: NOTHING, corrections: 0, guard: {}, verdict: { kind: "fine" }, attempts: 0, prefixHash: undefined, warned: [] };

export function withPersonMessage(state: AgentState, text: string): AgentState {
  return state.pending.length > 0 ? { ...state, held: [...state.held, text] } : { ...state, messages: [...state.messages, { role: "user", text }] };
}

/**
 * A new run in the same session: the conversation stays, what counts per run starts again. Calls that the run before
 * left without a result get one here, so that the history is valid for every provider.
 */
export function withNewRun(state: AgentState): AgentState {
  const unanswered: Message[] = state.pending.map(({ call }) => ({ role: "tool", callId: call.id, name: call.name, output: '{"ok":false,"error":{"code":"cancelled","message":"The run ended before this call had a result."}}', isError: true }));
  const held: Message[] = state.held.map((text) => ({ role: "user", text }));
  return { ...EMPTY_STATE, messages: [...state.messages, ...unanswered, ...held], prefixHash: state.prefixHash };
}

export function fold(state: AgentState, event: AgentEvent): AgentState {
  switch (event.type) {
    case "step-started":
      return { ...state, prefixHash: event.prefixHash };
    case "step-finished": {
      const { text, reasoning, calls, signature } = event;
      const message: Message = { role: "assistant", text, calls, ...(reasoning === undefined ? {} : { reasoning }), ...(signature === undefined ? {} : { signature }) };
      const spent: Spent = {
        turns: state.spent.turns + 1,
        toolCalls: state.spent.toolCalls + calls.length,
        inputTokens: state.spent.inputTokens + event.usage.input,
        outputTokens: state.spent.outputTokens + event.usage.output,
        costNano: state.spent.costNano + event.cost.totalNano,
      };
      const said = text === "" && calls.length === 0 ? state.messages : [...state.messages, message];
      return { ...state, messages: said, step: event.step, pending: calls.map((call) => ({ call, started: false })), spent, attempts: 0, verdict: { kind: "fine" } };
    }
    case "step-failed":
      return { ...state, attempts: state.attempts + 1 };
    case "message":
      return { ...state, messages: [...state.messages, { role: "user", text: event.text }], ...marks(state, event.text) };
    case "tool-started":
      return { ...state, pending: state.pending.map((p) => (p.call.id === event.call.id ? { ...p, started: true } : p)) };
    case "tool-finished":
      return foldResult(state, event);
    case "waiting":
    case "resumed":
    case "ended":
      return state;
    default:
      return unreachable(event);
  }
}

function foldResult(state: AgentState, event: Extract<AgentEvent, { type: "tool-finished" }>): AgentState {
  const { call, outcome } = event;
  const at = state.pending.findIndex((p) => p.call.id === call.id);
  if (at < 0) return state;
  const pending = state.pending.toSpliced(at, 1);
  const result: Message = { role: "tool", callId: call.id, name: call.name, output: outcome.output, isError: !outcome.ok };
  const held: Message[] = pending.length === 0 ? state.held.map((text) => ({ role: "user", text })) : [];
  const observed = observeCall(state.guard, { name: call.name, args: call.args, output: outcome.output, errorCode: outcome.error?.code });
  return {
    ...state,
    messages: [...state.messages, result, ...held],
    pending,
    held: pending.length === 0 ? [] : state.held,
    guard: observed.state,
    verdict: state.verdict.kind === "stop" ? state.verdict : observed.verdict.kind === "fine" ? state.verdict : observed.verdict,
    corrections: outcome.ok ? 0 : state.corrections,
  };
}

/** The daemon's messages carry what the fold must know of them in their first words. */
export const CORRECTION = "Correction: ";
export const BUDGET_NOTE = "Budget: ";

function marks(state: AgentState, text: string): Partial<AgentState> {
  if (text.startsWith(CORRECTION)) return { corrections: state.corrections + 1 };
  if (text.startsWith(BUDGET_NOTE)) return { warned: [...state.warned, text.slice(BUDGET_NOTE.length).split(" ")[0]!] };
  return {};
}

/** Rebuilds a session's newest run from its records. `texts` answers what was stored as a blob. */
export async function stateFromRecords(records: readonly AnyRecord[], texts: (text: StoredText) => string | Promise<string>): Promise<AgentState> {
  let state = EMPTY_STATE;
  const calls = new Map<string, ToolCall>();
  const read = async (text: StoredText): Promise<string> => (isBlobRef(text) ? texts(text) : text);
  for (const record of records) {
    switch (record.kind) {
      case "message.added": {
        const text = await read(record.payload.text);
        state = record.payload.by === "person" ? withPersonMessage(state, text) : fold(state, { type: "message", text });
        break;
      }
      case "run.queued":
        state = withNewRun(state);
        break;
      case "step.started":
        state = fold(state, { type: "step-started", ...record.payload });
        break;
      case "step.failed":
        state = fold(state, { type: "step-failed", ...record.payload });
        break;
      case "step.finished": {
        const p = record.payload;
        const whole: ToolCall[] = [];
        for (const call of p.calls) {
          const full: ToolCall = { id: call.id, name: call.name, args: await read(call.args), ...(call.signature === undefined ? {} : { signature: call.signature }) };
          calls.set(full.id, full);
          whole.push(full);
        }
        const { reasoning, ...rest } = p;
        state = fold(state, { type: "step-finished", ...rest, text: await read(p.text), calls: whole, ...(reasoning === undefined ? {} : { reasoning: await read(reasoning) }) });
        break;
      }
      case "tool.started":
        state = fold(state, { type: "tool-started", step: record.payload.step, call: calls.get(record.payload.call) ?? { id: record.payload.call, name: record.payload.name, args: "" } });
        break;
      case "tool.finished": {
        const p = record.payload;
        const call = calls.get(p.call) ?? { id: p.call, name: p.name, args: "" };
        state = fold(state, { type: "tool-finished", step: p.step, call, durationMs: p.durationMs, outcome: { ok: p.ok, summary: p.summary, output: await read(p.output), repaired: p.repaired ?? [], truncated: p.truncated, ...(p.error === undefined ? {} : { error: p.error }) } });
        break;
      }
      default:
        break; // other kinds do not change what the model is told
    }
  }
  return state;
}
