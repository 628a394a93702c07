/**
 * agent: what one agent does: context, turn loop, loop guard, budgets, handoff. Ports in, events out. Refuses to
 * know: how anything is stored, which provider answers, what a tool does.
 */
export type { AgentEvent } from "./events.ts";
export { frozenPrefix, type FrozenPrefix } from "./prefix.ts";
export { DEFAULT_PROFILE, profileOf, profileTools, type AgentProfile } from "./profiles.ts";
export { abortReason, RESUMABLE_ABORTS, runAgent, type AgentInput } from "./run-agent.ts";
export { EMPTY_STATE, fold, stateFromRecords, withPersonMessage, type AgentState, type PendingCall } from "./state.ts";
