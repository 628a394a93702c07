import type { Budget, RunError, ToolCall, WaitReason } from "@swarm/protocol";
import type { StreamPart, ToolOutcome } from "@swarm/protocol/ports";
import { AppError, errorMessage, isAppError, sleep, unreachable } from "@swarm/std";
import type { AgentInput, Facts } from "./agent-input.ts";
import { notPublished, RESUMABLE_ABORTS, runCalls, withFreshIds } from "./calls.ts";
import { Collector, type Collected, type StreamEnd } from "./collect.ts";
import type { AgentEvent } from "./events.ts";
import { endedHandoff } from "./handoff.ts";
import { nextMove, type Ending } from "./next-move.ts";
import { breakCause, frozenPrefix, type FrozenPrefix } from "./prefix.ts";
import { withAnswer } from "./prose.ts";
import { fold, withPersonMessage, type AgentState } from "./state.ts";

/** A provider may break a stream; the step is asked for again this often before the run fails. */
const STEP_ATTEMPTS = 3;
const STEP_RETRY_MS = 500;

/**
 *   assemble ─▶ request ─▶ stream ─▶ step-finished ─▶ calls ─▶ results ─▶ decide ─┐
 *      ▲                                                                          │
 *      └──────────────────────────────────────────────────────────────────────────┘
 * Ends with exactly one `ended` event, whatever throws, except when the abort says that the run goes on elsewhere.
 * Rejects only when that last event cannot be recorded.
 */
export async function runAgent(input: AgentInput): Promise<void> {
  let ending: Ending;
  try {
    ending = await new Agent(input).loop();
  } catch (error) {
    const { aborted, reason } = input.signal as { aborted: boolean; reason: unknown };
    const code = isAppError(error) ? error.code : "internal";
    if (RESUMABLE_ABORTS.has(code) || (aborted && isAppError(reason) && RESUMABLE_ABORTS.has(reason.code))) return;
    ending = aborted
      ? { state: "cancelled", reason: errorMessage(reason) }
      : {
          state: "failed",
          reason: errorMessage(error),
          error: { code, class: "internal", message: errorMessage(error) },
        };
  }
  const handoff = ending.handoff ?? endedHandoff(ending, factsOf(input));
  await input.sink({
    type: "ended",
    state: ending.state,
    handoff,
    ...(ending.error === undefined ? {} : { error: ending.error }),
  });
}

function factsOf(input: AgentInput): Facts {
  try {
    return input.facts();
  } catch {
    return { title: "" }; // the end of a run is recorded even when its facts cannot be read
  }
}

interface StepTimes {
  readonly step: number;
  readonly ttftMs: number;
  readonly durationMs: number;
}

class Agent {
  readonly #input: AgentInput;
  readonly #prefix: FrozenPrefix;
  readonly #handoffs = new Map<string, ToolOutcome>();
  #state: AgentState;
  #budget: Budget;
  /** The newest event's fold: events are folded in the order in which the sink heard of them. */
  #tail: Promise<void> = Promise.resolve();

  constructor(input: AgentInput) {
    this.#input = input;
    this.#state = input.state;
    this.#budget = { ...input.profile.budget, ...input.budget };
    this.#prefix = frozenPrefix(input.profile.prompt, input.tools.list(input.profile.name));
  }

  async loop(): Promise<Ending> {
    const { signal, profile } = this.#input;
    for (;;) {
      if (this.#state.pending.length === 0) signal.throwIfAborted();
      for (const text of this.#input.inbox()) this.#state = withPersonMessage(this.#state, text);
      const { artifact } = this.#input.facts();
      const move = nextMove(this.#state, {
        wantsArtifact: profile.deliverable === "artifact",
        artifact,
        budget: this.#budget,
        elapsedS: this.#input.elapsedMs() / 1000,
      });
      switch (move.do) {
        case "calls":
          await this.#calls();
          break;
        case "request": {
          const failed = await this.#request();
          if (failed !== undefined) return failed;
          break;
        }
        case "correct-call":
          await this.#emit({ type: "step-failed", step: this.#state.step, error: MALFORMED_CALL });
          await this.#emit({ type: "message", text: move.text });
          break;
        case "say":
          await this.#emit({ type: "message", text: move.text });
          break;
        case "hand-off":
          return this.#handOff(move.call);
        case "ask-budget": {
          const answer = this.#input.interactive ? await this.#input.askBudget(move.detail) : "declined";
          if (answer === "declined")
            return {
              state: "budget_exhausted",
              reason: `The budget is used up: ${move.detail}. What was made is kept.`,
            };
          this.#budget = { ...this.#budget, ...answer };
          break;
        }
        case "end":
          return move.ending;
        default:
          unreachable(move);
      }
    }
  }

  /** Sinks are called in order and may wait for the disk together; each event is folded after the one before it. */
  #emit(event: AgentEvent): Promise<void> {
    const durable = (async () => this.#input.sink(event))();
    const folded = Promise.all([this.#tail, durable]).then(() => {
      this.#state = fold(this.#state, event);
    });
    folded.catch(() => {});
    this.#tail = folded;
    return folded;
  }

  async #request(): Promise<Ending | undefined> {
    const { clock, signal, session, model, profile } = this.#input;
    const step = this.#state.step + 1;
    const { hash, bytes, system, tools } = this.#prefix;
    const cause = breakCause(this.#state, { hash, model: model.id });
    await this.#emit({
      type: "step-started",
      step,
      model: model.id,
      prefixHash: hash,
      prefixBytes: bytes,
      ...(cause === undefined ? {} : { breakCause: cause }),
    });
    const collector = new Collector((stream, offset, text) => this.#input.live(step, stream, offset, text));
    const started = clock.monotonic();
    let waits = false;
    const request = {
      system,
      tools,
      messages: this.#state.messages,
      cacheKey: profile.name,
      session,
      ...this.#outputLimit(),
    };
    for await (const batch of model.stream(request, signal)) {
      const wait = collector.take(batch, clock.monotonic());
      if (wait !== undefined)
        await this.#emit({ type: "waiting", on: WAITS[wait.reason], detail: wait.detail, untilMs: wait.untilMs });
      else if (waits) await this.#emit({ type: "resumed" });
      waits = wait !== undefined;
    }
    signal.throwIfAborted();
    const now = clock.monotonic();
    return this.#stepEnded(collector.end ?? NO_END, {
      step,
      ttftMs: (collector.firstAt ?? now) - started,
      durationMs: now - started,
    });
  }

  async #stepEnded(end: StreamEnd, times: StepTimes): Promise<Ending | undefined> {
    if (end.ok) {
      await this.#emit(this.#finished(end.collected, times));
      return undefined;
    }
    const error: RunError = { code: end.error.code, class: "provider", message: end.error.message };
    await this.#emit({ type: "step-failed", step: times.step, error });
    if (end.error.code !== "provider_unavailable" || this.#state.attempts >= STEP_ATTEMPTS)
      return { state: "failed", reason: error.message, error };
    await sleep(STEP_RETRY_MS * this.#state.attempts, this.#input.signal);
    return undefined;
  }

  #finished(collected: Collected, times: StepTimes): AgentEvent {
    const { text, reasoning, calls, finish, usage, cost, model, signature } = collected;
    const taken = new Set(
      this.#state.messages.flatMap((m) => (m.role === "assistant" ? m.calls.map((c) => c.id) : [])),
    );
    return {
      type: "step-finished",
      ...times,
      text,
      ...(reasoning === "" ? {} : { reasoning }),
      calls: withFreshIds(calls, taken, times.step),
      finish,
      usage,
      cost,
      model,
      ...(signature === undefined ? {} : { signature }),
    };
  }

  /** An output budget is never crossed: the provider is told what is left of it. */
  #outputLimit(): { readonly maxOutputTokens?: number } {
    const { outputTokens } = this.#budget;
    return outputTokens === undefined
      ? {}
      : { maxOutputTokens: Math.max(1, outputTokens - this.#state.spent.outputTokens) };
  }

  async #calls(): Promise<void> {
    const { clock, signal, tools, profile } = this.#input;
    const { pending, step } = this.#state;
    const idempotent = new Set(tools.list(profile.name).flatMap((t) => (t.idempotent ? [t.name.toLowerCase()] : [])));
    await runCalls({
      pending,
      step,
      clock,
      signal,
      isIdempotent: (call) => idempotent.has(call.name.toLowerCase()),
      run: (call, stop) => this.#run(call, stop),
      judgeHandoff: (call, outcome) => this.#judgeHandoff(call, outcome),
      emit: (event) => this.#emit(event),
    });
    signal.throwIfAborted();
  }

  async #run(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    const { tools, session, run, epoch, model } = this.#input;
    const { args } = withAnswer(call, this.#state.messages);
    return tools.run(call.name, args, {
      session,
      run,
      step: this.#state.step,
      epoch,
      callId: call.id,
      model: model.id,
      signal,
    });
  }

  /** A delivery without what was to be delivered is refused: the model hears what is missing. */
  #judgeHandoff(call: ToolCall, outcome: ToolOutcome): ToolOutcome {
    const { artifact } = this.#input.facts();
    const missing =
      this.#input.profile.deliverable === "artifact" &&
      outcome.handoff?.state === "delivered" &&
      artifact?.state !== "published";
    if (missing) return notPublished(artifact);
    this.#handoffs.set(call.id, outcome);
    return outcome;
  }

  /** After a crash between the handoff and the end the report is made again from the same arguments. */
  async #handOff(call: ToolCall): Promise<Ending> {
    const { handoff } = this.#handoffs.get(call.id) ?? (await this.#run(call, this.#input.signal));
    return handoff === undefined ? { state: "delivered" } : { state: handoff.state, handoff };
  }
}

/** What a wait of the stream is a wait for. */
const WAITS: Readonly<Record<Extract<StreamPart, { type: "waiting" }>["reason"], WaitReason>> = {
  rate_limit: "rate_limit",
  overloaded: "model",
  network: "model",
  concurrency: "capacity",
};

const NO_END: StreamEnd = {
  ok: false,
  error: { type: "error", code: "provider_unavailable", message: "the stream ended without a terminal part" },
};
const MALFORMED_CALL: RunError = {
  code: "malformed_call",
  class: "schema",
  message: "the model's call had arguments that could not be read",
};

export function abortReason(code: "cancelled" | "drained" | "lease_lost", message: string): AppError {
  return new AppError(code, message);
}
