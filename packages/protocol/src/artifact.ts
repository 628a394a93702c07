import type { BlobRef } from "./text.ts";

export const ARTIFACT_LIMITS = { bodyBytes: 1024 * 1024, titleChars: 120 } as const;
export const ANIMATION_VERSION = "swarm.animation/v1";
export const DATA_VERSION = "swarm.data/v1";

export type ArtifactState = "draft" | "ready" | "rejected" | "published";

export type CheckStageName = "static" | "runtime";
/** `not_run`: the stage could not be run here; `reason` says why. Never shown as passed. */
export type CheckVerdict = "passed" | "failed" | "not_run";

export interface Finding {
  /** Stable name of the check, e.g. `external_reference`, `manifest`, `seek_identity`. */
  readonly check: string;
  readonly ok: boolean;
  /** One sentence: what was found, with the measured value. */
  readonly message: string;
  /** 1-based, where it can be said. */
  readonly line?: number;
  readonly column?: number;
  /** The exact fix wanted, for the agent. */
  readonly fix?: string;
}

export interface CheckStage {
  readonly stage: CheckStageName;
  readonly verdict: CheckVerdict;
  readonly reason?: string;
  readonly findings: readonly Finding[];
  readonly durationMs: number;
}

export interface CheckReport {
  readonly sha256: string;
  readonly stages: readonly CheckStage[];
  /** `verified`: both stages passed. `static_only`: static passed, runtime could not be run. */
  readonly verdict: "verified" | "static_only" | "rejected";
  /** One paragraph (at most 1 KB) for the agent: what to change, with lines. Empty when nothing is wrong. */
  readonly summary: string;
  readonly passed: number;
  readonly failed: number;
  readonly notRun: number;
  /** Card figures from the runtime stage: blank where it did not run. */
  readonly card?: { readonly frameCostP95Ms?: number; readonly fps?: number };
}

/** A still from the gate: PNG bytes, kept as a blob. */
export interface Still {
  readonly timeMs: number;
  readonly width: number;
  readonly height: number;
  readonly image: BlobRef;
}

/** What the daemon signs (canonical JSON, Ed25519). `signature` is base64 over the canonical form of the rest. */
export interface Provenance {
  readonly artifact: string;
  readonly revision: number;
  readonly sha256: string;
  readonly session: string;
  readonly run: string;
  readonly model: string;
  readonly checks: {
    readonly verdict: CheckReport["verdict"];
    readonly passed: number;
    readonly failed: number;
    readonly notRun: number;
  };
  readonly at: string;
  readonly keyFingerprint: string;
  readonly signature: string;
}
