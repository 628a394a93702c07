import { createHash } from "node:crypto";
import { profileOf, runAgent, stateFromRecords, type AgentEvent, type AgentState } from "@swarm/agent";
import type { Journal } from "@swarm/journal";
import type { AnyRecord, Budget, LiveText, SessionSummary } from "@swarm/protocol";
import type { LanguageModel, ToolRunner } from "@swarm/protocol/ports";
import { AppError, isAppError, sleep, type Clock, type Logger, type RunId } from "@swarm/std";
import { LiveStreams } from "./live-stream.ts";
import { mutationOf, streamName, type MutationContext } from "./record-of.ts";

export const AGENT_ACTOR = "agent";
const PAGE = 500;
/** While the store cannot write, a step waits and tries again: trouble with the disk delays a run, never ends it. */
const STORE_RETRY_MS = 1_000;
const STORE_CODES = new Set(["disk_full", "storage_unavailable"]);

export interface ActorInput {
  readonly session: string;
  readonly run: RunId;
  readonly epoch: number;
  readonly budget: Budget;
  readonly interactive: boolean;
  readonly resumed: boolean;
  readonly journal: Journal;
  readonly model: LanguageModel;
  readonly tools: ToolRunner;
  readonly clock: Clock;
  readonly logger: Logger;
  summary(): SessionSummary;
  live(live: LiveText): void;
  askBudget(detail: string, signal: AbortSignal): Promise<Budget | "declined">;
}

/** One run of one session: the only writer under its epoch. Lives from lease to the end of the run. */
export class Actor {
  readonly #input: ActorInput;
  readonly #abort = new AbortController();
  readonly #streams: LiveStreams;
  readonly #inbox: string[] = [];
  #sequence = 0;

  constructor(input: ActorInput) {
    this.#input = input;
    this.#streams = new LiveStreams((stream, offset, text) => input.journal.chunk(stream, offset, text));
  }

  get epoch(): number {
    return this.#input.epoch;
  }
  get run(): RunId {
    return this.#input.run;
  }
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(reason: AppError): void {
    this.#abort.abort(reason);
  }

  /** A person's words, already durable: they join at the next step. */
  deliver(text: string): void {
    this.#inbox.push(text);
  }

  flush(): void {
    this.#streams.flush();
  }

  liveTexts(): readonly LiveText[] {
    return this.#streams.snapshot();
  }

  async work(): Promise<void> {
    const { session, run, epoch, journal, clock } = this.#input;
    const records = await readAll(journal, session);
    const state = await this.#restore(records);
    const started = records.find((r) => r.kind === "run.leased" && r.payload.run === run)?.at ?? clock.now();
    await runAgent({
      profile: profileOf(this.#input.summary().profile),
      model: this.#input.model,
      tools: this.#input.tools,
      session,
      run,
      epoch,
      state,
      budget: this.#input.budget,
      elapsedMs: () => Math.max(0, clock.now() - started),
      interactive: this.#input.interactive,
      clock,
      signal: this.#abort.signal,
      sink: (event) => this.#record(event),
      live: (step, stream, offset, text) => this.#live(step, stream, offset, text),
      inbox: () => this.#inbox.splice(0),
      facts: () => {
        const { title, artifact } = this.#input.summary();
        return artifact === undefined ? { title } : { title, artifact };
      },
      askBudget: (detail) => this.#input.askBudget(detail, this.#abort.signal),
    });
    this.#streams.clear();
  }

  /** Rebuilds where the run stood; pins what of a cut answer is on disk, so that nobody counts on more. */
  async #restore(records: readonly AnyRecord[]): Promise<AgentState> {
    const { journal, session, run, epoch } = this.#input;
    const state = await stateFromRecords(records, (text) => journal.readText(text));
    const last = records.findLast((r) => r.kind === "step.started" || r.kind === "step.finished" || r.kind === "step.failed");
    if (!this.#input.resumed || last?.kind !== "step.started" || last.payload.run !== run) return state;
    const { step } = last.payload;
    const text = await journal.readStream(streamName(run, step, "text"));
    if (text === "" || records.some((r) => r.kind === "turn.interrupted" && r.payload.step === step && r.payload.run === run && r.rev > last.rev)) return state;
    await this.#apply(() =>
      journal.apply({
        session,
        actor: AGENT_ACTOR,
        epoch,
        key: `${run}/${epoch}/interrupted`,
        kind: "turn.interrupted",
        payload: { run, step, text: text.slice(0, 1000).toWellFormed(), offset: text.length, sha256: createHash("sha256").update(text).digest("hex") },
        dropStreams: ["text", "reasoning", "args:0", "args:1", "args:2", "args:3"].map((s) => streamName(run, step, s)),
      }),
    );
    return state;
  }

  async #record(event: AgentEvent): Promise<void> {
    const { session, run, epoch, journal } = this.#input;
    const context: MutationContext = { session, run, epoch, actor: AGENT_ACTOR, blob: (bytes) => journal.blob(bytes) };
    const mutation = mutationOf(event, context, this.#sequence++);
    await this.#apply(() => journal.apply(mutation));
    if (event.type === "step-finished" || event.type === "step-failed") this.#streams.clear();
  }

  async #apply(write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        if (!isAppError(error) || !STORE_CODES.has(error.code)) {
          if (isAppError(error) && error.code === "fenced") this.abort(new AppError("lease_lost", "another owner holds the lease", { cause: error }));
          throw error;
        }
        this.#input.logger.log("warn", `session ${this.#input.session} waits: ${error.message}`);
        await sleep(STORE_RETRY_MS, this.#abort.signal);
      }
    }
  }

  #live(step: number, stream: string, offset: number, text: string): void {
    const { session, run } = this.#input;
    const live: LiveText = { session, run, step, stream, offset, text };
    this.#streams.add(live, streamName(run, step, stream));
    this.#input.live(live);
  }
}

export async function readAll(journal: Journal, session: string): Promise<AnyRecord[]> {
  const all: AnyRecord[] = [];
  for (;;) {
    const after = all.at(-1)?.rev;
    const page = await journal.records(session, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
