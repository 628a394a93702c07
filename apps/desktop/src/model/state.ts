import type { SessionSummary } from "@swarm/protocol";
import { unreachable } from "@swarm/std";

/** The fourteen looks of a session, and `idle`: made, never started. */
export type StateName =
  | "idle"
  | "queued"
  | "leased"
  | "running"
  | "wait_model"
  | "wait_tool"
  | "wait_child"
  | "wait_rate"
  | "wait_perm"
  | "wait_ask"
  | "delivered"
  | "blocked"
  | "failed"
  | "cancelled"
  | "budget_exhausted";

/** No progress for this long makes an active session stuck. */
export const STUCK_AFTER_MS = 180_000;

export type FilterName = "all" | "active" | "you" | "stuck" | "unseen" | "failed";
export const FILTERS: readonly FilterName[] = ["all", "active", "you", "stuck", "unseen", "failed"];

export function stateOf(session: SessionSummary): StateName {
  switch (session.phase) {
    case "idle":
      return "idle";
    case "queued":
      return "queued";
    case "ended":
      return session.state ?? "cancelled";
    default:
      if (session.question) return "wait_ask";
      if (session.phase === "leased") return "leased";
      return session.phase === "running" ? "running" : waitState(session);
  }
}

function waitState(session: SessionSummary): StateName {
  switch (session.wait?.on) {
    case "model":
      return "wait_model";
    case "child":
      return "wait_child";
    case "rate_limit":
    case "capacity":
      return "wait_rate";
    case "permission":
    case "budget":
      return "wait_perm";
    case "user":
      return "wait_ask";
    default:
      return "wait_tool";
  }
}

export function waitsForYou(state: StateName): boolean {
  return state === "wait_perm" || state === "wait_ask";
}
export function isActive(state: StateName): boolean {
  return state === "leased" || state === "running" || (state.startsWith("wait_") && !waitsForYou(state));
}
export function endedBadly(state: StateName): boolean {
  return state === "failed" || state === "blocked" || state === "budget_exhausted";
}
export function isEnded(session: SessionSummary): boolean {
  return session.phase === "ended";
}
/** An unfinished run: it can be cancelled. */
export function isOpen(session: SessionSummary): boolean {
  return session.phase !== "ended" && session.phase !== "idle";
}

export function isStuck(session: SessionSummary, nowMs: number): boolean {
  return isActive(stateOf(session)) && nowMs - session.updatedAt >= STUCK_AFTER_MS;
}

export function matches(session: SessionSummary, filter: FilterName, nowMs: number): boolean {
  const state = stateOf(session);
  switch (filter) {
    case "all":
      return true;
    case "active":
      return isActive(state);
    case "you":
      return waitsForYou(state);
    case "stuck":
      return isStuck(session, nowMs);
    case "unseen":
      return state === "delivered" && session.unseen;
    case "failed":
      return endedBadly(state);
    default:
      return unreachable(filter);
  }
}

/** One tick of the strip: height and form say the state before colour does. */
export function tickOf(session: SessionSummary): "t-live" | "t-wait" | "t-you" | "t-new" | "t-ok" | "t-bad" | "t-mute" {
  const state = stateOf(session);
  if (state === "delivered") return session.unseen ? "t-new" : "t-ok";
  if (endedBadly(state)) return "t-bad";
  if (waitsForYou(state)) return "t-you";
  if (state === "running" || state === "leased") return "t-live";
  return state.startsWith("wait_") ? "t-wait" : "t-mute";
}

/** How long the run took, or has taken so far, in ms. */
export function ranForMs(session: SessionSummary, nowMs: number): number {
  return (session.endedAt ?? nowMs) - (session.startedAt ?? session.createdAt);
}
