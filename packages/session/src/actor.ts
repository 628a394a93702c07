import { createHash } from "node:crypto";
import {
  abortReason,
  profileOf,
  RESUMABLE_ABORTS,
  runAgent,
  stateFromRecords,
  type AgentEvent,
  type AgentState,
} from "@swarm/agent";
import type { Journal } from "@swarm/journal";
import type { AnyRecord, RunError, SessionSummary, TerminalState } from "@swarm/protocol";
import type { AnyMutation, LanguageModel, ModelResolver, ToolContext, ToolRunner } from "@swarm/protocol/ports";
import { AppError, errorMessage, isAppError, type Clock, type Logger, type RunId } from "@swarm/std";
import type { Board } from "./board.ts";
import { endedByDaemon } from "./ended.ts";
import { followUpRun } from "./ids.ts";
import { streamName, type LiveTexts, type SessionTexts } from "./live-texts.ts";
import type { Mailboxes } from "./mailboxes.ts";
import { patiently } from "./patient.ts";
import type { SessionState } from "./projections.ts";
import type { Questions } from "./questions.ts";
import { AGENT_ACTOR, mutationOf, type MutationContext } from "./record-of.ts";
import type { RunState } from "./run-state.ts";
import type { Ticket } from "./scheduler.ts";

export const DAEMON_ACTOR = "daemon";
const PAGE = 500;
/** Streams of one step that a crash may have left: text, reasoning and the arguments of so many calls. */
const CALLS_OF_A_STEP = 16;
/** Text, reasoning and the first call: without any of them no other was begun. */
const STREAMS_OF_EVERY_STEP = 3;
const STREAMS = ["text", "reasoning", ...Array.from({ length: CALLS_OF_A_STEP }, (_, i) => `args:${i}`)];
/** Of a cut answer its record shows this much; offset and hash say how much there was. */
const CUT_SHOWN = 1_000;

/** What an actor needs of its host. */
export interface ActorWorld {
  readonly journal: Journal;
  readonly models: ModelResolver;
  readonly tools: () => ToolRunner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly board: Board;
  readonly questions: Questions;
  readonly live: LiveTexts;
  readonly mailboxes: Mailboxes;
}

/**
 *   begin ─▶ lease ─▶ restore ─▶ runAgent ─▶ finish
 *
 * One run of one session, from its lease to its end: the only writer of the run under its epoch. Nothing of it stays
 * when it is over.
 */
export class Actor {
  readonly ticket: Ticket;
  /** Resolves when nothing of this actor runs any more. */
  readonly done: Promise<void>;
  /** A run that must follow: a person's words came too late for this one. */
  next: Ticket | undefined;
  readonly #world: ActorWorld;
  readonly #texts: SessionTexts;
  /** What the agent and its tools hear. */
  readonly #abort = new AbortController();
  /** The run goes on elsewhere: nothing more is written. */
  readonly #gone = new AbortController();
  readonly #finished = Promise.withResolvers<void>();
  #inbox: { readonly rev: number; readonly text: string }[] = [];
  /** Records up to here are in the agent's state. */
  #readTo = 0;
  #epoch: number | undefined;
  #sequence = 0;
  #draining = false;
  #finishing = false;

  constructor(ticket: Ticket, world: ActorWorld) {
    this.ticket = ticket;
    this.#world = world;
    this.#texts = world.live.open(ticket.session, ticket.run);
    this.done = this.#finished.promise;
  }

  /** Undefined before the lease. */
  get epoch(): number | undefined {
    return this.#epoch;
  }
  /** The end is being written: it will come, if the store takes writes. */
  get finishing(): boolean {
    return this.#finishing;
  }

  /** A person wants it to end. */
  cancel(reason: string): void {
    this.#abort.abort(abortReason("cancelled", reason));
  }

  /** It stops here and is taken up again elsewhere, or later. */
  stop(code: "drained" | "lease_lost", reason: string): void {
    this.#gone.abort(abortReason(code, reason));
    this.#abort.abort(this.#gone.signal.reason);
  }

  /** It stops at its next durable point. */
  drain(): void {
    this.#draining = true;
  }

  /** A person's words, durable at `rev`: they join at the next step. */
  deliver(rev: number, text: string): void {
    this.#inbox.push({ rev, text });
  }

  /** Rejects with what stopped it, if that was not the run's own end. */
  async work(): Promise<void> {
    try {
      const state = await this.#world.journal.project<SessionState>("session", this.ticket.session);
      const run = state?.run ?? { phase: "none" };
      if (run.phase === "none" || run.phase === "ended" || run.run !== this.ticket.run) return; // ended in line
      await this.#live(run);
    } finally {
      this.#world.live.close(this.#texts);
    }
  }

  /** Called once by the host, when it has let go of this actor. */
  settle(): void {
    this.#finished.resolve();
  }

  /** Ends the run in the daemon's words. */
  async end(state: TerminalState, reason: string, error?: RunError): Promise<void> {
    const handoff = endedByDaemon(state, this.#summary(), reason);
    await this.#finish({ type: "ended", state, handoff, ...(error === undefined ? {} : { error }) });
  }

  async #live(run: Exclude<RunState, { phase: "none" }>): Promise<void> {
    const { session } = this.ticket;
    const { models, tools, clock, questions } = this.#world;
    const resumed = run.phase !== "queued";
    const epoch = await this.#lease(resumed);
    const model = await this.#resolveModel(models);
    if (model === undefined) return;
    const state = await this.#restore(resumed);
    const { signal } = this.#abort;
    if (signal.aborted && !this.#gone.signal.aborted) return await this.end("cancelled", errorMessage(signal.reason));
    const context: ToolContext = { session, run: run.run, step: 0, epoch, callId: "", model: model.id, signal };
    const startedAt = this.#summary().startedAt ?? clock.now();
    await runAgent({
      profile: profileOf(this.#summary().profile),
      model,
      tools: tools(),
      session,
      run: run.run,
      epoch,
      state,
      budget: run.budget,
      elapsedMs: () => Math.max(0, clock.now() - startedAt),
      interactive: run.interactive || this.ticket.interactive,
      clock,
      signal,
      sink: (event) => this.#record(event),
      live: (step, stream, offset, text) => this.#texts.add(step, stream, offset, text),
      inbox: () => this.#takeInbox(),
      facts: () => {
        const { title, artifact } = this.#summary();
        return artifact === undefined ? { title } : { title, artifact };
      },
      askBudget: (detail) => questions.askBudget(context, detail),
    });
  }

  async #lease(resumed: boolean): Promise<number> {
    const { session, run } = this.ticket;
    const head = await this.#world.journal.head(session);
    const epoch = (head?.epoch ?? 0) + 1;
    await this.#apply({
      session,
      actor: DAEMON_ACTOR,
      key: `${run}/lease/${epoch}`,
      kind: "run.leased",
      payload: { run, epoch, resumed },
    });
    this.#epoch = epoch;
    return epoch;
  }

  async #resolveModel(models: ModelResolver): Promise<LanguageModel | undefined> {
    try {
      return models.resolve(this.#summary().model);
    } catch (error) {
      if (!isAppError(error)) throw error;
      await this.end("failed", error.message, { code: error.code, class: "provider", message: error.message });
      return undefined;
    }
  }

  /** Rebuilds where the run stood; pins what there is of an answer that was cut, so that nobody counts on more. */
  async #restore(resumed: boolean): Promise<AgentState> {
    const { journal } = this.#world;
    const { session, run } = this.ticket;
    const records = await readAll(journal, session);
    this.#readTo = records.at(-1)?.rev ?? 0;
    const cut = resumed ? cutStep(records, run) : undefined;
    if (cut !== undefined) await this.#pin(cut);
    return await stateFromRecords(records, (text) => journal.readText(text));
  }

  async #pin(step: number): Promise<void> {
    const { journal } = this.#world;
    const names = STREAMS.map((stream) => streamName(this.ticket.run, step, stream));
    const found = await Promise.all(names.slice(0, STREAMS_OF_EVERY_STEP).map((name) => journal.readStream(name)));
    if (found.every((text) => text === "")) return;
    await this.#apply({ ...this.#interrupted(step, found[0]!), dropStreams: names });
  }

  async #record(event: AgentEvent): Promise<void> {
    if (event.type === "ended") return await this.#finish(event);
    if (event.type === "step-started") {
      this.#gone.signal.throwIfAborted();
      if (this.#draining) throw drained();
    }
    const endsStep = event.type === "step-finished" || event.type === "step-failed";
    await this.#apply(mutationOf(event, this.#context(endsStep ? this.#texts.names() : [])));
    if (endsStep) this.#texts.clear();
    if (this.#draining && event.type === "step-finished") throw drained();
  }

  /** The end of the run and, when a person's words came too late for it, the run that answers them: one batch. */
  async #finish(event: Extract<AgentEvent, { type: "ended" }>): Promise<void> {
    const { session, group } = this.ticket;
    this.#finishing = true;
    const cut = this.#texts.cut();
    const mutations: AnyMutation[] = cut === undefined ? [] : [this.#interrupted(cut.step, cut.text)];
    mutations.push(mutationOf(event, this.#context(this.#texts.names())));
    await this.#world.mailboxes.post(session, async () => {
      const late = event.state !== "cancelled" && this.#takeInbox().length > 0;
      const next = followUpRun(this.ticket.run);
      if (late) {
        const { budget } = profileOf(this.#summary().profile);
        mutations.push({
          session,
          actor: DAEMON_ACTOR,
          key: `${next}/queued`,
          kind: "run.queued",
          payload: { run: next, budget, interactive: true },
        });
      }
      await this.#apply(mutations);
      if (late) this.next = { session, group, run: next, interactive: true };
    });
    this.#texts.clear();
  }

  #takeInbox(): string[] {
    const news = this.#inbox.filter(({ rev }) => rev > this.#readTo);
    this.#inbox = [];
    return news.map(({ text }) => text);
  }

  #interrupted(step: number, text: string): AnyMutation {
    const { session, run } = this.ticket;
    const sha256 = createHash("sha256").update(text).digest("hex");
    const payload = { run, step, text: text.slice(0, CUT_SHOWN).toWellFormed(), offset: text.length, sha256 };
    return {
      session,
      actor: AGENT_ACTOR,
      ...this.#fence(),
      key: `${run}/${this.#epoch}/cut/${step}/${this.#sequence++}`,
      kind: "turn.interrupted",
      payload,
    };
  }

  #context(dropStreams: readonly string[]): MutationContext {
    const { session, run } = this.ticket;
    const { journal } = this.#world;
    const sequence = this.#sequence++;
    return { session, run, epoch: this.#epoch, sequence, dropStreams, blob: (bytes) => journal.blob(bytes) };
  }

  #fence(): { readonly epoch?: number } {
    return this.#epoch === undefined ? {} : { epoch: this.#epoch };
  }

  #summary(): SessionSummary {
    const summary = this.#world.board.known(this.ticket.session);
    if (summary === undefined)
      throw new AppError("internal", `session ${this.ticket.session} is unfinished and unknown`);
    return summary;
  }

  async #apply(mutations: AnyMutation | readonly AnyMutation[]): Promise<void> {
    const { journal, logger } = this.#world;
    try {
      await patiently(() => journal.apply(mutations), `session ${this.ticket.session}`, logger, this.#gone.signal);
    } catch (error) {
      if (isAppError(error) && error.code === "fenced") this.stop("lease_lost", "another owner holds the lease");
      throw error;
    }
  }
}

/** The step whose answer was cut, if that is what the run did last. */
function cutStep(records: readonly AnyRecord[], run: RunId): number | undefined {
  const last = records.findLast(
    ({ kind }) => kind === "step.started" || kind === "step.finished" || kind === "step.failed",
  );
  return last?.kind === "step.started" && last.payload.run === run ? last.payload.step : undefined;
}

function drained(): AppError {
  return abortReason("drained", "the daemon is stopping");
}

/** An error that only says that the run goes on elsewhere. */
export function isHandedOver(error: unknown): boolean {
  return isAppError(error) && RESUMABLE_ABORTS.has(error.code);
}

export async function readAll(journal: Journal, session: string): Promise<AnyRecord[]> {
  const all: AnyRecord[] = [];
  for (;;) {
    const page = await journal.records(session, { after: all.at(-1)?.rev ?? 0, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
