import type { Plan } from "../plan.ts";
import type { ToolContext } from "./tool-runner.ts";

/** Session state that tools may change, through the journal, under the run's lease. */
export interface PlanStore {
  get(session: string): Promise<Plan | undefined>;
  /** `plan.revision` is the new revision; refused as AppError `rev_conflict` when it is not current + 1. */
  put(context: ToolContext, plan: Plan): Promise<void>;
}

/** Asks the person; resolves with the answer. The same call id asks once, also over a restart. */
export interface QuestionDesk {
  ask(context: ToolContext, question: { readonly text: string; readonly options: readonly string[] }): Promise<string>;
}
