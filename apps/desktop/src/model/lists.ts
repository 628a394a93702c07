import type { SessionSummary, Totals } from "@swarm/protocol";
import { addTotals, ZERO_TOTALS } from "@swarm/protocol";
import { endedBadly, FILTERS, isActive, isStuck, matches, stateOf, waitsForYou, type FilterName } from "./state.ts";

export interface Tally {
  readonly total: number;
  readonly delivered: number;
  readonly active: number;
  readonly you: number;
  readonly stuck: number;
  readonly unseen: number;
  readonly failed: number;
  /** Queued, idle or cancelled. */
  readonly rest: number;
  readonly totals: Totals;
}

export function tally(sessions: readonly SessionSummary[], nowMs: number): Tally {
  const n = { total: 0, delivered: 0, active: 0, you: 0, stuck: 0, unseen: 0, failed: 0, rest: 0 };
  let totals = ZERO_TOTALS;
  for (const session of sessions) {
    const state = stateOf(session);
    n.total++;
    if (state === "delivered") {
      n.delivered++;
      if (session.unseen) n.unseen++;
    } else if (waitsForYou(state)) n.you++;
    else if (isActive(state)) n.active++;
    else if (endedBadly(state)) n.failed++;
    else n.rest++;
    if (isStuck(session, nowMs)) n.stuck++;
    totals = addTotals(totals, session.totals);
  }
  return { ...n, totals };
}

export function filterCount(t: Tally, filter: FilterName): number {
  return filter === "all" ? t.total : t[filter];
}

export interface Group {
  /** Empty for sessions that belong to none. */
  readonly name: string;
  readonly sessions: readonly SessionSummary[];
}

/** Groups in the order of their first session; sessions in the order given. Nothing moves when a state changes. */
export function groupsOf(sessions: readonly SessionSummary[]): readonly Group[] {
  const groups = new Map<string, SessionSummary[]>();
  for (const session of sessions) {
    const name = session.group ?? "";
    const members = groups.get(name);
    if (members) members.push(session);
    else groups.set(name, [session]);
  }
  return [...groups].map(([name, members]) => ({ name, sessions: members }));
}

/** Words of the query must each occur in title, label, id, group, agent, model or what it does now. */
export function search(sessions: readonly SessionSummary[], query: string): readonly SessionSummary[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return sessions;
  return sessions.filter((s) => {
    const text =
      `${s.title}\n${s.label ?? ""}\n${s.id}\n${s.group ?? ""}\n${s.profile}\n${s.model}\n${s.now}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function select(
  sessions: readonly SessionSummary[],
  filter: FilterName,
  query: string,
  nowMs: number,
): readonly SessionSummary[] {
  const found = search(sessions, query);
  return filter === "all" ? found : found.filter((s) => matches(s, filter, nowMs));
}

export function isFilter(name: string): name is FilterName {
  return (FILTERS as readonly string[]).includes(name);
}

/** The oldest question first: the one that has waited longest. */
export function waiting(sessions: readonly SessionSummary[]): readonly SessionSummary[] {
  return sessions.filter((s) => waitsForYou(stateOf(s))).sort((a, b) => a.updatedAt - b.updatedAt);
}
