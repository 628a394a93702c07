import type { ArtifactBrief, Budget, RunError, TerminalState, ToolCall } from "@swarm/protocol";
import type { LanguageModel, ToolOutcome, ToolRunner } from "@swarm/protocol/ports";
import { AppError, errorMessage, isAppError, sleep, type Clock } from "@swarm/std";
import { judgeBudget } from "./budget.ts";
import { Collector, type StreamEnd } from "./collect.ts";
import type { AgentEvent } from "./events.ts";
import { formatHandoff } from "./handoff.ts";
import { frozenPrefix, type FrozenPrefix } from "./prefix.ts";
import type { AgentProfile } from "./profiles.ts";
import { BUDGET_NOTE, CORRECTION, fold, withPersonMessage, type AgentState, type PendingCall } from "./state.ts";

export interface AgentInput {
  readonly profile: AgentProfile;
  readonly model: LanguageModel;
  readonly tools: ToolRunner;
  readonly session: string;
  readonly run: string;
  readonly epoch: number;
  readonly state: AgentState;
  readonly budget: Budget;
  /** Wall ms since the run's first lease, for the budget of time. */
  readonly elapsedMs: () => number;
  readonly interactive: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Durable when it resolves: the loop does not go on before. */
  sink(event: AgentEvent): Promise<void>;
  /** Streamed text, synchronous. `offset` in UTF-16 units of that stream. */
  live(step: number, stream: string, offset: number, text: string): void;
  /** A person's words since the last call, already journaled by the caller. */
  inbox(): readonly string[];
  facts(): { readonly title: string; readonly artifact?: ArtifactBrief };
  /** Asks for a higher budget; only called when `interactive`. */
  askBudget(detail: string): Promise<Budget | "declined">;
}

/** Aborts with these codes leave the run unfinished: it is taken up again later. */
export const RESUMABLE_ABORTS = new Set(["drained", "lease_lost", "fenced"]);

/** A provider may break a stream; the step is asked for again this often before the run fails. */
const STEP_ATTEMPTS = 3;
const STEP_RETRY_MS = 500;
const PARALLEL_CALLS = 8;
/** Corrections in a row before a run that does not act is called blocked. */
const CORRECTIONS_MAX = 1;

type Ending = { readonly state: TerminalState; readonly reason?: string; readonly text?: string; readonly error?: RunError; readonly handoff?: ToolOutcome["handoff"] };

/**
 *   assemble ─▶ request ─▶ stream ─▶ step-finished ─▶ calls ─▶ results ─▶ decide ─┐
 *      ▲                                                                          │
 *      └──────────────────────────────────────────────────────────────────────────┘
 * Ends with exactly one `ended` event, whatever throws, except when the abort says that the run goes on elsewhere.
 */
export async function runAgent(input: AgentInput): Promise<void> {
  const agent = new Agent(input);
  let ending: Ending;
  try {
    ending = await agent.loop();
  } catch (error) {
    const code = isAppError(error) ? error.code : "";
    const abort = isAppError(input.signal.reason) ? input.signal.reason.code : "";
    if (RESUMABLE_ABORTS.has(code) || (input.signal.aborted && RESUMABLE_ABORTS.has(abort))) return;
    if (input.signal.aborted) ending = { state: "cancelled", reason: errorMessage(input.signal.reason) };
    else ending = { state: "failed", reason: errorMessage(error), error: { code: code || "internal", class: "internal", message: errorMessage(error) } };
  }
  await agent.end(ending);
}

class Agent {
  readonly #input: AgentInput;
  readonly #prefix: FrozenPrefix;
  #state: AgentState;
  #budget: Budget;

  constructor(input: AgentInput) {
    this.#input = input;
    this.#state = input.state;
    this.#budget = { ...input.profile.budget, ...input.budget };
    this.#prefix = frozenPrefix(input.profile.prompt, input.tools.list(input.profile.name));
  }

  async loop(): Promise<Ending> {
    for (;;) {
      const after = await this.#runPending();
      if (after !== undefined) return after;
      for (const text of this.#input.inbox()) this.#state = withPersonMessage(this.#state, text);
      const exhausted = await this.#checkBudget();
      if (exhausted !== undefined) return exhausted;
      const step = await this.#request();
      if (!step.ok) {
        const failed = await this.#stepFailed(step.error);
        if (failed !== undefined) return failed;
        continue;
      }
      const decided = await this.#decide(step);
      if (decided !== undefined) return decided;
    }
  }

  async end(ending: Ending): Promise<void> {
    const { artifact, title } = this.#input.facts();
    const shown = artifact === undefined ? {} : { artifact: { id: artifact.id, title: artifact.title, revision: artifact.revision, evidence: evidenceOf(artifact) } };
    const handoff = ending.handoff ?? formatHandoff({ state: ending.state, title, text: ending.text ?? "", ...(ending.reason === undefined ? {} : { reason: ending.reason }), ...shown });
    await this.#input.sink({ type: "ended", state: ending.state, handoff, ...(ending.error === undefined ? {} : { error: ending.error }) });
  }

  async #emit(event: AgentEvent): Promise<void> {
    await this.#input.sink(event);
    this.#state = fold(this.#state, event);
  }

  async #request(): Promise<StreamEnd & { at: { ttftMs: number; durationMs: number; step: number } }> {
    const { clock, signal, session, model } = this.#input;
    const step = this.#state.step + 1;
    const { hash, bytes, system, tools } = this.#prefix;
    const broken = this.#state.prefixHash !== undefined && this.#state.prefixHash !== hash;
    await this.#emit({ type: "step-started", step, model: model.id, prefixHash: hash, prefixBytes: bytes, ...(broken ? { breakCause: "the instructions or the tool list changed with the version" } : {}) });
    const collector = new Collector((stream, offset, text) => this.#input.live(step, stream, offset, text));
    const started = clock.monotonic();
    let waits = false;
    for await (const batch of model.stream({ system, tools, messages: this.#state.messages, cacheKey: this.#input.profile.name, session }, signal)) {
      const wait = collector.take(batch, clock.monotonic());
      if (wait !== undefined) {
        await this.#emit({ type: "waiting", on: "rate_limit", detail: wait.detail, untilMs: wait.untilMs });
        waits = true;
      } else if (waits) {
        await this.#emit({ type: "resumed" });
        waits = false;
      }
    }
    signal.throwIfAborted();
    const end: StreamEnd = collector.end ?? { ok: false, error: { type: "error", code: "provider_unavailable", message: "the stream ended without a terminal part" } };
    const now = clock.monotonic();
    return { ...end, at: { step, ttftMs: (collector.firstAt ?? now) - started, durationMs: now - started } };
  }

  async #stepFailed(error: { code: string; message: string }): Promise<Ending | undefined> {
    const runError: RunError = { code: error.code, class: "provider", message: error.message };
    await this.#emit({ type: "step-failed", step: this.#state.step + 1, error: runError });
    if (error.code === "provider_unavailable" && this.#state.attempts < STEP_ATTEMPTS) {
      await sleep(STEP_RETRY_MS * this.#state.attempts, this.#input.signal);
      return undefined;
    }
    return { state: "failed", reason: error.message, error: runError };
  }

  async #decide(step: Extract<StreamEnd, { ok: true }> & { at: { ttftMs: number; durationMs: number; step: number } }): Promise<Ending | undefined> {
    const { text, reasoning, calls, finish, usage, cost, model, signature } = step.collected;
    await this.#emit({
      type: "step-finished",
      ...step.at,
      text,
      calls: uniqueIds(calls),
      finish,
      usage,
      cost,
      model,
      ...(reasoning === "" ? {} : { reasoning }),
      ...(signature === undefined ? {} : { signature }),
    });
    if (calls.length > 0) return undefined;
    if (finish === "content_filter") return { state: "blocked", reason: "The provider's content filter stopped the answer." };
    return this.#textOnly(text, finish);
  }

  /** An answer without a call: delivered, or one correction that names the tool, or blocked. */
  async #textOnly(text: string, finish: string): Promise<Ending | undefined> {
    const { artifact } = this.#input.facts();
    const wantsArtifact = this.#input.profile.deliverable === "artifact";
    if (artifact?.state === "published" || (!wantsArtifact && text.trim() !== "" && finish !== "length")) return { state: "delivered", text };
    if (text === "" && finish === "other") {
      // a wire that parses calls itself reports one it could not read without showing it: an error of the model's
      await this.#emit({ type: "step-failed", step: this.#state.step, error: { code: "malformed_call", class: "schema", message: "the model's call had arguments that could not be read" } });
    }
    if (this.#state.corrections >= CORRECTIONS_MAX + (finish === "other" ? 2 : 0)) return { state: "blocked", reason: wantsArtifact ? "The agent answered in text twice and published no artifact." : "The agent gave no usable answer twice." };
    await this.#emit({ type: "message", text: CORRECTION + correction(text, finish, wantsArtifact, artifact) });
    return undefined;
  }

  async #checkBudget(): Promise<Ending | undefined> {
    for (;;) {
      const verdict = judgeBudget(this.#budget, this.#state.spent, this.#input.elapsedMs() / 1000, this.#state.warned);
      if (verdict.kind === "fine") return undefined;
      if (verdict.kind === "warn") {
        await this.#emit({ type: "message", text: `${BUDGET_NOTE}${verdict.limit} ${verdict.detail}. Finish what matters and hand off.` });
        continue;
      }
      const answer = this.#input.interactive ? await this.#input.askBudget(verdict.detail) : "declined";
      if (answer === "declined") return { state: "budget_exhausted", reason: `The budget is used up: ${verdict.detail}. What was made is kept.` };
      this.#budget = { ...this.#budget, ...answer };
    }
  }

  /** Runs the calls of the last step that have no result, in parallel, results in call order. */
  async #runPending(): Promise<Ending | undefined> {
    const pending = this.#state.pending;
    if (pending.length === 0) return undefined;
    const results: { call: ToolCall; outcome: ToolOutcome; durationMs: number }[] = [];
    for (let from = 0; from < pending.length; from += PARALLEL_CALLS) {
      const slice = pending.slice(from, from + PARALLEL_CALLS);
      results.push(...(await Promise.all(slice.map((p) => this.#runCall(p)))));
    }
    let ending: Ending | undefined;
    for (const { call, outcome, durationMs } of results) {
      await this.#emit({ type: "tool-finished", step: this.#state.step, call, outcome, durationMs });
      if (outcome.handoff !== undefined) ending = { state: outcome.handoff.state, handoff: outcome.handoff };
    }
    this.#input.signal.throwIfAborted();
    if (ending?.state === "delivered" && this.#input.profile.deliverable === "artifact" && this.#input.facts().artifact?.state !== "published") {
      if (this.#state.corrections > CORRECTIONS_MAX) return { state: "blocked", reason: "The agent handed off without a published artifact." };
      await this.#emit({ type: "message", text: `${CORRECTION}the handoff was not taken: no artifact of this session is published. Publish it with manage_artifact first, or hand off with outcome "blocked".` });
      return undefined;
    }
    if (ending !== undefined) return ending;
    const { verdict } = this.#state;
    if (verdict.kind === "stop") return { state: "blocked", reason: verdict.reason, error: { code: "loop", class: "limit", message: verdict.reason } };
    if (verdict.kind === "nudge") await this.#emit({ type: "message", text: verdict.reason });
    return undefined;
  }

  async #runCall({ call, started }: PendingCall): Promise<{ call: ToolCall; outcome: ToolOutcome; durationMs: number }> {
    const { tools, session, run, epoch, model, signal, clock, profile } = this.#input;
    const begin = clock.monotonic();
    const step = this.#state.step;
    if (started && tools.list(profile.name).find((t) => t.name === call.name)?.idempotent !== true) {
      return { call, outcome: interrupted(call), durationMs: 0 };
    }
    if (signal.aborted) return { call, outcome: stopped(), durationMs: 0 };
    if (!started) await this.#emit({ type: "tool-started", step, call });
    const outcome = await tools.run(call.name, call.args, { session, run, step, epoch, callId: call.id, model: model.id, signal }).catch((error: unknown) => {
      if (signal.aborted || (isAppError(error) && RESUMABLE_ABORTS.has(error.code))) throw error;
      return crashed(error);
    });
    return { call, outcome, durationMs: clock.monotonic() - begin };
  }
}

function correction(text: string, finish: string, wantsArtifact: boolean, artifact: ArtifactBrief | undefined): string {
  if (text === "" && finish === "other") return "your last call could not be read: its arguments were not valid JSON. Make the same call again with valid arguments.";
  if (finish === "length") return "your answer was cut at the output limit. Make it shorter and go on.";
  if (!wantsArtifact) return "your answer was empty. Answer the task, or call handoff.";
  if (artifact !== undefined) return `text is not a delivery. Artifact ${artifact.id} is at revision ${artifact.revision} and not published: repair it with manage_artifact, action "edit", base ${artifact.revision}, or hand off with outcome "blocked".`;
  if (/```|<!doctype html/i.test(text)) return 'text is not a delivery: the document in your last answer was not taken. Call manage_artifact with action "create" and put that document, as it stands, into "content".';
  return 'text is not a delivery. Call manage_artifact with action "create" and the whole HTML document in "content".';
}

function evidenceOf(artifact: ArtifactBrief): string {
  if (artifact.verdict === undefined) return "The gate has not run.";
  return `${artifact.verdict === "verified" ? "Verified in a browser" : artifact.verdict === "static_only" ? "Static gate only" : "Rejected"}: ${artifact.passed ?? 0} of ${artifact.checks ?? 0} checks passed.`;
}

/** Two calls of one step must not share an id: results could not be told apart. */
function uniqueIds(calls: readonly ToolCall[]): readonly ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, i) => {
    const id = call.id === "" || seen.has(call.id) ? `${call.id || "call"}_${i}` : call.id;
    seen.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

function interrupted(call: ToolCall): ToolOutcome {
  const message = `${call.name} had started when the daemon ended; whether it took effect is unknown. Look before you call it again.`;
  return { ok: false, summary: "interrupted, outcome unknown", output: JSON.stringify({ ok: false, error: { code: "interrupted", message } }), error: { code: "interrupted", class: "interrupted", message }, repaired: [], truncated: false };
}

function stopped(): ToolOutcome {
  return { ok: false, summary: "not run: the run was stopped", output: JSON.stringify({ ok: false, error: { code: "cancelled", message: "The run was stopped before this call." } }), repaired: [], truncated: false };
}

function crashed(error: unknown): ToolOutcome {
  const message = `The tool failed inside Swarm: ${errorMessage(error)}`;
  return { ok: false, summary: message, output: JSON.stringify({ ok: false, error: { code: "internal", message } }), error: { code: isAppError(error) ? error.code : "internal", class: "internal", message }, repaired: [], truncated: false };
}

export function abortReason(code: "cancelled" | "drained" | "lease_lost", message: string): AppError {
  return new AppError(code, message);
}
