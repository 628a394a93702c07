/** Type-only ports that join storeys: both sides point down to here. */
export type { ArtifactOps, ArtifactOutcome, ArtifactSnapshot, Edit } from "./artifact-ops.ts";
export type { Checker, CheckJob, CheckResult } from "./checker.ts";
export type { AnyMutation, Applied, BlobWrite, JournalWriter, Mutation } from "./journal-writer.ts";
export type { LanguageModel, ModelRequest, ModelResolver, StreamPart } from "./language-model.ts";
export type { Decision, PermissionGate } from "./permission-gate.ts";
export type { PlanStore, QuestionDesk } from "./session-ops.ts";
export type { EffectClass, ToolContext, ToolDeclaration, ToolError, ToolOutcome, ToolRunner } from "./tool-runner.ts";
