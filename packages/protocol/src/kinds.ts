import type { ArtifactId, QuestionId, RunId } from "@swarm/std";
import type { CheckReport, Provenance, Still } from "./artifact.ts";
import type { Plan } from "./plan.ts";
import type { Budget, Handoff, RunError, TerminalState, WaitReason } from "./run.ts";
import type { BlobRef, StoredText } from "./text.ts";
import type { ErrorClass } from "./errors.ts";
import type { Cost, Usage } from "./usage.ts";

/** Payload of every mutation kind, by kind. `noun.past`. The journal keeps them; owners reduce them. */
export interface Payloads {
  // session
  "session.created": {
    readonly title: string;
    readonly profile: string;
    readonly model: string;
    readonly workspace?: string;
    /** Group shown in lists, e.g. `Century Run`. */
    readonly group?: string;
    /** What the client calls it, e.g. node id `041`. Never interpreted by the daemon. */
    readonly label?: string;
  };
  "session.seen": { readonly rev: number };
  "message.added": { readonly text: StoredText; readonly by: "person" | "daemon"; readonly run?: RunId };
  // run
  "run.queued": { readonly run: RunId; readonly budget: Budget; readonly interactive: boolean };
  /** Raises the session's epoch: later writes under an older one are refused as `fenced`. */
  "run.leased": { readonly run: RunId; readonly epoch: number; readonly resumed: boolean };
  "run.waiting": { readonly run: RunId; readonly on: WaitReason; readonly detail: string; readonly untilMs?: number };
  "run.resumed": { readonly run: RunId };
  "run.ended": {
    readonly run: RunId;
    readonly state: TerminalState;
    readonly handoff: Handoff;
    readonly error?: RunError;
  };
  /** A model response was cut by a crash or a cancel: `offset` characters of the stream were valid. */
  "turn.interrupted": {
    readonly run: RunId;
    readonly step: number;
    readonly text: string;
    readonly offset: number;
    readonly sha256: string;
  };
  // agent
  "step.started": {
    readonly run: RunId;
    readonly step: number;
    readonly model: string;
    readonly prefixHash: string;
    readonly prefixBytes: number;
    /** Why the frozen prefix is not the one of the step before; absent when it is. */
    readonly breakCause?: string;
  };
  "step.finished": {
    readonly run: RunId;
    readonly step: number;
    readonly text: StoredText;
    readonly reasoning?: StoredText;
    readonly calls: readonly StoredCall[];
    readonly finish: FinishReason;
    readonly usage: Usage;
    readonly cost: Cost;
    /** Model really used (fallback, alias). */
    readonly model: string;
    readonly ttftMs: number;
    readonly durationMs: number;
    readonly signature?: string;
  };
  "step.failed": { readonly run: RunId; readonly step: number; readonly error: RunError };
  "tool.started": { readonly run: RunId; readonly step: number; readonly call: string; readonly name: string };
  "tool.finished": {
    readonly run: RunId;
    readonly step: number;
    readonly call: string;
    readonly name: string;
    readonly ok: boolean;
    /** One line for a person. */
    readonly summary: string;
    /** What the model reads. */
    readonly output: StoredText;
    readonly error?: { readonly code: string; readonly class: ErrorClass; readonly message: string };
    /** Repairs made to malformed arguments, in words. */
    readonly repaired?: readonly string[];
    readonly durationMs: number;
    readonly truncated: boolean;
  };
  "plan.set": { readonly run: RunId; readonly plan: Plan };
  "question.asked": {
    readonly run: RunId;
    readonly question: QuestionId;
    readonly text: string;
    readonly options: readonly string[];
    readonly call: string;
  };
  "question.answered": { readonly question: QuestionId; readonly answer: string; readonly by: string };
  // artifact
  "artifact.revised": {
    readonly artifact: ArtifactId;
    readonly revision: number;
    /** 0 for the first. */
    readonly parent: number;
    readonly title: string;
    readonly sha256: string;
    readonly body: BlobRef;
    readonly parts: readonly string[];
    readonly call: string;
    readonly run: RunId;
  };
  "artifact.checked": {
    readonly artifact: ArtifactId;
    readonly revision: number;
    readonly report: CheckReport;
    readonly stills: readonly Still[];
  };
  "artifact.published": { readonly artifact: ArtifactId; readonly revision: number; readonly provenance: Provenance };
  // daemon (session `ses_system`)
  "daemon.started": {
    readonly version: string;
    readonly pid: number;
    readonly clean: boolean;
    readonly resumedRuns: number;
  };
  "daemon.stopped": { readonly reason: string };
}

export interface StoredCall {
  readonly id: string;
  readonly name: string;
  readonly args: StoredText;
  readonly signature?: string;
}

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";
export type Kind = keyof Payloads;
export const SYSTEM_SESSION = "ses_system";
