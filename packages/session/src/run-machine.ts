import type { Kind, RunPhase } from "@swarm/protocol";

/**
 *   (none) ─queued─▶ queued ─leased─▶ leased ─step.started─▶ running ◀─resumed── waiting
 *                      │  ▲             │ ▲                    │ │─waiting──────▶  │
 *                      │  └─────────────┴─┼───── leased ◀──────┴─┼─────────────────┘   (a higher epoch, after a crash)
 *                      └── ended ─────────┴───────── ended ──────┴──▶ ended ─queued─▶ queued (a new run)
 *
 * R1  A run is leased before anything is done under it.
 * R2  A run ends exactly once; nothing happens under an ended run.
 * R3  A session has at most one unfinished run.
 * R4  A lease is always possible while the run is unfinished: that is how a run survives.
 */
export type RunState = { readonly phase: "none" } | { readonly phase: RunPhase; readonly run: string; readonly epoch: number; readonly progressAt: number; readonly crashes: number };

export type RunEventKind = "run.queued" | "run.leased" | "run.waiting" | "run.resumed" | "run.ended" | "step.started" | "step.finished" | "step.failed" | "tool.started" | "tool.finished";

/** What each event makes of each phase; `undefined`: refused. Total: a test walks it. */
const TABLE: Readonly<Record<RunEventKind, Readonly<Record<RunPhase | "none", RunPhase | undefined>>>> = {
  "run.queued": { none: "queued", queued: undefined, leased: undefined, running: undefined, waiting: undefined, ended: "queued" },
  "run.leased": { none: undefined, queued: "leased", leased: "leased", running: "leased", waiting: "leased", ended: undefined },
  "run.waiting": { none: undefined, queued: "waiting", leased: "waiting", running: "waiting", waiting: "waiting", ended: undefined },
  "run.resumed": { none: undefined, queued: undefined, leased: "running", running: "running", waiting: "running", ended: undefined },
  "run.ended": { none: undefined, queued: "ended", leased: "ended", running: "ended", waiting: "ended", ended: undefined },
  "step.started": { none: undefined, queued: undefined, leased: "running", running: "running", waiting: "running", ended: undefined },
  "step.finished": { none: undefined, queued: undefined, leased: "running", running: "running", waiting: "running", ended: undefined },
  "step.failed": { none: undefined, queued: undefined, leased: "running", running: "running", waiting: "running", ended: undefined },
  "tool.started": { none: undefined, queued: undefined, leased: "running", running: "running", waiting: "running", ended: undefined },
  "tool.finished": { none: undefined, queued: undefined, leased: "running", running: "running", waiting: "waiting", ended: undefined },
};

export function nextPhase(phase: RunPhase | "none", event: RunEventKind): RunPhase | undefined {
  return TABLE[event][phase];
}

export function isRunEvent(kind: Kind): kind is RunEventKind {
  return kind in TABLE;
}

/** Records that show a run got somewhere between two leases. */
export function isProgress(kind: Kind): boolean {
  return kind === "step.finished" || kind === "tool.finished" || kind === "artifact.revised" || kind === "question.answered";
}
