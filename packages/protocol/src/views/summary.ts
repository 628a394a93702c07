import type { ArtifactState } from "../artifact.ts";
import type { ErrorClass } from "../errors.ts";
import type { AnyRecord } from "../records.ts";
import type { RunPhase, TerminalState, WaitReason } from "../run.ts";
import { addTotals, ZERO_TOTALS, type Totals } from "../usage.ts";

/** One session at a glance: the row of lists, the card of the Swarm page. A pure fold over its records. */
export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly profile: string;
  readonly model: string;
  readonly workspace?: string;
  readonly group?: string;
  readonly label?: string;
  readonly rev: number;
  /** Seq of the newest record folded in. */
  readonly seq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly run?: string;
  readonly runs: number;
  readonly epoch: number;
  /** Times the current run was taken up again after a crash or a drain. */
  readonly resumed: number;
  readonly phase: RunPhase | "idle";
  readonly wait?: { readonly on: WaitReason; readonly detail: string; readonly untilMs?: number };
  readonly state?: TerminalState;
  /** What it does now, or why it ended, in a few words. */
  readonly now: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly repairs: number;
  readonly totals: Totals;
  /** Tool and run errors by class. */
  readonly errors: Partial<Record<ErrorClass, number>>;
  readonly artifact?: ArtifactBrief;
  readonly question?: { readonly id: string; readonly text: string; readonly options: readonly string[] };
  /** Ended and not opened since. */
  readonly unseen: boolean;
}

export interface ArtifactBrief {
  readonly id: string;
  readonly title: string;
  readonly revision: number;
  readonly bytes: number;
  readonly state: ArtifactState;
  readonly verdict?: "verified" | "static_only" | "rejected";
  readonly passed?: number;
  readonly checks?: number;
  /** Blob hash of the newest still (PNG). */
  readonly still?: string;
}

export function reduceSummary(previous: SessionSummary | undefined, record: AnyRecord): SessionSummary {
  const base = { ...(previous ?? emptySummary(record)), rev: record.rev, seq: record.seq, updatedAt: record.at };
  switch (record.kind) {
    case "session.created": {
      const p = record.payload;
      return {
        ...base,
        title: p.title,
        profile: p.profile,
        model: p.model,
        ...(p.workspace === undefined ? {} : { workspace: p.workspace }),
        ...(p.group === undefined ? {} : { group: p.group }),
        ...(p.label === undefined ? {} : { label: p.label }),
      };
    }
    case "session.seen":
      return { ...base, unseen: false };
    case "run.queued": {
      const { state: _s, wait: _w, endedAt: _e, startedAt: _a, question: _q, ...rest } = base;
      return {
        ...rest,
        run: record.payload.run,
        runs: base.runs + 1,
        resumed: 0,
        phase: "queued",
        now: "in line",
        unseen: false,
      };
    }
    case "run.leased":
      return {
        ...without(base, "wait"),
        phase: "leased",
        epoch: record.payload.epoch,
        startedAt: base.startedAt ?? record.at,
        resumed: base.resumed + (record.payload.resumed ? 1 : 0),
        now: record.payload.resumed ? "taken up again" : "starting",
      };
    case "run.waiting": {
      const { on, detail, untilMs } = record.payload;
      return {
        ...base,
        phase: "waiting",
        wait: untilMs === undefined ? { on, detail } : { on, detail, untilMs },
        now: detail,
      };
    }
    case "run.resumed":
      return { ...without(base, "wait"), phase: "running", now: "going on" };
    case "step.started":
      return { ...without(base, "wait"), phase: "running", turns: base.turns + 1, now: "waiting for the model" };
    case "step.finished": {
      const { usage, cost, calls } = record.payload;
      const totals = addTotals(base.totals, {
        requests: 1,
        input: usage.input,
        cached: usage.cached,
        output: usage.output,
        reasoning: usage.reasoning,
        costNano: cost.totalNano,
        simulated: cost.simulated,
      });
      return {
        ...base,
        totals,
        toolCalls: base.toolCalls + calls.length,
        now: calls.length === 0 ? "answered" : `calls ${calls.map((c) => c.name).join(", ")}`,
      };
    }
    case "step.failed":
      return countError(base, record.payload.error.class, record.payload.error.message);
    case "tool.started":
      return { ...base, now: `running ${record.payload.name}` };
    case "tool.finished": {
      const done = { ...base, now: record.payload.summary };
      return record.payload.error ? countError(done, record.payload.error.class, record.payload.summary) : done;
    }
    case "question.asked":
      return {
        ...base,
        question: { id: record.payload.question, text: record.payload.text, options: record.payload.options },
        now: `asks: ${record.payload.text}`,
      };
    case "question.answered":
      return { ...without(base, "question"), now: "answered by you" };
    case "artifact.revised": {
      const p = record.payload;
      return {
        ...base,
        repairs: base.repairs + (p.parent > 0 ? 1 : 0),
        artifact: { id: p.artifact, title: p.title, revision: p.revision, bytes: p.body.bytes, state: "draft" },
        now: `wrote revision ${p.revision}`,
      };
    }
    case "artifact.checked": {
      const { report, stills } = record.payload;
      if (base.artifact?.revision !== record.payload.revision) return base;
      const still = stills.at(-1)?.image.blob ?? base.artifact.still;
      const artifact: ArtifactBrief = {
        ...base.artifact,
        state: report.verdict === "rejected" ? "rejected" : "ready",
        verdict: report.verdict,
        passed: report.passed,
        checks: report.passed + report.failed,
        ...(still === undefined ? {} : { still }),
      };
      return {
        ...base,
        artifact,
        now:
          report.failed > 0
            ? `gate: ${report.failed} of ${report.passed + report.failed} checks failed`
            : `passed ${report.passed} of ${report.passed} checks`,
      };
    }
    case "artifact.published":
      return base.artifact ? { ...base, artifact: { ...base.artifact, state: "published" } } : base;
    case "run.ended": {
      const { state, handoff, error } = record.payload;
      const ended: SessionSummary = {
        ...without(without(base, "wait"), "question"),
        phase: "ended",
        state,
        endedAt: record.at,
        unseen: true,
        now:
          error?.message ??
          (state === "delivered" && base.artifact?.checks !== undefined
            ? `passed ${base.artifact.passed ?? 0} of ${base.artifact.checks} checks`
            : handoff.overview),
      };
      // a step's failure that ended the run was counted when it happened
      return error && base.now !== error.message ? countError(ended, error.class, ended.now) : ended;
    }
    case "message.added":
    case "turn.interrupted":
    case "plan.set":
    case "daemon.started":
    case "daemon.stopped":
      return base;
    default:
      return base; // kinds of a newer daemon: an older client shows what it knows
  }
}

function emptySummary(record: AnyRecord): SessionSummary {
  return {
    id: record.session,
    title: "",
    profile: "",
    model: "",
    rev: 0,
    seq: 0,
    createdAt: record.at,
    updatedAt: record.at,
    runs: 0,
    epoch: 0,
    resumed: 0,
    phase: "idle",
    now: "",
    turns: 0,
    toolCalls: 0,
    repairs: 0,
    totals: ZERO_TOTALS,
    errors: {},
    unseen: false,
  };
}

function countError(summary: SessionSummary, errorClass: ErrorClass, now: string): SessionSummary {
  return { ...summary, now, errors: { ...summary.errors, [errorClass]: (summary.errors[errorClass] ?? 0) + 1 } };
}

function without(summary: SessionSummary, key: "wait" | "question"): SessionSummary {
  const { [key]: _gone, ...rest } = summary;
  return rest;
}
