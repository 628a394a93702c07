import type { Kind, RunPhase } from "@swarm/protocol";

/**
 *   (none) ─queued─▶ queued ─leased─▶ leased ─step.started─▶ running ◀─resumed── waiting
 *                      │  ▲             │ ▲                    │ │─waiting──────▶  │
 *                      │  └─────────────┴─┼───── leased ◀──────┴─┼─────────────────┘   (a higher epoch, after a crash)
 *                      └── ended ─────────┴───────── ended ──────┴──▶ ended ─queued─▶ queued (a new run)
 *
 * Pure: what each event makes of each phase. The rules R1 to R4 are in SPEC.md.
 */
export type RunEventKind =
  | "run.queued"
  | "run.leased"
  | "run.waiting"
  | "run.resumed"
  | "run.ended"
  | "turn.interrupted"
  | "step.started"
  | "step.finished"
  | "step.failed"
  | "tool.started"
  | "tool.finished"
  | "plan.set"
  | "question.asked";

type Row = Readonly<Record<RunPhase | "none", RunPhase | undefined>>;

/** Work of the agent: only under a lease; it shows that the run goes on. */
const WORK: Row = {
  none: undefined,
  queued: undefined,
  leased: "running",
  running: "running",
  waiting: "running",
  ended: undefined,
};
/** What may happen beside a wait of the same step: it does not end the wait. */
const ASIDE: Row = { ...WORK, waiting: "waiting" };
/** Says something about the run and leaves its phase. */
const NOTE: Row = { ...ASIDE, leased: "leased" };

/** `undefined`: refused. */
const TABLE: Readonly<Record<RunEventKind, Row>> = {
  "run.queued": {
    none: "queued",
    queued: undefined,
    leased: undefined,
    running: undefined,
    waiting: undefined,
    ended: "queued",
  },
  "run.leased": {
    none: undefined,
    queued: "leased",
    leased: "leased",
    running: "leased",
    waiting: "leased",
    ended: undefined,
  },
  "run.waiting": {
    none: undefined,
    queued: "waiting",
    leased: "waiting",
    running: "waiting",
    waiting: "waiting",
    ended: undefined,
  },
  "run.resumed": WORK,
  "run.ended": {
    none: undefined,
    queued: "ended",
    leased: "ended",
    running: "ended",
    waiting: "ended",
    ended: undefined,
  },
  "turn.interrupted": NOTE,
  "step.started": WORK,
  "step.finished": WORK,
  "step.failed": WORK,
  "tool.started": ASIDE,
  "tool.finished": ASIDE,
  "plan.set": NOTE,
  "question.asked": NOTE,
};

export const RUN_EVENTS = Object.keys(TABLE) as readonly RunEventKind[];

/** The phase after the event, or undefined: the event is refused. */
export function nextPhase(phase: RunPhase | "none", event: RunEventKind): RunPhase | undefined {
  return TABLE[event][phase];
}

export function isRunEvent(kind: Kind): kind is RunEventKind {
  return kind in TABLE;
}

/** Records that show that a run got somewhere between two leases. */
export function isProgress(kind: Kind): boolean {
  return (
    kind === "step.finished" ||
    kind === "tool.finished" ||
    kind === "artifact.revised" ||
    kind === "artifact.published" ||
    kind === "question.answered"
  );
}
