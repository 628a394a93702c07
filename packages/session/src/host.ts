import { DEFAULT_PROFILE, profileOf } from "@swarm/agent";
import type { CommittedRecord, Journal } from "@swarm/journal";
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
  sleep,
  type Clock,
  type Logger,
  type QuestionId,
  type RunId,
} from "@swarm/std";
import { Actor, DAEMON_ACTOR, isHandedOver, type ActorWorld } from "./actor.ts";
import type { AdmissionLimits } from "./admission.ts";
import { Board, type Pinned } from "./board.ts";
import { endedByDaemon } from "./ended.ts";
import { runOf, sessionOf } from "./ids.ts";
import { UNFINISHED_INDEX } from "./kinds.ts";
import { HEARTBEAT_MS, Leases } from "./leases.ts";
import { LiveTexts } from "./live-texts.ts";
import { Mailboxes } from "./mailboxes.ts";
import { Questions } from "./questions.ts";
import { AGENT_ACTOR, storeText } from "./record-of.ts";
import { readStarts, recordStart, recordStop, takeUp } from "./restart.ts";
import { Scheduler, type Ticket } from "./scheduler.ts";
import { requestedBudget, titleOf } from "./request.ts";

/** A cancelled run that has not ended by then loses its lease: its owner hangs. */
const CANCEL_GRACE_MS = 800;
/** How long a drain lets runs reach a durable point before their streams and tools are aborted. */
const DRAIN_SOFT_MS = 1_000;
const DISPOSE_MS = 5_000;
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

/** Runs sessions: admission, fairness, leases, resume, cancel, drain. It decides; actors act. */
export class SessionHost implements PlanStore, QuestionDesk, AsyncDisposable {
  readonly #o: SessionHostOptions;
  readonly #world: ActorWorld;
  readonly #board: Board;
  readonly #questions: Questions;
  readonly #live: LiveTexts;
  readonly #mailboxes = new Mailboxes();
  readonly #scheduler: Scheduler;
  readonly #leases: Leases;
  readonly #actors = new Map<string, Actor>();
  readonly #closing = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #undo: () => void;
  #draining = false;
  #maxInFlight = 0;
  /** Runs that failed by a fault of ours and could not even be ended. */
  #unrecorded = 0;

  constructor(options: SessionHostOptions) {
    this.#o = options;
    const { journal, clock, limits, models, tools, logger } = options;
    this.#board = new Board(journal);
    this.#live = new LiveTexts((stream, offset, text) => journal.chunk(stream, offset, text));
    this.#questions = new Questions(journal, () => this.#scheduler.pump());
    this.#scheduler = new Scheduler({
      limits,
      clock,
      busy: () => this.#busy(),
      begin: (ticket) => this.#begin(ticket),
    });
    this.#leases = new Leases(clock.monotonic(), options.leaseMs);
    this.#world = {
      journal,
      models,
      tools,
      clock,
      logger,
      board: this.#board,
      questions: this.#questions,
      live: this.#live,
      mailboxes: this.#mailboxes,
    };
    this.#undo = journal.onCommit((batch) => this.#watchLeases(batch));
    this.#heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Takes up every unfinished run again; parks those that only crash. Resolves before they have gone on. */
  async start(): Promise<{ resumedRuns: number }> {
    const { journal, logger, clock } = this.#o;
    this.#scheduler.hold();
    const { starts, clean } = await readStarts(journal);
    const { tickets, parked } = await takeUp(journal, this.#board, { starts, clean });
    const news = tickets.filter(({ session }) => !this.#scheduler.has(session) && !this.#actors.has(session));
    await recordStart(journal, clock, { version: this.#o.version ?? "", clean, resumedRuns: news.length });
    if (parked.length > 0) await journal.apply(parked);
    for (const ticket of news) this.#scheduler.enqueue(ticket);
    this.#scheduler.release();
    if (news.length > 0) logger.log("info", `${news.length} unfinished runs go on`);
    void this.#board
      .countAll(this.#closing.signal)
      .catch((error: unknown) => logger.log("warn", `sessions were not counted: ${errorMessage(error)}`));
    return { resumedRuns: news.length };
  }

  /** One batch: the session, its task, its first run. The same actor and key: the same session. */
  async create(input: CreateSession, actor: string, key: string): Promise<CreatedSession> {
    this.#refuseWhileDraining();
    const task = cleanText(input.task);
    if (task.trim() === "")
      throw new AppError("bad_request", "The task is empty: say what the agent shall do.", { retry: "after-fix" });
    const profile = profileOf(input.profile ?? DEFAULT_PROFILE);
    const model = input.model ?? this.#o.defaultModel;
    this.#o.models.resolve(model);
    const [session, run] = [sessionOf(actor, key), runOf(actor, key)];
    const { title, workspace, group, label, interactive = false } = input;
    const shown = {
      ...(workspace === undefined ? {} : { workspace }),
      ...(group === undefined ? {} : { group: cleanText(group) }),
      ...(label === undefined ? {} : { label: cleanText(label) }),
    };
    const budget = { ...profile.budget, ...requestedBudget(input.budget) };
    const applied = await this.#o.journal.apply([
      {
        session,
        actor,
        key: `${key}/session`,
        kind: "session.created",
        payload: { title: titleOf(cleanText(title ?? ""), task), profile: profile.name, model, ...shown },
      },
      this.#message(session, task, actor, key),
      { session, actor, key: `${key}/run`, kind: "run.queued", payload: { run, budget, interactive } },
    ]);
    if (!applied.at(-1)!.replayed) this.#scheduler.enqueue({ session, run, group: group ?? "", interactive });
    return { session, run };
  }

  /** Joins the unfinished run at its next step, or starts a new run with these words. */
  async addMessage(session: string, words: string, actor: string, key: string): Promise<{ run: string }> {
    this.#refuseWhileDraining();
    const text = cleanText(words);
    if (text.trim() === "") throw new AppError("bad_request", "The message is empty.", { retry: "after-fix" });
    using pinned = await this.#pin(session);
    return await this.#mailboxes.post(session, async () => {
      const message = this.#message(session, text, actor, key);
      const { run, phase } = pinned.summary;
      if (run === undefined || phase === "ended" || phase === "idle")
        return await this.#newRun(pinned, message, actor, key);
      const [applied] = await this.#o.journal.apply(message);
      if (!applied!.replayed) {
        this.#actors.get(session)?.deliver(applied!.rev, text);
        if (phase === "waiting") this.#takeUpAgain(pinned.summary);
      }
      return { run };
    });
  }

  async answer(session: string, question: string, answer: string, actor: string, key: string): Promise<void> {
    using pinned = await this.#pin(session);
    await this.#mailboxes.post(session, async () => {
      await this.#o.journal.apply({
        session,
        actor,
        key: `${key}/answer`,
        kind: "question.answered",
        payload: { question: question as QuestionId, answer: cleanText(answer), by: actor },
      });
      this.#takeUpAgain(pinned.summary);
    });
  }

  /** Whether the session's run ended by this. Resolves when its end is durable. */
  async cancel(session: string, actor: string): Promise<boolean> {
    using pinned = await this.#pin(session);
    const reason = `cancelled by ${actor}`;
    for (;;) {
      const running = this.#actors.get(session);
      if (running !== undefined) {
        await this.#stopRun(running, reason);
        return pinned.summary.state === "cancelled" && pinned.summary.run === running.ticket.run;
      }
      const done = await this.#mailboxes.post(session, async () => {
        if (this.#actors.has(session)) return undefined; // began meanwhile
        const { run, phase } = pinned.summary;
        if (run === undefined || phase === "ended" || phase === "idle") return false;
        this.#scheduler.remove(session);
        const handoff = endedByDaemon("cancelled", pinned.summary, reason);
        await this.#o.journal.apply({
          session,
          actor: DAEMON_ACTOR,
          key: `${run}/cancelled`,
          kind: "run.ended",
          payload: { run: run as RunId, state: "cancelled", handoff },
        });
        return true;
      });
      if (done !== undefined) return done;
    }
  }

  /** All unfinished runs, or those of one group. Answers how many ended by this. */
  async cancelMany(filter: { readonly group?: string }, actor: string): Promise<number> {
    const sessions: string[] = [];
    for (let after = ""; ;) {
      const page = await this.#o.journal.index(UNFINISHED_INDEX, { limit: PAGE, ...(after === "" ? {} : { after }) });
      for (const { key } of page) {
        if (filter.group === undefined || (await this.#board.summary(key))?.group === filter.group) sessions.push(key);
      }
      if (page.length < PAGE) break;
      after = page.at(-1)!.key;
    }
    const ended = await Promise.all(sessions.map((session) => this.cancel(session, actor)));
    return ended.filter(Boolean).length;
  }

  async seen(session: string, actor: string): Promise<void> {
    using pinned = await this.#pin(session);
    await this.#mailboxes.post(session, async () => {
      const { unseen, rev } = pinned.summary;
      if (unseen)
        await this.#o.journal.apply({
          session,
          actor,
          key: `seen/${session}/${rev}`,
          kind: "session.seen",
          payload: { rev },
        });
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
    return this.#unrecorded === 0 ? errors : { ...errors, internal: (errors["internal"] ?? 0) + this.#unrecorded };
  }
  /** Runs between their lease and their end. */
  inFlight(): number {
    return this.#actors.size;
  }
  maxInFlight(): number {
    return this.#maxInFlight;
  }
  admission(): DaemonStatus["admission"] {
    return this.#scheduler.admission();
  }
  leases(): ReturnType<Leases["stats"]> {
    return this.#leases.stats();
  }
  /** What is in memory: nothing of a session stays for its having run. */
  held(): { readonly live: number; readonly ended: number; readonly actors: number; readonly mailboxes: number } {
    return { ...this.#board.size, actors: this.#actors.size, mailboxes: this.#mailboxes.size };
  }

  async get(session: string): Promise<Plan | undefined> {
    return (await this.#o.journal.project<{ plan: Plan | null }>("plan", session))?.plan ?? undefined;
  }
  async put(context: ToolContext, plan: Plan): Promise<void> {
    const { session, run, step, callId, epoch } = context;
    await this.#mailboxes.post(session, async () => {
      const revision = (await this.get(session))?.revision ?? 0;
      if (plan.revision !== revision + 1) {
        throw new AppError("rev_conflict", `the plan is at revision ${revision}`, { details: { revision } });
      }
      await this.#o.journal.apply({
        session,
        actor: AGENT_ACTOR,
        epoch,
        key: `${run}/${step}/${callId}/plan/${plan.revision}`,
        kind: "plan.set",
        payload: { run: run as RunId, plan },
      });
    });
  }
  ask(context: ToolContext, question: { readonly text: string; readonly options: readonly string[] }): Promise<string> {
    return this.#questions.ask(context, question);
  }

  /** Ends after each run's current durable point, or aborts it there; what is unfinished goes on at the next start. */
  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    this.#scheduler.stop();
    const all = [...this.#actors.values()];
    for (const actor of all) {
      if (this.#questions.isAsking(actor.ticket.session)) actor.stop("drained", "the daemon is stopping");
      else actor.drain();
    }
    const soft = Math.min(DRAIN_SOFT_MS, timeoutMs / 2);
    await settled(all, soft);
    for (const actor of this.#actors.values()) actor.stop("drained", "the daemon is stopping");
    await settled(all, timeoutMs - soft);
    const left = this.#actors.size;
    await recordStop(
      this.#o.journal,
      this.#o.clock,
      left === 0 ? "drained" : `${left} runs did not stop in time`,
    ).catch((error: unknown) => this.#o.logger.log("warn", `the stop was not recorded: ${errorMessage(error)}`));
  }

  /** Renews the leases. Called once a second; by tests with a clock of their own. */
  beat(): void {
    const owns = (session: string): boolean => {
      const mine = this.#actors.get(session)?.epoch;
      return mine === undefined || mine === this.#board.known(session)?.epoch;
    };
    for (const session of this.#leases.beat(this.#o.clock.monotonic(), owns)) {
      this.#actors.get(session)?.stop("lease_lost", "the lease ran out");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#draining = true;
    this.#scheduler.stop();
    this.#closing.abort();
    clearInterval(this.#heartbeat);
    const all = [...this.#actors.values()];
    for (const actor of all) actor.stop("drained", "the host closed");
    await settled(all, DISPOSE_MS);
    this.#undo();
    this.#questions.close();
    this.#board.close();
  }

  /** Those that wait for a person need no place. */
  #busy(): number {
    return this.#actors.size - this.#questions.asking;
  }

  #begin(ticket: Ticket): void {
    const actor = new Actor(ticket, this.#world);
    this.#actors.set(ticket.session, actor);
    this.#maxInFlight = Math.max(this.#maxInFlight, this.#actors.size);
    void this.#run(actor);
  }

  /** One run from lease to end. Never rejects: a fault of ours ends this run and is counted, the others live on. */
  async #run(actor: Actor): Promise<void> {
    const { session } = actor.ticket;
    this.#leases.take(session, this.#o.clock.monotonic());
    try {
      await actor.work();
    } catch (error) {
      if (!isHandedOver(error)) await this.#failed(actor, error);
    }
    this.#letGo(actor);
    actor.settle();
    if (actor.next !== undefined) this.#scheduler.enqueue(actor.next);
    this.#scheduler.pump();
  }

  #letGo(actor: Actor): void {
    const { session } = actor.ticket;
    if (this.#actors.get(session) !== actor) return;
    this.#actors.delete(session);
    this.#leases.release(session);
  }

  async #failed(actor: Actor, error: unknown): Promise<void> {
    const { session, run } = actor.ticket;
    const message = errorMessage(error);
    const summary = this.#board.known(session);
    if (summary?.run !== run || summary.phase === "ended") return; // refused because it had been ended
    const stack = error instanceof Error ? error.stack : undefined;
    this.#o.logger.log("error", `run ${run} of session ${session} failed: ${message}`, { stack });
    try {
      await actor.end("failed", message, {
        code: isAppError(error) ? error.code : "internal",
        class: "internal",
        message,
      });
    } catch (second) {
      this.#unrecorded++;
      this.#o.logger.log("error", `session ${session} could not be ended: ${errorMessage(second)}`);
    }
  }

  async #stopRun(actor: Actor, reason: string): Promise<void> {
    actor.cancel(reason);
    await settled([actor], CANCEL_GRACE_MS);
    const { session, run } = actor.ticket;
    if (this.#actors.get(session) !== actor || actor.finishing) return;
    // it hangs in something that does not hear the signal: its lease goes to the daemon, what it writes later is fenced
    this.#letGo(actor);
    actor.stop("lease_lost", reason);
    const epoch = ((await this.#o.journal.head(session))?.epoch ?? 0) + 1;
    const handoff = endedByDaemon("cancelled", this.#board.known(session), reason);
    await this.#o.journal.apply([
      {
        session,
        actor: DAEMON_ACTOR,
        key: `${run}/revoked/${epoch}`,
        kind: "run.leased",
        payload: { run, epoch, resumed: false },
      },
      {
        session,
        actor: DAEMON_ACTOR,
        epoch,
        key: `${run}/cancelled`,
        kind: "run.ended",
        payload: { run, state: "cancelled", handoff },
      },
    ]);
    this.#scheduler.pump();
  }

  /** A new run for a session whose last one ended. Called in the session's mailbox: only a retry can find another revision. */
  async #newRun({ summary }: Pinned, message: AnyMutation, actor: string, key: string): Promise<{ run: string }> {
    const { id: session, rev, group = "" } = summary;
    const run = runOf(actor, key);
    const { budget } = profileOf(summary.profile);
    const queued: AnyMutation = {
      session,
      actor,
      key: `${key}/run`,
      expectedRev: rev + 1,
      kind: "run.queued",
      payload: { run, budget, interactive: true },
    };
    try {
      const applied = await this.#o.journal.apply([message, queued]);
      if (!applied.at(-1)!.replayed) this.#scheduler.enqueue({ session, run, group, interactive: true });
      return { run };
    } catch (error) {
      if (!isAppError(error) || error.code !== "rev_conflict") throw error;
      // the words had joined the run that ended since: the retry of a request that was answered
      const [applied] = await this.#o.journal.apply({ ...message, expectedRev: rev });
      if (!applied!.replayed) throw error;
      return { run: summary.run ?? run };
    }
  }

  /** An unfinished run that nobody runs: it was parked, or its process ended while it asked. */
  #takeUpAgain({ id: session, run, group = "", phase }: SessionSummary): void {
    if (run === undefined || phase !== "waiting" || this.#actors.has(session)) return;
    this.#scheduler.enqueue({ session, run: run as RunId, group, interactive: true });
  }

  #watchLeases(batch: readonly CommittedRecord[]): void {
    for (const { record } of batch) {
      if (record.kind !== "run.leased") continue;
      const mine = this.#actors.get(record.session)?.epoch;
      if (mine === undefined || record.payload.epoch <= mine) continue;
      this.#actors.get(record.session)!.stop("lease_lost", "another owner took the lease");
    }
  }

  #message(session: string, text: string, actor: string, key: string): AnyMutation {
    const blobs: BlobWrite[] = [];
    const stored = storeText(text, (bytes) => this.#o.journal.blob(bytes), blobs);
    return {
      session,
      actor,
      key: `${key}/message`,
      kind: "message.added",
      payload: { text: stored, by: "person" },
      blobs,
    };
  }

  async #pin(session: string): Promise<Pinned> {
    const pinned = await this.#board.pin(session);
    if (pinned === undefined) throw new AppError("not_found", `There is no session ${session.slice(0, 80)}.`);
    return pinned;
  }

  #refuseWhileDraining(): void {
    if (this.#draining)
      throw new AppError("draining", "The daemon is stopping: start it again with 'swarm up'.", { retry: "later" });
  }
}

export async function openSessionHost(options: SessionHostOptions): Promise<SessionHost> {
  return new SessionHost(options);
}

/** Waits for actors to be done, at most so long. */
async function settled(actors: readonly Actor[], ms: number): Promise<void> {
  const timer = new AbortController();
  const late = sleep(ms, timer.signal).catch(() => {});
  await Promise.race([Promise.all(actors.map(({ done }) => done)), late]);
  timer.abort();
}
