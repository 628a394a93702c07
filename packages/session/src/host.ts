import { createHash } from "node:crypto";
import { abortReason, DEFAULT_PROFILE, profileOf, RESUMABLE_ABORTS } from "@swarm/agent";
import type { Journal } from "@swarm/journal";
import { INLINE_TEXT_MAX_BYTES, SYSTEM_SESSION, type Budget, type CreatedSession, type CreateSession, type DaemonStatus, type LiveText, type Plan, type SessionPage, type SessionSummary, type TerminalState, type Totals } from "@swarm/protocol";
import type { AnyMutation, BlobWrite, ModelResolver, PlanStore, QuestionDesk, ToolContext, ToolRunner } from "@swarm/protocol/ports";
import { AppError, cleanText, errorMessage, isAppError, sleep, type Clock, type Logger, type RunId } from "@swarm/std";
import { Actor, AGENT_ACTOR } from "./actor.ts";
import { Admission, type AdmissionLimits } from "./admission.ts";
import { Board } from "./board.ts";
import { UNFINISHED_INDEX } from "./kinds.ts";
import { HEARTBEAT_MS, Leases } from "./leases.ts";
import { CHUNK_AFTER_MS } from "./live-stream.ts";
import { endedByDaemon } from "./ended.ts";
import { Questions } from "./questions.ts";
import { FairQueue, type Waiting } from "./queue.ts";
import type { RunState } from "./run-machine.ts";

const DAEMON = "daemon";
/** Starts per turn of the loop: a thousand at once must not stall it. */
const STARTS_PER_TURN = 8;
/** A run that was taken up this often without getting anywhere waits for a person. */
const CRASHES_MAX = 2;
const PAGE = 200;

export interface SessionHostOptions {
  readonly journal: Journal;
  readonly models: ModelResolver;
  /** Read when a run starts: tools need the host, and the host the tools. */
  readonly tools: () => ToolRunner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: AdmissionLimits;
  readonly defaultModel: string;
  readonly version?: string;
}

interface Ticket extends Waiting {
  readonly run: RunId;
  readonly resumed: boolean;
}

/** Runs sessions: admission, fairness, leases, resume, cancel, drain. Decides; actors act. */
export class SessionHost implements PlanStore, QuestionDesk, AsyncDisposable {
  readonly #o: SessionHostOptions;
  readonly #board: Board;
  readonly #queue = new FairQueue<Ticket>();
  readonly #actors = new Map<string, Actor>();
  readonly #admission: Admission;
  readonly #leases: Leases;
  readonly #questions: Questions;
  readonly #liveListeners = new Set<(live: LiveText) => void>();
  readonly #timers: NodeJS.Timeout[];
  readonly #closing = new AbortController();
  readonly #starting = new Set<string>();
  #pumping = false;
  #draining = false;
  #maxInFlight = 0;
  #crashed = 0;

  constructor(options: SessionHostOptions) {
    this.#o = options;
    const { journal, clock, limits } = options;
    this.#board = new Board(journal);
    this.#admission = new Admission(limits, () => clock.monotonic());
    this.#leases = new Leases(clock.monotonic());
    this.#questions = new Questions(journal);
    this.#timers = [setInterval(() => this.#heartbeat(), HEARTBEAT_MS), setInterval(() => this.#actors.forEach((a) => a.flush()), CHUNK_AFTER_MS)];
    for (const timer of this.#timers) timer.unref();
  }

  /** Takes up every unfinished run again; parks the ones that only crash. */
  async start(): Promise<{ resumedRuns: number }> {
    const { journal, logger } = this.#o;
    let resumedRuns = 0;
    let after: string | undefined;
    for (;;) {
      const page = await journal.index(UNFINISHED_INDEX, { limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (const { key: session, value } of page) {
        after = session;
        const summary = await this.#board.warm(session);
        const state = await journal.project<RunState>("run", session);
        if (summary === undefined || state === undefined || state.phase === "none") continue;
        if (!journal.clean && state.crashes >= CRASHES_MAX) {
          await this.#park(session, state);
          continue;
        }
        if (state.phase === "waiting" && summary.wait?.on === "user" && summary.wait.detail.startsWith(PARKED)) continue;
        resumedRuns++;
        this.#enqueue({ session, run: value as RunId, group: summary.group ?? "", interactive: false, resumed: state.phase !== "queued" });
      }
      if (page.length < PAGE) break;
    }
    await journal.apply({ session: SYSTEM_SESSION, actor: DAEMON, key: `started/${journal.incarnation}/${process.pid}/${this.#o.clock.now()}`, kind: "daemon.started", payload: { version: this.#o.version ?? "", pid: process.pid, clean: journal.clean, resumedRuns } });
    if (resumedRuns > 0) logger.log("info", `${resumedRuns} unfinished runs go on`);
    void this.#board.countAll(this.#closing.signal).catch((error: unknown) => logger.log("warn", `sessions were not counted: ${errorMessage(error)}`));
    return { resumedRuns };
  }

  async create(input: CreateSession, actor: string, key: string): Promise<CreatedSession> {
    this.#refuseWhileDraining();
    const task = cleanText(input.task);
    if (task.trim() === "") throw new AppError("bad_request", "The task is empty: say what the agent shall do.", { retry: "after-fix" });
    const profile = profileOf(input.profile ?? DEFAULT_PROFILE).name;
    const model = input.model ?? this.#o.defaultModel;
    this.#o.models.resolve(model);
    const [session, run] = [derivedId("ses", actor, key), derivedId("run", actor, key) as RunId];
    const text = this.#text(task);
    const { title, workspace, group, label } = input;
    const applied = await this.#o.journal.apply([
      { session, actor, key: `${key}/session`, kind: "session.created", payload: { title: cleanText(title ?? titleOf(task)), profile, model, ...(workspace === undefined ? {} : { workspace }), ...(group === undefined ? {} : { group: cleanText(group) }), ...(label === undefined ? {} : { label: cleanText(label) }) } },
      { session, actor, key: `${key}/message`, kind: "message.added", payload: { text: text.stored, by: "person" }, blobs: text.blobs },
      { session, actor, key: `${key}/run`, kind: "run.queued", payload: { run, budget: definedBudget(input.budget), interactive: input.interactive ?? false } },
    ]);
    if (!applied.at(-1)!.replayed) this.#enqueue({ session, run, group: group ?? "", interactive: input.interactive ?? false, resumed: false });
    return { session, run };
  }

  /** Joins the running run at its next step, or starts a new run with these words. */
  async addMessage(session: string, words: string, actor: string, key: string): Promise<{ run: string }> {
    this.#refuseWhileDraining();
    const summary = await this.#mustHave(session);
    const text = this.#text(cleanText(words));
    const message: AnyMutation = { session, actor, key: `${key}/message`, kind: "message.added", payload: { text: text.stored, by: "person" }, blobs: text.blobs };
    const { run, phase } = summary;
    if (run !== undefined && phase !== "ended" && phase !== "idle") {
      const [applied] = await this.#o.journal.apply(message);
      if (!applied!.replayed) {
        this.#actors.get(session)?.deliver(cleanText(words));
        if (!this.#actors.has(session) && phase === "waiting") this.#enqueue({ session, run: run as RunId, group: summary.group ?? "", interactive: true, resumed: true });
      }
      return { run };
    }
    const next = derivedId("run", actor, key) as RunId;
    const applied = await this.#o.journal.apply([message, { session, actor, key: `${key}/run`, kind: "run.queued", payload: { run: next, budget: {}, interactive: true } }]);
    if (!applied.at(-1)!.replayed) this.#enqueue({ session, run: next, group: summary.group ?? "", interactive: true, resumed: false });
    return { run: next };
  }

  async answer(session: string, question: string, answer: string, actor: string, key: string): Promise<void> {
    const summary = await this.#mustHave(session);
    if (summary.question?.id !== question) throw new AppError("invalid_state", `Session ${session} does not ask ${question} now: it was answered or the run ended.`);
    await this.#questions.answer(session, question, cleanText(answer), actor, key);
    if (!this.#actors.has(session) && summary.phase === "waiting" && summary.run !== undefined) this.#enqueue({ session, run: summary.run as RunId, group: summary.group ?? "", interactive: true, resumed: true });
  }

  async cancel(session: string, actor: string): Promise<boolean> {
    const summary = await this.#mustHave(session);
    if (summary.phase === "ended" || summary.phase === "idle" || summary.run === undefined) return false;
    const running = this.#actors.get(session);
    if (running !== undefined) {
      running.abort(abortReason("cancelled", `cancelled by ${actor}`));
      return true;
    }
    this.#queue.remove(session);
    if (this.#starting.has(session)) {
      await sleep(20);
      return this.cancel(session, actor);
    }
    await this.#end(session, summary.run as RunId, "cancelled", `cancelled by ${actor}`);
    return true;
  }

  async cancelMany(filter: { group?: string }, actor: string): Promise<number> {
    const sessions: string[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await this.#o.journal.index(UNFINISHED_INDEX, { limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (const { key } of page) if (filter.group === undefined || (await this.#board.summary(key))?.group === filter.group) sessions.push(key);
      after = page.at(-1)?.key;
      if (page.length < PAGE) break;
    }
    const done = await Promise.all(sessions.map((session) => this.cancel(session, actor)));
    return done.filter(Boolean).length;
  }

  async seen(session: string, actor: string): Promise<void> {
    const summary = await this.#mustHave(session);
    if (summary.unseen) await this.#o.journal.apply({ session, actor, key: `seen/${summary.rev}`, kind: "session.seen", payload: { rev: summary.rev } });
  }

  list(o: { after?: string; limit: number; group?: string }): Promise<SessionPage> {
    return this.#board.list(o);
  }
  summary(session: string): Promise<SessionSummary | undefined> {
    return this.#board.summary(session);
  }
  /** Each session's new summary, in commit order. */
  onSummary(listener: (summary: SessionSummary) => void): () => void {
    return this.#board.onSummary(listener);
  }
  counts(): DaemonStatus["sessions"] {
    return this.#board.census.counts();
  }
  totals(): Totals {
    return this.#board.census.totals();
  }
  errors(): Readonly<Record<string, number>> {
    const errors = this.#board.census.errors();
    return this.#crashed === 0 ? errors : { ...errors, internal: (errors["internal"] ?? 0) + this.#crashed };
  }
  inFlight(): number {
    return this.#actors.size;
  }
  maxInFlight(): number {
    return this.#maxInFlight;
  }
  admission(): DaemonStatus["admission"] {
    const { limit, by } = this.#admission.limit(this.#actors.size);
    if (this.#queue.size === 0) return { limit, reason: "" };
    return { limit, reason: `${this.#queue.size} wait: ${by === "setting" ? `the setting allows ${limit} at once` : `free memory allows ${limit} at once`}` };
  }
  onLive(listener: (live: LiveText) => void): () => void {
    this.#liveListeners.add(listener);
    return () => this.#liveListeners.delete(listener);
  }
  liveTexts(session: string): readonly LiveText[] {
    return this.#actors.get(session)?.liveTexts() ?? [];
  }

  async get(session: string): Promise<Plan | undefined> {
    return (await this.#o.journal.project<{ plan: Plan | null }>("plan", session))?.plan ?? undefined;
  }
  async put(context: ToolContext, plan: Plan): Promise<void> {
    const current = await this.get(context.session);
    if (plan.revision !== (current?.revision ?? 0) + 1) throw new AppError("rev_conflict", `the plan is at revision ${current?.revision ?? 0}`);
    await this.#o.journal.apply({ session: context.session, actor: AGENT_ACTOR, epoch: context.epoch, key: `${context.run}/${context.step}/${context.callId}/plan`, kind: "plan.set", payload: { run: context.run as RunId, plan } });
  }
  ask(context: ToolContext, question: { readonly text: string; readonly options: readonly string[] }): Promise<string> {
    return this.#questions.ask(context, question);
  }

  /** Ends after each run's current durable step; what is unfinished goes on at the next start. */
  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    for (const actor of this.#actors.values()) actor.abort(abortReason("drained", "the daemon is stopping"));
    const until = this.#o.clock.monotonic() + timeoutMs;
    while ((this.#actors.size > 0 || this.#starting.size > 0) && this.#o.clock.monotonic() < until) await sleep(10);
    await this.#o.journal.apply({ session: SYSTEM_SESSION, actor: DAEMON, key: `stopped/${process.pid}/${this.#o.clock.now()}`, kind: "daemon.stopped", payload: { reason: this.#actors.size === 0 ? "drained" : `${this.#actors.size} runs did not stop in time` } }).catch((error: unknown) => this.#o.logger.log("warn", errorMessage(error)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers) clearInterval(timer);
    this.#board.close();
    for (const actor of this.#actors.values()) actor.abort(abortReason("drained", "the host closed"));
    while (this.#actors.size > 0 || this.#starting.size > 0) await sleep(5);
  }

  #enqueue(ticket: Ticket): void {
    this.#queue.push(ticket);
    this.#pump();
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      for (let i = 0; i < STARTS_PER_TURN; i++) {
        if (this.#draining || this.#actors.size + this.#starting.size >= this.#admission.limit(this.#actors.size).limit) return;
        const ticket = this.#queue.shift();
        if (ticket === undefined) return;
        void this.#run(ticket);
      }
      if (this.#queue.size > 0) this.#pump();
    });
  }

  /** One run, from lease to end. Never rejects: a bug ends this run and is counted, the others live on. */
  async #run(ticket: Ticket): Promise<void> {
    const { session, run } = ticket;
    this.#starting.add(session);
    try {
      const actor = await this.#lease(ticket);
      this.#actors.set(session, actor);
      this.#starting.delete(session);
      this.#maxInFlight = Math.max(this.#maxInFlight, this.#actors.size);
      this.#leases.take(session, this.#o.clock.monotonic());
      await actor.work();
    } catch (error) {
      await this.#failed(session, run, error);
    } finally {
      this.#starting.delete(session);
      this.#actors.delete(session);
      this.#leases.release(session);
      this.#pump();
    }
  }

  async #lease({ session, run, resumed, interactive }: Ticket): Promise<Actor> {
    const { journal, clock, logger } = this.#o;
    const summary = await this.#mustHave(session);
    const head = await journal.head(session);
    const epoch = (head?.epoch ?? 0) + 1;
    const queued = await this.#queuedBudget(session, run);
    const model = this.#o.models.resolve(summary.model);
    await journal.apply({ session, actor: DAEMON, epoch, key: `${run}/lease/${epoch}`, kind: "run.leased", payload: { run, epoch, resumed } });
    return new Actor({
      session,
      run,
      epoch,
      budget: queued.budget,
      interactive: interactive || queued.interactive,
      resumed,
      journal,
      model,
      tools: this.#o.tools(),
      clock,
      logger,
      summary: () => this.#board.known(session) ?? summary,
      live: (live) => {
        for (const listener of this.#liveListeners) listener(live);
      },
      askBudget: (detail, signal) => this.#questions.askBudget({ session, run, epoch, detail, budget: queued.budget, signal }),
    });
  }

  async #queuedBudget(session: string, run: RunId): Promise<{ budget: Budget; interactive: boolean }> {
    for (let after = 0; ; ) {
      const page = await this.#o.journal.records(session, { after, limit: PAGE });
      for (const r of page) if (r.kind === "run.queued" && r.payload.run === run) return r.payload;
      if (page.length < PAGE) return { budget: {}, interactive: false };
      after = page.at(-1)!.rev;
    }
  }

  async #failed(session: string, run: RunId, error: unknown): Promise<void> {
    if (isAppError(error) && (RESUMABLE_ABORTS.has(error.code) || error.code === "cancelled")) return;
    this.#o.logger.log("error", `session ${session} failed: ${errorMessage(error)}`, { stack: error instanceof Error ? error.stack : undefined });
    this.#crashed++;
    try {
      const summary = await this.#board.summary(session);
      if (summary?.phase !== "ended") await this.#end(session, run, "failed", errorMessage(error), { code: isAppError(error) ? error.code : "internal", class: "internal", message: errorMessage(error) });
    } catch (second) {
      this.#o.logger.log("error", `session ${session} could not be ended: ${errorMessage(second)}`);
    }
  }

  async #end(session: string, run: RunId, state: TerminalState, reason: string, error?: { code: string; class: "internal"; message: string }): Promise<void> {
    const summary = await this.#board.warm(session);
    await this.#o.journal.apply({ session, actor: DAEMON, key: `${run}/end/${state}`, kind: "run.ended", payload: { run, state, handoff: endedByDaemon(state, summary, reason), ...(error === undefined ? {} : { error }) } });
  }

  async #park(session: string, state: Exclude<RunState, { phase: "none" }>): Promise<void> {
    await this.#o.journal.apply({ session, actor: DAEMON, key: `${state.run}/park/${state.epoch}`, kind: "run.waiting", payload: { run: state.run as RunId, on: "user", detail: `${PARKED} it was running at ${state.crashes} crashes of the daemon and got nowhere between. Send it a message to try again, or cancel it.` } });
  }

  #heartbeat(): void {
    for (const session of this.#leases.tick(this.#o.clock.monotonic(), (s) => this.#actors.has(s))) this.#actors.get(session)?.abort(abortReason("lease_lost", "the lease ran out"));
  }

  async #mustHave(session: string): Promise<SessionSummary> {
    const summary = await this.#board.warm(session);
    if (summary === undefined) throw new AppError("not_found", `There is no session ${session.slice(0, 80)}.`);
    return summary;
  }

  #refuseWhileDraining(): void {
    if (this.#draining) throw new AppError("draining", "The daemon is stopping: start it again with 'swarm up'.", { retry: "later" });
  }

  #text(text: string): { stored: string | BlobWrite["ref"]; blobs: readonly BlobWrite[] } {
    if (Buffer.byteLength(text) <= INLINE_TEXT_MAX_BYTES) return { stored: text, blobs: [] };
    const write = this.#o.journal.blob(Buffer.from(text, "utf8"));
    return { stored: write.ref, blobs: [write] };
  }
}

const PARKED = "parked:";

export async function openSessionHost(options: SessionHostOptions): Promise<SessionHost> {
  return new SessionHost(options);
}

/** The same caller and key are the same session, whoever asks again. */
function derivedId(kind: "ses" | "run", actor: string, key: string): string {
  const bytes = createHash("sha256").update(`${kind}\0${actor}\0${key}`).digest();
  let out = `${kind}_`;
  for (const b of bytes.subarray(0, 16)) out += "0123456789abcdefghjkmnpqrstvwxyz"[b & 31];
  return out;
}

function titleOf(task: string): string {
  const line = task.trim().split("\n", 1)[0]!;
  return line.length <= 80 ? line : `${line.slice(0, 79).toWellFormed()}…`;
}

function definedBudget(budget: CreateSession["budget"]): Budget {
  return Object.fromEntries(Object.entries(budget ?? {}).filter(([, v]) => v !== undefined)) as Budget;
}
