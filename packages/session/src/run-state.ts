import type { AnyRecord, Budget, RunPhase } from "@swarm/protocol";
import { isProgress, isRunEvent, nextPhase } from "./run-machine.ts";

/** Where the session's newest run stands, and what a start must know to take it up again. */
export type RunState =
  | { readonly phase: "none" }
  | {
      readonly phase: RunPhase;
      readonly run: string;
      /** What the run may use now: as queued, raised by a person's answers. */
      readonly budget: Budget;
      readonly interactive: boolean;
      /** Seqs of the leases that took the run up again since it last got anywhere. The newest few. */
      readonly leases: readonly number[];
      /** Waits for a person because it only crashes; never leased by itself. */
      readonly parked: boolean;
      /** The open question about the budget. */
      readonly budgetQuestion?: string;
    };

export const NO_RUN: RunState = { phase: "none" };
/** Starts `run.waiting.detail` of a parked run: what a list shows. */
export const PARKED = "parked:";
/** Starts the call id of a question about the budget. */
export const BUDGET_CALL = "budget:";
/** The answer that raises every limit by half. */
export const RAISE = "Raise by half";
const LEASES_KEPT = 8;

export function reduceRun(now: RunState, record: AnyRecord): RunState {
  if (record.kind === "run.queued") {
    const { run, budget, interactive } = record.payload;
    return { phase: "queued", run, budget, interactive, leases: [], parked: false };
  }
  if (now.phase === "none") return now;
  const moved = isRunEvent(record.kind) ? { ...now, phase: nextPhase(now.phase, record.kind) ?? now.phase } : now;
  switch (record.kind) {
    case "run.leased": {
      const leases = record.payload.resumed ? [...now.leases, record.seq].slice(-LEASES_KEPT) : now.leases;
      return { ...moved, leases, parked: false };
    }
    case "run.waiting":
      if (record.payload.on !== "user") return moved;
      // a wait for a person is a safe place to be found in by a crash; being parked is not progress
      return record.payload.detail.startsWith(PARKED) ? { ...moved, parked: true } : { ...moved, leases: [] };
    case "message.added":
      return record.payload.by === "person" ? { ...now, leases: [], parked: false } : now;
    case "question.asked":
      return record.payload.call.startsWith(BUDGET_CALL)
        ? { ...moved, budgetQuestion: record.payload.question }
        : moved;
    case "question.answered": {
      const { budgetQuestion, ...rest } = now;
      const open = { ...rest, leases: [], parked: false };
      if (budgetQuestion !== record.payload.question) return { ...now, leases: [], parked: false };
      return isRaise(record.payload.answer) ? { ...open, budget: raised(now.budget) } : open;
    }
    default:
      return isProgress(record.kind) ? { ...moved, leases: [] } : moved;
  }
}

export function isRaise(answer: string): boolean {
  return answer.trim().toLowerCase().startsWith("raise");
}

function raised(budget: Budget): Budget {
  const limits = Object.entries(budget) as [keyof Budget, number][];
  return Object.fromEntries(
    limits.map(([name, limit]) => [name, name === "usd" ? limit * 1.5 : Math.ceil(limit * 1.5)]),
  );
}

/** A start of the daemon, from its own session. `clean`: the one before had stopped in order. */
export interface DaemonStart {
  readonly seq: number;
  readonly clean: boolean;
}

/** A run that was taken up this often after a crash, without getting anywhere, waits for a person. */
export const CRASHED_LEASES_MAX = 2;

/**
 * What a start does with an unfinished run. Parked only when the daemon crashed again just now: a run that was
 * there at an orderly stop is not what crashes it.
 */
export function decideRestart(
  run: RunState,
  starts: readonly DaemonStart[],
  cleanNow: boolean,
): "lease" | "park" | "leave" {
  if (run.phase === "none" || run.phase === "ended" || run.parked) return "leave";
  if (cleanNow) return "lease";
  const crashed = run.leases.filter((lease) => starts.findLast((start) => start.seq < lease)?.clean === false);
  return crashed.length >= CRASHED_LEASES_MAX ? "park" : "lease";
}
