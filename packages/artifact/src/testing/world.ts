import { createHash } from "node:crypto";
import { openJournal, type Journal } from "@swarm/journal";
import { MemoryStore } from "@swarm/kv";
import type { CheckReport, Payloads, Provenance } from "@swarm/protocol";
import type {
  AnyMutation,
  ArtifactOutcome,
  ArtifactSnapshot,
  Applied,
  Checker,
  CheckJob,
  CheckResult,
  ToolContext,
} from "@swarm/protocol/ports";
import { silentLogger, systemClock } from "@swarm/std";
import { artifactKinds, artifactProjections, createArtifactService, type ArtifactService } from "../index.ts";

export const SESSION = "ses_0123456789abcdef";
export const PNG = new Uint8Array([137, 80, 78, 71]);

/** What a checker answers for a document: rejected when it says `bad`, not run when it says `down`. */
export class ScriptedChecker implements Checker {
  readonly jobs: CheckJob[] = [];
  runtime = true;

  async check(job: CheckJob): Promise<CheckResult> {
    this.jobs.push(job);
    const down = job.html.includes("down");
    const bad = job.html.includes("bad");
    const finding = bad
      ? { check: "hook", ok: false, message: "no hook", line: 3, fix: "install it" }
      : { check: "hook", ok: true, message: "installed" };
    const stage = {
      stage: "static" as const,
      verdict: down ? ("not_run" as const) : bad ? ("failed" as const) : ("passed" as const),
      findings: down ? [] : [finding],
      durationMs: 1,
    };
    const report: CheckReport = {
      sha256: createHash("sha256").update(job.html).digest("hex"),
      stages: [stage],
      verdict: bad || down ? "rejected" : this.runtime ? "verified" : "static_only",
      summary: bad ? "hook line 3: no hook. Fix: install it." : down ? "The gate could not run: it is down." : "",
      passed: bad || down ? 0 : 1,
      failed: bad ? 1 : 0,
      notRun: down || !this.runtime ? 1 : 0,
    };
    return { report, stills: bad || down ? [] : [{ timeMs: 0, width: 640, height: 400, png: PNG }] };
  }
  async ability(): Promise<{ runtime: boolean; reason: string }> {
    return { runtime: this.runtime, reason: "" };
  }
}

/** As much of a session's own kinds as fencing needs. */
const LEASED = {
  kind: "run.leased" as const,
  schema: (payload: unknown) => payload as Payloads["run.leased"],
  epochOf: (payload: Payloads["run.leased"]) => payload.epoch,
};

export class CrashError extends Error {}

/** A session's artifacts on a journal in memory. `crashAt`: the process dies around the n-th commit from now. */
export class World {
  readonly checker = new ScriptedChecker();
  readonly store = new MemoryStore();
  journal!: Journal;
  service!: ArtifactService;
  crashAt: { commit: number; durable: boolean } | undefined;
  commits = 0;

  async open(): Promise<this> {
    this.journal = await openJournal({
      home: "memory",
      kinds: [...artifactKinds, LEASED],
      projections: [...artifactProjections],
      clock: systemClock,
      logger: silentLogger,
      store: this.store,
    });
    const { journal } = this;
    const apply = async (mutations: AnyMutation | readonly AnyMutation[]): Promise<readonly Applied[]> => {
      const dies = this.crashAt?.commit === ++this.commits ? this.crashAt : undefined;
      if (dies?.durable === false) throw new CrashError("before the commit");
      const applied = await journal.apply(mutations);
      if (dies?.durable === true) throw new CrashError("after the commit");
      return applied;
    };
    const facade = {
      apply,
      blob: (bytes: Uint8Array) => journal.blob(bytes),
      chunk: () => {},
      project: <S>(name: string, session: string) => journal.project<S>(name, session),
      readBlob: (sha256: string) => journal.readBlob(sha256),
      index: (name: string, range: { prefix?: string; after?: string; limit: number }) => journal.index(name, range),
    };
    const sign = (statement: Omit<Provenance, "keyFingerprint" | "signature">): Provenance => ({
      ...statement,
      keyFingerprint: "f".repeat(16),
      signature: "c2lnbmVk",
    });
    this.service = createArtifactService({
      journal: facade,
      checker: this.checker,
      signProvenance: sign,
      clock: systemClock,
      policy: { runtime: true },
    });
    return this;
  }

  /** The same data under a new process. */
  async restart(): Promise<void> {
    this.crashAt = undefined;
    this.commits = 0;
    await this.open();
  }

  async kinds(session = SESSION): Promise<string[]> {
    return (await this.journal.records(session, { limit: 100 })).map((r) => r.kind.replace("artifact.", ""));
  }
}

let calls = 0;
export function context(more: Partial<ToolContext> = {}): ToolContext {
  return {
    session: SESSION,
    run: "run_0123456789abcdef",
    step: 1,
    epoch: 0,
    callId: `call_${++calls}`,
    model: "sim/perfect",
    signal: new AbortController().signal,
    ...more,
  };
}

export function page(text: string): string {
  return `<!doctype html>\n<main id="card">\n<section id="stage">${text}</section>\n</main>\n`;
}

export function good(outcome: ArtifactOutcome): ArtifactSnapshot {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.artifact;
}
