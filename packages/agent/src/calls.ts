import type { ArtifactBrief, ToolCall } from "@swarm/protocol";
import type { ToolOutcome, ToolRunner } from "@swarm/protocol/ports";
import { errorMessage, isAppError, type Clock } from "@swarm/std";
import type { AgentEvent } from "./events.ts";
import type { PendingCall } from "./state.ts";

/** Aborts with these codes leave the run unfinished: it is taken up again later. */
export const RESUMABLE_ABORTS: ReadonlySet<string> = new Set(["drained", "lease_lost", "fenced"]);

/** Calls of one step that run at once. */
const PARALLEL_CALLS = 8;

export interface CallHost {
  readonly pending: readonly PendingCall[];
  readonly step: number;
  readonly clock: Clock;
  /** The run's signal. */
  readonly signal: AbortSignal;
  isIdempotent(call: ToolCall): boolean;
  /** May reject: with an abort's reason, a lost lease, or a bug. */
  run(call: ToolCall, signal: AbortSignal): ReturnType<ToolRunner["run"]>;
  /** Takes or refuses a handoff, when every other call of the step has its result. */
  judgeHandoff(call: ToolCall, outcome: ToolOutcome): ToolOutcome;
  emit(event: AgentEvent): Promise<void>;
}

/**
 * Runs the calls that have no result, in parallel; each result is durable as soon as it is there. When it resolves every
 * call has one, also after a cancel. When the run goes on elsewhere, calls that were cut stay without. A tool that does
 * not listen to its signal is waited for: what it writes must not come after the end of its run. Whoever cannot wait
 * takes the lease away.
 */
export async function runCalls(host: CallHost): Promise<void> {
  const { pending, signal } = host;
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const step = new Step(host, stop);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < pending.length) await step.one(pending[next++]!);
  };
  try {
    const workers = await Promise.allSettled(
      Array.from({ length: Math.min(PARALLEL_CALLS, pending.length) }, () =>
        worker().catch((error: unknown) => step.fail(error)),
      ),
    );
    const failed = workers.find((w) => w.status === "rejected");
    if (failed !== undefined) throw failed.reason as Error;
    await step.handoffs();
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

class Step {
  readonly #host: CallHost;
  readonly #stop: AbortController;
  readonly #handoffs = new Map<
    string,
    { readonly call: ToolCall; readonly outcome: ToolOutcome; readonly durationMs: number }
  >();
  #failed = false;

  constructor(host: CallHost, stop: AbortController) {
    this.#host = host;
    this.#stop = stop;
  }

  /** One call that cannot be recorded stops the others: nothing may happen after it. */
  fail(error: unknown): never {
    this.#failed = true;
    this.#stop.abort(error);
    throw error;
  }

  async one({ call, started }: PendingCall): Promise<void> {
    const { clock, signal } = this.#host;
    if (this.#failed) return;
    if (signal.aborted) return this.#cut(call, started, 0);
    if (started && !this.#host.isIdempotent(call)) return this.#finish(call, interrupted(call), 0);
    if (!started) await this.#host.emit({ type: "tool-started", step: this.#host.step, call });
    const begin = clock.monotonic();
    let outcome: ToolOutcome;
    try {
      outcome = await this.#host.run(call, this.#stop.signal);
    } catch (error) {
      if (this.#failed) return;
      if (signal.aborted) return this.#cut(call, true, clock.monotonic() - begin);
      if (isAppError(error) && RESUMABLE_ABORTS.has(error.code)) throw error;
      outcome = crashed(call, error);
    }
    const durationMs = clock.monotonic() - begin;
    if (outcome.handoff === undefined) return this.#finish(call, outcome, durationMs);
    this.#handoffs.set(call.id, { call, outcome, durationMs });
  }

  async handoffs(): Promise<void> {
    for (const { call } of this.#host.pending) {
      const held = this.#handoffs.get(call.id);
      if (held === undefined) continue;
      if (this.#host.signal.aborted) await this.#cut(call, true, held.durationMs);
      else await this.#finish(call, this.#host.judgeHandoff(call, held.outcome), held.durationMs);
    }
  }

  /** A cancelled run keeps a valid history; one that goes on elsewhere runs the call again, or learns that it cannot. */
  async #cut(call: ToolCall, began: boolean, durationMs: number): Promise<void> {
    const { reason } = this.#host.signal as { reason: unknown };
    if (isAppError(reason) && RESUMABLE_ABORTS.has(reason.code)) return;
    await this.#finish(call, cancelled(began), durationMs);
  }

  #finish(call: ToolCall, outcome: ToolOutcome, durationMs: number): Promise<void> {
    return this.#host.emit({ type: "tool-finished", step: this.#host.step, call, outcome, durationMs });
  }
}

/** Ids that no call of the session had: a result, a question and a revision are found by the id of their call. */
export function withFreshIds(
  calls: readonly ToolCall[],
  taken: ReadonlySet<string>,
  step: number,
): readonly ToolCall[] {
  const ids = new Set(taken);
  return calls.map((call, i) => {
    let id = call.id;
    if (!/^[\w.:-]{1,64}$/.test(id) || ids.has(id)) {
      id = `call_${step}_${i}`;
      for (let n = 2; ids.has(id); n++) id = `call_${step}_${i}_${n}`;
    }
    ids.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

function interrupted(call: ToolCall): ToolOutcome {
  const message = `${call.name} had started when the daemon ended; whether it took effect is unknown. Look before you call it again.`;
  return problem("interrupted, outcome unknown", { code: "interrupted", class: "interrupted", message });
}

function cancelled(began: boolean): ToolOutcome {
  const message = began
    ? "The run was cancelled while this call ran; whether it took effect is unknown."
    : "The run was cancelled before this call.";
  return problem(began ? "cancelled" : "not run: cancelled", { code: "cancelled", class: "interrupted", message });
}

function crashed(call: ToolCall, error: unknown): ToolOutcome {
  const message = `${call.name} failed inside Swarm: ${errorMessage(error)}`.slice(0, 500).toWellFormed();
  return problem(message.slice(0, 160).toWellFormed(), {
    code: isAppError(error) ? error.code : "internal",
    class: "internal",
    message,
  });
}

/** Refuses a handoff as delivered where nothing is published. */
export function notPublished(artifact: ArtifactBrief | undefined): ToolOutcome {
  const message =
    artifact === undefined
      ? "nothing is delivered: this session has no artifact"
      : `nothing is delivered: artifact ${artifact.id} is at revision ${artifact.revision} and not published`;
  const repair =
    artifact === undefined
      ? 'manage_artifact with action "create"'
      : `manage_artifact with action "edit" and base ${artifact.revision}`;
  return problem("handoff refused: no published artifact", {
    code: "not_published",
    class: artifact === undefined ? "not_found" : "check_failed",
    message,
    next: `${repair}, then handoff; or handoff with outcome "blocked"`,
  });
}

function problem(summary: string, error: NonNullable<ToolOutcome["error"]>): ToolOutcome {
  const { class: _class, ...shown } = error;
  return {
    ok: false,
    summary,
    output: JSON.stringify({ ok: false, error: shown }),
    error,
    repaired: [],
    truncated: false,
  };
}
