import { DEFAULT_PROFILE, profileOf } from "@swarm/agent";
import type { Journal } from "@swarm/journal";
import type {
  CreatedSession,
  CreateSession,
  DaemonStatus,
  LiveText,
  Plan,
  SessionPage,
  SessionSummary,
  Totals,
} from "@swarm/protocol";
import type {
  AnyMutation,
  BlobWrite,
  ModelResolver,
  PlanStore,
  QuestionDesk,
  ToolContext,
  ToolRunner,
} from "@swarm/protocol/ports";
import {
  AppError,
  cleanText,
  errorMessage,
  isAppError,
  type Clock,
  type Logger,
  type QuestionId,
  type RunId,
} from "@swarm/std";
import { DAEMON_ACTOR } from "./actor.ts";
import type { AdmissionLimits } from "./admission.ts";
import { Board, type Pinned } from "./board.ts";
import { endedByDaemon } from "./ended.ts";
import { runOf, sessionOf } from "./ids.ts";
import { UNFINISHED_INDEX } from "./kinds.ts";
import type { Leases } from "./leases.ts";
import { LiveTexts } from "./live-texts.ts";
import { Mailboxes } from "./mailboxes.ts";
import { Questions } from "./questions.ts";
import { AGENT_ACTOR, storeText } from "./record-of.ts";
import { requestedBudget, titleOf } from "./request.ts";
import { readStarts, recordStart, recordStop, takeUp } from "./restart.ts";
import { Runs } from "./runs.ts";

const PAGE = 200;

export interface SessionHostOptions {
  readonly journal: Journal;
  readonly models: ModelResolver;
  /** Read when a run starts: tools need the host, and the host the tools. */
  readonly tools: () => ToolRunner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: AdmissionLimits;
  /** `provider/model` of sessions that name none. */
  readonly defaultModel: string;
  readonly version?: string;
  readonly leaseMs?: number;
}

/**
 * The sessions of one daemon: what may be done to them and what they look like. What decides by a session's state and
 * then writes does so in the session's mailbox. Commands throw AppError: bad_request, not_found, invalid_state,
 * idempotency_conflict, draining, disk_full, storage_unavailable, and for models what the resolver throws.
 */
export class SessionHost implements PlanStore, QuestionDesk, AsyncDisposable {
  readonly #o: SessionHostOptions;
  readonly #board: Board;
  readonly #questions: Questions;
  readonly #live: LiveTexts;
  readonly #mailboxes = new Mailboxes();
  readonly #runs: Runs;
  readonly #closing = new AbortController();
  #draining = false;

  constructor(options: SessionHostOptions) {
    this.#o = options;
    const { journal, clock, models, tools, logger } = options;
    this.#board = new Board(journal);
    this.#live = new LiveTexts((stream, offset, text) => journal.chunk(stream, offset, text));
    this.#questions = new Questions(journal, () => this.#runs.pump());
    const shared = { board: this.#board, questions: this.#questions, live: this.#live, mailboxes: this.#mailboxes };
    this.#runs = new Runs({ journal, models, tools, clock, logger, ...shared }, options);
  }

  /** Takes up every unfinished run again; parks those that only crash. Resolves before they have gone on. */
  async start(): Promise<{ resumedRuns: number }> {
    const { journal, logger, clock, version = "" } = this.#o;
    this.#runs.hold();
    try {
      const history = await readStarts(journal);
      const { tickets, parked, inLine } = await takeUp(journal, this.#board, history);
      const news = tickets.filter(({ session }) => !this.#runs.has(session));
      await recordStart(journal, clock, { version, clean: history.clean, resumedRuns: news.length });
      const waiting = news.length > this.#runs.admission().limit ? [...parked, ...inLine] : parked;
      if (waiting.length > 0) await journal.apply(waiting);
      for (const ticket of news) this.#runs.enqueue(ticket);
      if (news.length > 0) logger.log("info", `${news.length} unfinished runs go on`);
      return { resumedRuns: news.length };
    } finally {
      this.#runs.release();
      void this.#board
        .countAll(this.#closing.signal)
        .catch((error: unknown) => logger.log("warn", `sessions were not counted: ${errorMessage(error)}`));
    }
  }

  /** One batch: the session, its task, its first run. The same actor and key: the same session. */
  async create(input: CreateSession, actor: string, key: string): Promise<CreatedSession> {
    this.#refuseWhileDraining();
    const task = filledText(input.task, "The task is empty: say what the agent shall do.");
    const profile = profileOf(input.profile ?? DEFAULT_PROFILE);
    const model = input.model ?? this.#o.defaultModel;
    this.#o.models.resolve(model);
    const [session, run] = [sessionOf(actor, key), runOf(actor, key)];
    const { workspace, interactive = false } = input;
    const title = titleOf(cleanText(input.title ?? ""), task);
    const group = input.group === undefined ? undefined : cleanText(input.group);
    const label = input.label === undefined ? undefined : cleanText(input.label);
    const created = {
      title,
      profile: profile.name,
      model,
      ...(workspace === undefined ? {} : { workspace }),
      ...(group === undefined ? {} : { group }),
      ...(label === undefined ? {} : { label }),
    };
    const budget = { ...profile.budget, ...requestedBudget(input.budget) };
    const applied = await this.#o.journal.apply([
      { session, actor, key: `${key}/session`, kind: "session.created", payload: created },
      this.#message(session, task, actor, key),
      { session, actor, key: `${key}/run`, kind: "run.queued", payload: { run, budget, interactive } },
    ]);
    if (!applied.at(-1)!.replayed) this.#runs.enqueue({ session, run, group: group ?? "", interactive });
    return { session, run };
  }

  /** Joins the unfinished run at its next step, or starts a new run with these words. */
  async addMessage(session: string, words: string, actor: string, key: string): Promise<{ run: string }> {
    this.#refuseWhileDraining();
    const text = filledText(words, "The message is empty.");
    using pinned = await this.#pin(session);
    return await this.#mailboxes.post(session, async () => {
      const message = this.#message(session, text, actor, key);
      const { run, phase } = pinned.summary;
      if (run === undefined || phase === "ended" || phase === "idle") {
        return await this.#newRun(pinned.summary, message, actor, key);
      }
      const [applied] = await this.#o.journal.apply(message);
      if (!applied!.replayed) {
        this.#runs.find(session)?.deliver(applied!.rev, text);
        this.#runs.takeUpAgain(pinned.summary);
      }
      return { run };
    });
  }

  async answer(session: string, question: string, answer: string, actor: string, key: string): Promise<void> {
    using pinned = await this.#pin(session);
    await this.#mailboxes.post(session, async () => {
      const payload = { question: question as QuestionId, answer: cleanText(answer), by: actor };
      await this.#o.journal.apply({ session, actor, key: `${key}/answer`, kind: "question.answered", payload });
      this.#runs.takeUpAgain(pinned.summary);
    });
  }

  /** Whether the session's run ended by this. Resolves when its end is durable. */
  async cancel(session: string, actor: string): Promise<boolean> {
    using pinned = await this.#pin(session);
    const reason = `cancelled by ${actor}`;
    for (;;) {
      const running = this.#runs.find(session);
      if (running !== undefined) {
        await this.#runs.cancel(running, reason);
        return pinned.summary.state === "cancelled" && pinned.summary.run === running.ticket.run;
      }
      const done = await this.#mailboxes.post(session, () => this.#cancelInLine(pinned, reason));
      if (done !== "began") return done === "cancelled";
    }
  }

  /** All unfinished runs, or those of one group. Answers how many ended by this. */
  async cancelMany(filter: { readonly group?: string }, actor: string): Promise<number> {
    const sessions: string[] = [];
    for (let after = ""; ;) {
      const range = { limit: PAGE, ...(after === "" ? {} : { after }) };
      const page = await this.#o.journal.index(UNFINISHED_INDEX, range);
      for (const { key } of page) {
        if (filter.group === undefined || (await this.#board.summary(key))?.group === filter.group) sessions.push(key);
      }
      if (page.length < PAGE) break;
      after = page.at(-1)!.key;
    }
    const ended = await Promise.all(sessions.map((session) => this.cancel(session, actor)));
    return ended.filter(Boolean).length;
  }

  /** A person has looked at it. */
  async seen(session: string, actor: string): Promise<void> {
    using pinned = await this.#pin(session);
    await this.#mailboxes.post(session, async () => {
      const { unseen, rev } = pinned.summary;
      if (!unseen) return;
      const key = `seen/${session}/${rev}`;
      await this.#o.journal.apply({ session, actor, key, kind: "session.seen", payload: { rev } });
    });
  }

  list(o: { readonly after?: string; readonly limit: number; readonly group?: string }): Promise<SessionPage> {
    return this.#board.list(o);
  }
  summary(session: string): Promise<SessionSummary | undefined> {
    return this.#board.summary(session);
  }
  /** Each session's new summary, in commit order. */
  onSummary(listener: (summary: SessionSummary) => void): () => void {
    return this.#board.onSummary(listener);
  }
  onLive(listener: (live: LiveText) => void): () => void {
    return this.#live.onLive(listener);
  }
  liveTexts(session: string): readonly LiveText[] {
    return this.#live.of(session);
  }
  counts(): DaemonStatus["sessions"] {
    return this.#board.census.counts();
  }
  totals(): Totals {
    return this.#board.census.totals();
  }
  /** Tool and run errors of all sessions by class. */
  errors(): Readonly<Record<string, number>> {
    const errors = this.#board.census.errors();
    const { unrecorded } = this.#runs;
    return unrecorded === 0 ? errors : { ...errors, internal: (errors["internal"] ?? 0) + unrecorded };
  }
  /** Runs between their lease and their end. */
  inFlight(): number {
    return this.#runs.size;
  }
  maxInFlight(): number {
    return this.#runs.maxInFlight;
  }
  admission(): DaemonStatus["admission"] {
    return this.#runs.admission();
  }
  leases(): ReturnType<Leases["stats"]> {
    return this.#runs.leases();
  }
  /** Renews the leases; done once a second by itself. */
  beat(): void {
    this.#runs.beat();
  }
  /** What is in memory: nothing of a session stays for its having run. */
  held(): { readonly live: number; readonly ended: number; readonly actors: number; readonly mailboxes: number } {
    return { ...this.#board.size, actors: this.#runs.size, mailboxes: this.#mailboxes.size };
  }

  async get(session: string): Promise<Plan | undefined> {
    return (await this.#o.journal.project<{ plan: Plan | null }>("plan", session))?.plan ?? undefined;
  }
  async put(context: ToolContext, plan: Plan): Promise<void> {
    const { session, step, callId, epoch } = context;
    const run = context.run as RunId;
    await this.#mailboxes.post(session, async () => {
      const revision = (await this.get(session))?.revision ?? 0;
      if (plan.revision !== revision + 1) {
        throw new AppError("rev_conflict", `the plan is at revision ${revision}`, { details: { revision } });
      }
      const key = `${run}/${step}/${callId}/plan/${plan.revision}`;
      await this.#o.journal.apply({
        session,
        actor: AGENT_ACTOR,
        epoch,
        key,
        kind: "plan.set",
        payload: { run, plan },
      });
    });
  }
  ask(context: ToolContext, question: { readonly text: string; readonly options: readonly string[] }): Promise<string> {
    return this.#questions.ask(context, question);
  }

  /** Ends after each run's current durable point, or aborts it there; what is unfinished goes on at the next start. */
  async drain(timeoutMs: number): Promise<void> {
    const { journal, clock, logger } = this.#o;
    this.#draining = true;
    const left = await this.#runs.drain(timeoutMs);
    const reason = left === 0 ? "drained" : `${left} runs did not stop in time`;
    await recordStop(journal, clock, reason).catch((error: unknown) =>
      logger.log("warn", `the stop was not recorded: ${errorMessage(error)}`),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#draining = true;
    this.#closing.abort();
    await this.#runs[Symbol.asyncDispose]();
    this.#questions.close();
    this.#board.close();
  }

  async #cancelInLine(pinned: Pinned, reason: string): Promise<"cancelled" | "ended" | "began"> {
    const { id: session, run, phase } = pinned.summary;
    if (this.#runs.find(session) !== undefined) return "began";
    if (run === undefined || phase === "ended" || phase === "idle") return "ended";
    this.#runs.remove(session);
    const handoff = endedByDaemon("cancelled", pinned.summary, reason);
    const payload = { run: run as RunId, state: "cancelled", handoff } as const;
    const key = `${run}/cancelled`;
    await this.#o.journal.apply({ session, actor: DAEMON_ACTOR, key, kind: "run.ended", payload });
    return "cancelled";
  }

  /** A new run for a session whose last one ended. In the session's mailbox: only a retry finds another revision. */
  async #newRun(summary: SessionSummary, message: AnyMutation, actor: string, key: string): Promise<{ run: string }> {
    const { id: session, rev, group = "" } = summary;
    const run = runOf(actor, key);
    const payload = { run, budget: profileOf(summary.profile).budget, interactive: true };
    try {
      const applied = await this.#o.journal.apply([
        message,
        { session, actor, key: `${key}/run`, expectedRev: rev + 1, kind: "run.queued", payload },
      ]);
      if (!applied.at(-1)!.replayed) this.#runs.enqueue({ session, run, group, interactive: true });
      return { run };
    } catch (error) {
      if (!isAppError(error) || error.code !== "rev_conflict") throw error;
      // the words had joined the run that ended since: the retry of a request that was answered
      const [applied] = await this.#o.journal.apply({ ...message, expectedRev: rev });
      if (!applied!.replayed) throw error;
      return { run: summary.run ?? run };
    }
  }

  #message(session: string, text: string, actor: string, key: string): AnyMutation {
    const blobs: BlobWrite[] = [];
    const stored = storeText(text, (bytes) => this.#o.journal.blob(bytes), blobs);
    const payload = { text: stored, by: "person" } as const;
    return { session, actor, key: `${key}/message`, kind: "message.added", payload, blobs };
  }

  async #pin(session: string): Promise<Pinned> {
    const pinned = await this.#board.pin(session);
    if (pinned === undefined) throw new AppError("not_found", `There is no session ${session.slice(0, 80)}.`);
    return pinned;
  }

  #refuseWhileDraining(): void {
    if (!this.#draining) return;
    throw new AppError("draining", "The daemon is stopping: start it again with 'swarm up'.", { retry: "later" });
  }
}

export async function openSessionHost(options: SessionHostOptions): Promise<SessionHost> {
  return new SessionHost(options);
}

function filledText(text: string, refusal: string): string {
  const clean = cleanText(text);
  if (clean.trim() === "") throw new AppError("bad_request", refusal, { retry: "after-fix" });
  return clean;
}
