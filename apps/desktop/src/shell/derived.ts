import { createMemo, createSignal, type Accessor } from "solid-js";
import { nowMs } from "../data/clock.ts";
import type { Daemon } from "../data/daemon.ts";
import { groupsOf, tally, waiting, type Group, type Tally } from "../model/lists.ts";
import type { SessionSummary } from "@swarm/protocol";

/** What several parts of the page count, counted once per change. */
export interface Derived {
  readonly tally: Accessor<Tally>;
  readonly groups: Accessor<readonly Group[]>;
  readonly groupTallies: Accessor<ReadonlyMap<string, Tally>>;
  readonly waiting: Accessor<readonly SessionSummary[]>;
}

const STUCK_CHECK_MS = 5000;

export function derive(daemon: Daemon): Derived {
  const coarseNow = createMemo(() => Math.floor(nowMs() / STUCK_CHECK_MS) * STUCK_CHECK_MS);
  const groups = createMemo(() => groupsOf(daemon.sessions()));
  return {
    tally: createMemo(() => tally(daemon.sessions(), coarseNow())),
    groups,
    groupTallies: createMemo(() => new Map(groups().map((g) => [g.name, tally(g.sessions, coarseNow())]))),
    waiting: createMemo(() => waiting(daemon.sessions())),
  };
}

/** Order in which `j` and `k` walk the sessions: what the Swarm page shows, top to bottom. */
export const [walk, setWalk] = createSignal<readonly string[]>([]);

/** Number of artifacts is known only to pages that asked for them; the side shows published drafts of sessions. */
export function artifactCount(sessions: readonly SessionSummary[]): number {
  return sessions.reduce((n, s) => n + (s.artifact ? 1 : 0), 0);
}
