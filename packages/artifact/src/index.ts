/**
 * artifact: what an agent delivers: revisions, edits by compare-and-swap, gate, publication. Refuses to know: parsers
 * and browsers (the checker process has them), how the journal keeps bytes, who holds the signing key.
 */
export { CheckerProcess, createCheckerProcess, type CheckerProcessOptions } from "./adapter/checker-process.ts";
export { applyEdits } from "./edit.ts";
export { artifactKinds, artifactProjections } from "./kinds.ts";
export { findParts } from "./parts.ts";
export { ArtifactService, createArtifactService, type ArtifactServiceOptions, type ArtifactStore } from "./service.ts";
