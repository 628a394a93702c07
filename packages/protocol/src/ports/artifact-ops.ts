import type { ArtifactState, CheckReport } from "../artifact.ts";
import type { ToolContext, ToolError } from "./tool-runner.ts";

export interface Edit {
  readonly find: string;
  readonly replace: string;
}

/** A revision as the tool reports it. */
export interface ArtifactSnapshot {
  readonly artifact: string;
  readonly title: string;
  readonly revision: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly parts: readonly string[];
  readonly state: ArtifactState;
  readonly report: CheckReport | null;
  /** True when the same bytes were sent again: nothing changed. */
  readonly replayed: boolean;
}
export type ArtifactOutcome =
  | { readonly ok: true; readonly artifact: ArtifactSnapshot }
  | { readonly ok: false; readonly error: ToolError; readonly artifact?: ArtifactSnapshot };

/**
 * What the `manage_artifact` tool may do. One session owns its artifacts: ids come from the daemon. `create`
 * and `edit` write a revision, run the gate and, when it passes and `publish` is set, sign and publish it.
 * A failed gate is `ok: false` with code `check_failed` and the report's summary; the revision is kept.
 */
export interface ArtifactOps {
  create(
    context: ToolContext,
    input: { readonly title: string; readonly content: string; readonly publish: boolean },
  ): Promise<ArtifactOutcome>;
  /** Exact-match replacements against revision `base`, all or nothing. `artifact` empty: the session's only one. */
  edit(
    context: ToolContext,
    input: {
      readonly artifact?: string;
      readonly base: number;
      readonly edits: readonly Edit[];
      readonly publish: boolean;
    },
  ): Promise<ArtifactOutcome>;
  read(
    context: ToolContext,
    input: { readonly artifact?: string; readonly fromLine?: number; readonly toLine?: number },
  ): Promise<
    | { readonly ok: true; readonly text: string; readonly artifact: ArtifactSnapshot }
    | { readonly ok: false; readonly error: ToolError }
  >;
  status(context: ToolContext, input: { readonly artifact?: string }): Promise<ArtifactOutcome>;
  publish(
    context: ToolContext,
    input: { readonly artifact?: string; readonly base?: number },
  ): Promise<ArtifactOutcome>;
  list(session: string): Promise<readonly ArtifactSnapshot[]>;
}
