import type { ProjectionDefinition } from "@swarm/journal";
import { reduceSummary, type AnyRecord, type Plan, type SessionSummary } from "@swarm/protocol";
import { NO_RUN, reduceRun, type RunState } from "./run-state.ts";

/** Everything the host decides by. Also what the guards of the session's kinds see. */
export interface SessionState {
  /** Seq of `session.created`: the session's place in lists. */
  readonly created: number;
  readonly summary: SessionSummary;
  readonly run: RunState;
}

export function reduceSession(state: SessionState | undefined, record: AnyRecord): SessionState {
  return {
    created: state?.created ?? record.seq,
    summary: reduceSummary(state?.summary, record),
    run: reduceRun(state?.run ?? NO_RUN, record),
  };
}

/** The questions whose calls have no result yet, by call: what a call that is run again finds. */
export interface QuestionState {
  readonly byCall: Readonly<Record<string, { readonly question: string; readonly answer?: string }>>;
}

function reduceQuestions(state: QuestionState | undefined, record: AnyRecord): QuestionState {
  const now = state ?? { byCall: {} };
  switch (record.kind) {
    case "question.asked":
      return { byCall: { ...now.byCall, [record.payload.call]: { question: record.payload.question } } };
    case "question.answered": {
      const { question, answer } = record.payload;
      const entries = Object.entries(now.byCall).map(([call, q]) => [
        call,
        q.question === question ? { ...q, answer } : q,
      ]);
      return { byCall: Object.fromEntries(entries) };
    }
    case "tool.finished": {
      // models repeat call ids: with its result a call's question is over
      if (!(record.payload.call in now.byCall)) return now;
      const { [record.payload.call]: _done, ...rest } = now.byCall;
      return { byCall: rest };
    }
    case "run.ended":
      return Object.keys(now.byCall).length === 0 ? now : { byCall: {} };
    default:
      return now;
  }
}

const session: ProjectionDefinition<SessionState> = { name: "session", version: 1, reduce: reduceSession };
const summary: ProjectionDefinition<SessionSummary> = { name: "summary", version: 1, reduce: reduceSummary };
const run: ProjectionDefinition<RunState> = {
  name: "run",
  version: 2,
  reduce: (state, record) => reduceRun(state ?? NO_RUN, record),
};
const plan: ProjectionDefinition<{ readonly plan: Plan | null }> = {
  name: "plan",
  version: 1,
  reduce: (state, record) => (record.kind === "plan.set" ? { plan: record.payload.plan } : (state ?? { plan: null })),
};
const questions: ProjectionDefinition<QuestionState> = { name: "questions", version: 2, reduce: reduceQuestions };

/** Only those that somebody asks for are kept in memory. */
export const sessionProjections = [session, summary, run, plan, questions] as readonly ProjectionDefinition[];
