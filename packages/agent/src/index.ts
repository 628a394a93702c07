/**
 * agent: what one agent does: context, turn loop, loop guard, budgets, handoff. Ports in, events out. Refuses to
 * know: how anything is stored, which provider answers, what a tool does.
 */
export type { AgentInput, Facts } from "./agent-input.ts";
export { RESUMABLE_ABORTS } from "./calls.ts";
export type { AgentEvent } from "./events.ts";
export { stateFromRecords } from "./from-records.ts";
export { frozenPrefix, type FrozenPrefix } from "./prefix.ts";
export { DEFAULT_PROFILE, profileOf, profileTools, type AgentProfile } from "./profiles.ts";
export { recordOf, type RecordDraft } from "./record-of.ts";
export { abortReason, runAgent } from "./run-agent.ts";
export { EMPTY_STATE, fold, withNewRun, withPersonMessage, type AgentState, type PendingCall } from "./state.ts";
