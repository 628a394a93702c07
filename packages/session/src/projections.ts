import type { ProjectionDefinition } from "@swarm/journal";
import { reduceSummary, type AnyRecord, type Plan, type SessionSummary } from "@swarm/protocol";
import { isProgress, isRunEvent, nextPhase, type RunState } from "./run-machine.ts";

const summary: ProjectionDefinition<SessionSummary> = { name: "summary", version: 1, reduce: reduceSummary };

const plan: ProjectionDefinition<{ readonly plan: Plan | null }> = {
  name: "plan",
  version: 1,
  reduce: (state, record) => (record.kind === "plan.set" ? { plan: record.payload.plan } : (state ?? { plan: null })),
};

/** The questions of a session and their answers, by tool call. */
export interface QuestionState {
  readonly byCall: Readonly<Record<string, { readonly question: string; readonly answer?: string }>>;
}
const questions: ProjectionDefinition<QuestionState> = {
  name: "questions",
  version: 1,
  reduce(state, record) {
    const now = state ?? { byCall: {} };
    if (record.kind === "question.asked") return { byCall: { ...now.byCall, [record.payload.call]: { question: record.payload.question } } };
    if (record.kind !== "question.answered") return now;
    const { question, answer } = record.payload;
    return { byCall: Object.fromEntries(Object.entries(now.byCall).map(([call, q]) => [call, q.question === question ? { ...q, answer } : q])) };
  },
};

const run: ProjectionDefinition<RunState> = { name: "run", version: 1, reduce: reduceRun };

export function reduceRun(state: RunState | undefined, record: AnyRecord): RunState {
  const now: RunState = state ?? { phase: "none" };
  if (record.kind === "run.queued") return { phase: "queued", run: record.payload.run, epoch: now.phase === "none" ? 0 : now.epoch, progressAt: record.rev, crashes: 0 };
  if (now.phase === "none") return now;
  if (isProgress(record.kind)) {
    const phase = isRunEvent(record.kind) ? (nextPhase(now.phase, record.kind) ?? now.phase) : now.phase;
    return { ...now, phase, progressAt: record.rev, crashes: 0 };
  }
  if (record.kind === "run.leased") return { ...now, phase: "leased", epoch: record.payload.epoch, crashes: record.payload.resumed ? now.crashes + 1 : now.crashes };
  if (!isRunEvent(record.kind)) return now;
  return { ...now, phase: nextPhase(now.phase, record.kind) ?? now.phase };
}

export const sessionProjections: readonly ProjectionDefinition[] = [summary, plan, questions, run] as readonly ProjectionDefinition[];
