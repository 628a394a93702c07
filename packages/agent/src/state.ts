import type { FinishReason, Message, ToolCall } from "@swarm/protocol";
import { cleanText, unreachable } from "@swarm/std";
import type { AgentEvent } from "./events.ts";
import { observeCall, type GuardState, type GuardVerdict } from "./loop-guard.ts";

/**
 * Where a run stands: a pure fold over its events. The same fold over the session's records rebuilds it, so whatever
 * the loop decides by must be in here.
 */
export interface AgentState {
  readonly messages: readonly Message[];
  /** Last finished step of this run; 0 before the first. */
  readonly step: number;
  /** Calls of the last step without a result, in call order. */
  readonly pending: readonly PendingCall[];
  /** Words of a person that the model has not been given: they join when the next step starts. */
  readonly held: readonly string[];
  /** The last step made no call and nothing has been decided about it. */
  readonly silent: Silence | undefined;
  /** A handoff that was taken: the run ends with it. */
  readonly handoff: ToolCall | undefined;
  readonly spent: Spent;
  /** Corrections given since the last call that did something. */
  readonly corrections: number;
  readonly guard: GuardState;
  /** What the guard says and nobody has acted on. */
  readonly verdict: GuardVerdict;
  /** Failures of the step that is being tried. */
  readonly attempts: number;
  /** Of the newest step of the session: a change is named in the next one. */
  readonly prefixHash: string | undefined;
  readonly model: string | undefined;
  /** Budget warnings already given, as `limit:allowed`. */
  readonly warned: readonly string[];
}

export interface PendingCall {
  readonly call: ToolCall;
  readonly started: boolean;
}

export interface Silence {
  readonly text: string;
  readonly finish: FinishReason;
}

/** One ledger for what is shown, warned of and stopped at. Every started step is a turn, also one that failed. */
export interface Spent {
  readonly turns: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNano: number;
  /** Finished steps: what a mean is taken over. */
  readonly steps: number;
  readonly lastInputTokens: number;
}

const NOTHING: Spent = {
  turns: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costNano: 0,
  steps: 0,
  lastInputTokens: 0,
};

export const EMPTY_STATE: AgentState = {
  messages: [],
  step: 0,
  pending: [],
  held: [],
  silent: undefined,
  handoff: undefined,
  spent: NOTHING,
  corrections: 0,
  guard: [],
  verdict: { kind: "fine" },
  attempts: 0,
  prefixHash: undefined,
  model: undefined,
  warned: [],
};

/** The daemon's messages carry what the fold must know of them in their first words. */
export const CORRECTION = "Correction: ";
export const BUDGET_NOTE = "Budget: ";
/** The tool whose accepted call ends a run. */
const HANDOFF_TOOL = "handoff";

/** A person's words: they wait for the next step, so that they never stand between a call and its result. */
export function withPersonMessage(state: AgentState, text: string): AgentState {
  return { ...state, held: [...state.held, cleanText(text)] };
}

/**
 * A new run in the same session: the conversation stays, what counts per run starts again. Calls that the run before
 * left without a result get one here, so that the history is valid for every provider.
 */
export function withNewRun(state: AgentState): AgentState {
  const unanswered: Message[] = state.pending.map(({ call }) => ({
    role: "tool",
    callId: call.id,
    name: call.name,
    output: UNANSWERED,
    isError: true,
  }));
  const { prefixHash, model } = state;
  return { ...EMPTY_STATE, messages: [...state.messages, ...unanswered], held: state.held, prefixHash, model };
}

const UNANSWERED = '{"ok":false,"error":{"code":"cancelled","message":"The run ended before this call had a result."}}';

export function fold(state: AgentState, event: AgentEvent): AgentState {
  switch (event.type) {
    case "step-started":
      return foldStarted(state, event);
    case "step-finished":
      return foldFinished(state, event);
    case "step-failed":
      return { ...state, attempts: state.attempts + 1 };
    case "message":
      return {
        ...state,
        messages: [...state.messages, { role: "user", text: event.text }],
        silent: undefined,
        verdict: { kind: "fine" },
        ...marks(state, event.text),
      };
    case "tool-started":
      return {
        ...state,
        pending: state.pending.map((p) => (p.call.id === event.call.id ? { ...p, started: true } : p)),
      };
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

function foldStarted(state: AgentState, event: Extract<AgentEvent, { type: "step-started" }>): AgentState {
  const { prefixHash, model } = event;
  const said: Message[] = state.held.map((text) => ({ role: "user", text }));
  const spent = { ...state.spent, turns: state.spent.turns + 1 };
  return {
    ...state,
    prefixHash,
    model,
    spent,
    silent: undefined,
    handoff: undefined,
    ...(said.length === 0 ? {} : { messages: [...state.messages, ...said], held: [] }),
  };
}

function foldFinished(state: AgentState, event: Extract<AgentEvent, { type: "step-finished" }>): AgentState {
  const { step, text, reasoning, calls, finish, usage, cost, signature } = event;
  const message: Message = {
    role: "assistant",
    text,
    calls,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(signature === undefined ? {} : { signature }),
  };
  const spent: Spent = {
    turns: state.spent.turns,
    toolCalls: state.spent.toolCalls + calls.length,
    inputTokens: state.spent.inputTokens + usage.input,
    outputTokens: state.spent.outputTokens + usage.output,
    costNano: state.spent.costNano + cost.totalNano,
    steps: state.spent.steps + 1,
    lastInputTokens: usage.input,
  };
  return {
    ...state,
    messages: text === "" && calls.length === 0 ? state.messages : [...state.messages, message],
    step,
    pending: calls.map((call) => ({ call, started: false })),
    silent: calls.length === 0 ? { text, finish } : undefined,
    spent,
    attempts: 0,
    verdict: { kind: "fine" },
  };
}

function foldResult(state: AgentState, event: Extract<AgentEvent, { type: "tool-finished" }>): AgentState {
  const { call, outcome, step } = event;
  const at = state.pending.findIndex((p) => p.call.id === call.id);
  if (at < 0) return state;
  const result: Message = {
    role: "tool",
    callId: call.id,
    name: call.name,
    output: outcome.output,
    isError: !outcome.ok,
  };
  const observed = observeCall(state.guard, {
    step,
    name: call.name,
    args: call.args,
    output: outcome.output,
    errorCode: outcome.error?.code,
  });
  return {
    ...state,
    messages: inCallOrder(state.messages, result),
    pending: state.pending.toSpliced(at, 1),
    guard: observed.state,
    verdict: graver(state.verdict, observed.verdict),
    corrections: outcome.ok ? 0 : state.corrections,
    handoff: outcome.ok && call.name.toLowerCase() === HANDOFF_TOOL ? (state.handoff ?? call) : state.handoff,
  };
}

/** Calls end in any order; their results stand in the order of the calls. */
function inCallOrder(messages: readonly Message[], result: Extract<Message, { role: "tool" }>): readonly Message[] {
  const from = messages.findLastIndex((m) => m.role === "assistant");
  const asked = messages[from];
  if (asked?.role !== "assistant") return [...messages, result];
  const order = new Map(asked.calls.map((call, i) => [call.id, i]));
  const rank = order.get(result.callId) ?? asked.calls.length;
  let at = messages.length;
  for (; at > from + 1; at--) {
    const before = messages[at - 1]!;
    if (before.role === "tool" && (order.get(before.callId) ?? -1) < rank) break;
  }
  return messages.toSpliced(at, 0, result);
}

function graver(a: GuardVerdict, b: GuardVerdict): GuardVerdict {
  if (a.kind === "stop" || b.kind === "fine") return a;
  return b;
}

function marks(state: AgentState, text: string): Partial<AgentState> {
  if (text.startsWith(CORRECTION)) return { corrections: state.corrections + 1 };
  const warning = /^Budget: (\w+): [\d.]+ of ([\d.]+)/.exec(text);
  return warning === null ? {} : { warned: [...state.warned, `${warning[1]}:${warning[2]}`] };
}
