/**
 * protocol: everything that crosses a process or reaches disk, as types and schemas, and the pure folds that
 * every client shares. Refuses to know: how anything is stored, sent or drawn.
 */
export * from "./api.ts";
export * from "./artifact.ts";
export * from "./errors.ts";
export * from "./frames.ts";
export * from "./kinds.ts";
export * from "./messages.ts";
export * from "./plan.ts";
export * from "./provenance.ts";
export * from "./records.ts";
export * from "./run.ts";
export * from "./text.ts";
export * from "./usage.ts";
export * from "./version.ts";
export { reduceSummary, type ArtifactBrief, type SessionSummary } from "./views/summary.ts";
