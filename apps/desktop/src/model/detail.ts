import type {
  AnyRecord,
  Budget,
  CheckReport,
  Cost,
  Handoff,
  JournalRecord,
  Payloads,
  Plan,
  Provenance,
  RunError,
  Still,
  StoredCall,
  StoredText,
  TerminalState,
  Usage,
  WaitReason,
} from "@swarm/protocol";
import type { ErrorClass } from "@swarm/protocol";

/**
 * One session as a person reads it: a pure fold over its records, in rev order. Changed parts are new objects,
 * unchanged ones are shared, and every item has a `key` that never changes, so that a view repaints in place.
 */
export interface Detail {
  /** Rev of the newest record folded in. */
  readonly rev: number;
  readonly items: readonly FlowItem[];
  readonly plan?: Plan;
  readonly artifact?: ArtifactView;
  readonly budget: Budget;
  readonly run?: string;
  readonly runStartedAt?: number;
  readonly turns: number;
  readonly toolCalls: number;
  /** What the unfinished run waits on now. */
  readonly waiting?: { readonly on: WaitReason; readonly detail: string; readonly untilMs?: number };
}

export type FlowItem = MessageItem | TurnItem | NoteItem | EndItem;

export interface MessageItem {
  readonly type: "message";
  readonly key: string;
  readonly at: number;
  readonly by: "person" | "daemon";
  readonly first: boolean;
  readonly text: StoredText;
}
/** A line of the daemon's own: a run taken up again, another run. */
export interface NoteItem {
  readonly type: "note";
  readonly key: string;
  readonly at: number;
  readonly text: string;
}
export interface EndItem {
  readonly type: "end";
  readonly key: string;
  readonly at: number;
  readonly state: TerminalState;
  readonly handoff: Handoff;
  readonly error?: RunError;
}
export interface TurnItem {
  readonly type: "turn";
  readonly key: string;
  readonly at: number;
  readonly run: string;
  readonly step: number;
  /** 1-based over the whole session. */
  readonly ordinal: number;
  readonly model: string;
  readonly state: "streaming" | "done" | "failed" | "cut";
  readonly breakCause?: string;
  readonly text?: StoredText;
  readonly reasoning?: StoredText;
  readonly usage?: Usage;
  readonly cost?: Cost;
  readonly ttftMs?: number;
  readonly durationMs?: number;
  readonly finish?: string;
  readonly error?: RunError;
  readonly cut?: { readonly text: string; readonly offset: number };
  readonly parts: readonly Part[];
}

export type Part = ToolPart | GatePart | QuestionPart;
export interface ToolPart {
  readonly type: "tool";
  readonly key: string;
  readonly call: string;
  readonly name: string;
  readonly args?: StoredText;
  readonly state: "called" | "running" | "ok" | "failed";
  readonly startedAt?: number;
  readonly summary?: string;
  readonly output?: StoredText;
  readonly error?: { readonly code: string; readonly class: ErrorClass; readonly message: string };
  readonly repaired?: readonly string[];
  readonly truncated?: boolean;
  readonly durationMs?: number;
}
export interface GatePart {
  readonly type: "gate";
  readonly key: string;
  readonly call: string;
  readonly artifact: string;
  readonly revision: number;
  readonly report: CheckReport;
  readonly stills: readonly Still[];
}
export interface QuestionPart {
  readonly type: "question";
  readonly key: string;
  readonly call: string;
  readonly question: string;
  readonly text: string;
  readonly options: readonly string[];
  readonly at: number;
  readonly answer?: string;
  readonly by?: string;
}

export interface ArtifactView {
  readonly id: string;
  readonly title: string;
  readonly revision: number;
  readonly parent: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly parts: readonly string[];
  readonly call: string;
  readonly report?: CheckReport;
  readonly stills: readonly Still[];
  readonly provenance?: Provenance;
}

export const EMPTY_DETAIL: Detail = { rev: 0, items: [], budget: {}, turns: 0, toolCalls: 0 };

export function reduceDetail(state: Detail, record: AnyRecord): Detail {
  if (record.rev <= state.rev) return state;
  const base: Detail = { ...state, rev: record.rev };
  switch (record.kind) {
    case "message.added":
      return add(base, {
        type: "message",
        key: `m${record.rev}`,
        at: record.at,
        by: record.payload.by,
        first: !state.items.some((i) => i.type === "message"),
        text: record.payload.text,
      });
    case "run.queued":
      return runQueued(base, record);
    case "run.leased":
      return runLeased(base, record);
    case "run.waiting":
      return { ...base, waiting: record.payload };
    case "run.resumed":
      return without(base, "waiting");
    case "run.ended":
      return runEnded(base, record);
    case "turn.interrupted": {
      const { run, step, text, offset } = record.payload;
      return editTurn(base, run, step, (t) => ({ ...t, state: "cut", cut: { text, offset } }));
    }
    case "step.started":
      return stepStarted(without(base, "waiting"), record);
    case "step.finished":
      return stepFinished(base, record.payload);
    case "step.failed": {
      const { run, step, error } = record.payload;
      return editTurn(base, run, step, (t) => ({ ...t, state: "failed", error }));
    }
    case "tool.started": {
      const { run, step, call, name } = record.payload;
      return editTurn(base, run, step, (t) =>
        editTool(t, call, name, (p) => ({ ...p, state: "running", startedAt: record.at })),
      );
    }
    case "tool.finished":
      return toolFinished(base, record.payload);
    case "plan.set":
      return { ...base, plan: record.payload.plan };
    case "question.asked": {
      const { run, question, text, options, call } = record.payload;
      const part: QuestionPart = { type: "question", key: question, call, question, text, options, at: record.at };
      return editLastTurn(base, run, (t) => ({ ...t, parts: after(t.parts, call, part) }));
    }
    case "question.answered":
      return answered(base, record.payload);
    case "artifact.revised":
      return revised(base, record.payload);
    case "artifact.checked":
      return checked(base, record.payload);
    case "artifact.published": {
      const { artifact, revision, provenance } = record.payload;
      const now = base.artifact;
      return now?.id === artifact && now.revision === revision ? { ...base, artifact: { ...now, provenance } } : base;
    }
    case "session.created":
    case "session.seen":
    case "daemon.started":
    case "daemon.stopped":
      return base;
    default:
      return base; // kinds of a newer daemon: shown in the raw records only
  }
}

export function foldDetail(records: readonly AnyRecord[]): Detail {
  return records.reduce(reduceDetail, EMPTY_DETAIL);
}

function runQueued(base: Detail, record: JournalRecord<"run.queued">): Detail {
  const { run, budget } = record.payload;
  const started: Detail = { ...without(base, "waiting"), run, budget, runStartedAt: record.at };
  const another = base.run !== undefined;
  return another ? add(started, { type: "note", key: `r${record.rev}`, at: record.at, text: "Another run" }) : started;
}

function runLeased(base: Detail, record: JournalRecord<"run.leased">): Detail {
  if (!record.payload.resumed) return base;
  return add(without(base, "waiting"), {
    type: "note",
    key: `l${record.rev}`,
    at: record.at,
    text: `Taken up again after the daemon stopped, epoch ${record.payload.epoch}`,
  });
}

function runEnded(base: Detail, record: JournalRecord<"run.ended">): Detail {
  const { run, state, handoff, error } = record.payload;
  const closed: Detail = {
    ...without(base, "waiting"),
    items: base.items.map((item) =>
      item.type === "turn" && item.run === run && item.state === "streaming"
        ? { ...item, state: "cut" as const }
        : item,
    ),
  };
  return add(closed, {
    type: "end",
    key: `e${record.rev}`,
    at: record.at,
    state,
    handoff,
    ...(error === undefined ? {} : { error }),
  });
}

function stepStarted(base: Detail, record: JournalRecord<"step.started">): Detail {
  const { run, step, model, breakCause } = record.payload;
  const turns = base.turns + 1;
  const turn: TurnItem = {
    type: "turn",
    key: `t${record.rev}`,
    at: record.at,
    run,
    step,
    ordinal: turns,
    model,
    state: "streaming",
    ...(breakCause === undefined ? {} : { breakCause }),
    parts: [],
  };
  return add({ ...base, turns }, turn);
}

function stepFinished(base: Detail, p: Payloads["step.finished"]): Detail {
  const next = editTurn(base, p.run, p.step, (t) => ({
    ...t,
    state: "done",
    model: p.model,
    text: p.text,
    ...(p.reasoning === undefined ? {} : { reasoning: p.reasoning }),
    usage: p.usage,
    cost: p.cost,
    ttftMs: p.ttftMs,
    durationMs: p.durationMs,
    finish: p.finish,
    parts: p.calls.reduce(addCall, t.parts),
  }));
  return { ...next, toolCalls: next.toolCalls + p.calls.length };
}

function addCall(parts: readonly Part[], call: StoredCall): readonly Part[] {
  const known = parts.some((p) => p.type === "tool" && p.call === call.id);
  if (known) return parts.map((p) => (p.type === "tool" && p.call === call.id ? { ...p, args: call.args } : p));
  return [...parts, { type: "tool", key: call.id, call: call.id, name: call.name, args: call.args, state: "called" }];
}

function toolFinished(base: Detail, p: Payloads["tool.finished"]): Detail {
  return editTurn(base, p.run, p.step, (t) =>
    editTool(t, p.call, p.name, (part) => ({
      ...part,
      state: p.ok ? "ok" : "failed",
      summary: p.summary,
      output: p.output,
      durationMs: p.durationMs,
      truncated: p.truncated,
      ...(p.error === undefined ? {} : { error: p.error }),
      ...(p.repaired === undefined ? {} : { repaired: p.repaired }),
    })),
  );
}

function answered(base: Detail, p: Payloads["question.answered"]): Detail {
  return {
    ...base,
    items: base.items.map((item) => {
      if (item.type !== "turn" || !item.parts.some((part) => part.key === p.question)) return item;
      const parts = item.parts.map((part) =>
        part.type === "question" && part.question === p.question ? { ...part, answer: p.answer, by: p.by } : part,
      );
      return { ...item, parts };
    }),
  };
}

function revised(base: Detail, p: Payloads["artifact.revised"]): Detail {
  const artifact: ArtifactView = {
    id: p.artifact,
    title: p.title,
    revision: p.revision,
    parent: p.parent,
    sha256: p.sha256,
    bytes: p.body.bytes,
    parts: p.parts,
    call: p.call,
    stills: [],
  };
  return { ...base, artifact };
}

function checked(base: Detail, p: Payloads["artifact.checked"]): Detail {
  const { artifact, revision, report, stills } = p;
  const now = base.artifact;
  const current = now?.id === artifact && now.revision === revision ? now : undefined;
  const gate: GatePart = {
    type: "gate",
    key: `gate:${artifact}:${revision}:${base.rev}`,
    call: current?.call ?? "",
    artifact,
    revision,
    report,
    stills,
  };
  const shown = editLastTurn(base, undefined, (t) => ({ ...t, parts: after(t.parts, gate.call, gate) }));
  return current ? { ...shown, artifact: { ...current, report, stills } } : shown;
}

/** Puts a part behind the call it belongs to and what already follows that call; at the end when the call is unknown. */
function after(parts: readonly Part[], call: string, part: Part): readonly Part[] {
  const at = parts.findLastIndex((p) => p.call === call);
  return at < 0 ? [...parts, part] : [...parts.slice(0, at + 1), part, ...parts.slice(at + 1)];
}

function add(state: Detail, item: FlowItem): Detail {
  return { ...state, items: [...state.items, item] };
}

function editTurn(state: Detail, run: string, step: number, edit: (turn: TurnItem) => TurnItem): Detail {
  const at = state.items.findLastIndex((i) => i.type === "turn" && i.run === run && i.step === step);
  return editAt(state, at, edit);
}

function editLastTurn(state: Detail, run: string | undefined, edit: (turn: TurnItem) => TurnItem): Detail {
  const at = state.items.findLastIndex((i) => i.type === "turn" && (run === undefined || i.run === run));
  return editAt(state, at, edit);
}

function editAt(state: Detail, at: number, edit: (turn: TurnItem) => TurnItem): Detail {
  const turn = state.items[at];
  if (turn?.type !== "turn") return state;
  return { ...state, items: state.items.with(at, edit(turn)) };
}

function editTool(turn: TurnItem, call: string, name: string, edit: (part: ToolPart) => ToolPart): TurnItem {
  const at = turn.parts.findIndex((p) => p.type === "tool" && p.call === call);
  const found = turn.parts[at];
  if (found?.type === "tool") return { ...turn, parts: turn.parts.with(at, edit(found)) };
  return { ...turn, parts: [...turn.parts, edit({ type: "tool", key: call, call, name, state: "called" })] };
}

function without(state: Detail, _key: "waiting"): Detail {
  const { waiting: _gone, ...rest } = state;
  return rest;
}
