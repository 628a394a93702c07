import type { CheckReport } from "../artifact.ts";

export interface CheckJob {
  readonly html: string;
  readonly stages: readonly ("static" | "runtime")[];
}

export interface CheckResult {
  readonly report: CheckReport;
  /** PNG bytes from the runtime stage; empty when it did not run. */
  readonly stills: readonly {
    readonly timeMs: number;
    readonly width: number;
    readonly height: number;
    readonly png: Uint8Array;
  }[];
}

/** The gate, in a process of its own. A dead or hung process is restarted; the job then answers `not_run` with the reason. */
export interface Checker {
  check(job: CheckJob, signal: AbortSignal): Promise<CheckResult>;
  /** Whether the runtime stage can run here, and if not, why (no Chromium, no sandbox). */
  ability(): Promise<{ readonly runtime: boolean; readonly reason: string }>;
}
