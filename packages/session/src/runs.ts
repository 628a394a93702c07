import type { CommittedRecord, Journal } from "@swarm/journal";
import type { DaemonStatus, SessionSummary } from "@swarm/protocol";
import { errorMessage, isAppError, sleep, type Clock, type Logger, type RunId } from "@swarm/std";
import { Actor, DAEMON_ACTOR, isHandedOver, type ActorWorld } from "./actor.ts";
import type { AdmissionLimits } from "./admission.ts";
import { endedByDaemon } from "./ended.ts";
import { HEARTBEAT_MS, Leases } from "./leases.ts";
import { Scheduler, type Ticket } from "./scheduler.ts";

/** A cancelled run that has not ended by then loses its lease: its owner hangs. */
const CANCEL_GRACE_MS = 800;
/** How long a drain lets runs reach a durable point before their streams and tools are aborted. */
const DRAIN_SOFT_MS = 1_000;
const DISPOSE_MS = 5_000;

export interface RunsOptions {
  readonly limits: AdmissionLimits;
  readonly leaseMs?: number;
}

/** The runs that are under way: who begins when, who holds a lease, who is stopped. One actor per session. */
export class Runs implements AsyncDisposable {
  readonly #world: ActorWorld;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #scheduler: Scheduler;
  readonly #leases: Leases;
  readonly #actors = new Map<string, Actor>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #undo: () => void;
  #maxInFlight = 0;
  /** Runs that failed by a fault of ours and could not even be ended. */
  #unrecorded = 0;

  constructor(world: ActorWorld, options: RunsOptions) {
    const { journal, clock, logger } = world;
    this.#world = world;
    this.#journal = journal;
    this.#clock = clock;
    this.#logger = logger;
    this.#scheduler = new Scheduler({
      limits: options.limits,
      clock,
      busy: () => this.#busy(),
      begin: (ticket) => this.#begin(ticket),
    });
    this.#leases = new Leases(clock.monotonic(), options.leaseMs);
    this.#undo = journal.onCommit((batch) => this.#watchLeases(batch));
    this.#heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  get size(): number {
    return this.#actors.size;
  }
  get maxInFlight(): number {
    return this.#maxInFlight;
  }
  get unrecorded(): number {
    return this.#unrecorded;
  }
  admission(): DaemonStatus["admission"] {
    return this.#scheduler.admission();
  }
  leases(): ReturnType<Leases["stats"]> {
    return this.#leases.stats();
  }

  find(session: string): Actor | undefined {
    return this.#actors.get(session);
  }
  has(session: string): boolean {
    return this.#actors.has(session) || this.#scheduler.has(session);
  }
  enqueue(ticket: Ticket): void {
    this.#scheduler.enqueue(ticket);
  }
  /** Takes a run out of the line. */
  remove(session: string): void {
    this.#scheduler.remove(session);
  }
  /** Nothing begins between `hold` and `release`. */
  hold(): void {
    this.#scheduler.hold();
  }
  release(): void {
    this.#scheduler.release();
  }
  /** A place may have become free. */
  pump(): void {
    this.#scheduler.pump();
  }

  /** An unfinished run that nobody runs: it was parked, or its process ended while it asked. */
  takeUpAgain({ id: session, run, group = "", phase }: SessionSummary): void {
    if (run === undefined || phase !== "waiting" || this.#actors.has(session)) return;
    this.#scheduler.enqueue({ session, run: run as RunId, group, interactive: true });
  }

  /** Resolves when the run's end is durable, or is being written to a store that takes no writes now. */
  async cancel(actor: Actor, reason: string): Promise<void> {
    actor.cancel(reason);
    await settled([actor], CANCEL_GRACE_MS);
    const { session, run } = actor.ticket;
    if (this.#actors.get(session) !== actor || actor.finishing) return;
    // it hangs in something that does not hear the signal: the daemon takes the lease, what it writes later is fenced
    this.#letGo(actor);
    actor.stop("lease_lost", reason);
    const epoch = ((await this.#journal.head(session))?.epoch ?? 0) + 1;
    const handoff = endedByDaemon("cancelled", this.#world.board.known(session), reason);
    const base = { session, actor: DAEMON_ACTOR } as const;
    await this.#journal.apply([
      { ...base, key: `${run}/revoked/${epoch}`, kind: "run.leased", payload: { run, epoch, resumed: false } },
      { ...base, epoch, key: `${run}/cancelled`, kind: "run.ended", payload: { run, state: "cancelled", handoff } },
    ]);
    this.#scheduler.pump();
  }

  /** Stops every run at its next durable point, then where it is. Answers how many did not stop in time. */
  async drain(timeoutMs: number): Promise<number> {
    this.#scheduler.stop();
    const all = [...this.#actors.values()];
    for (const actor of all) {
      // who waits for a person is at a durable point
      if (this.#world.questions.isAsking(actor.ticket.session)) actor.stop("drained", "the daemon is stopping");
      else actor.drain();
    }
    const soft = Math.min(DRAIN_SOFT_MS, timeoutMs / 2);
    await settled(all, soft);
    for (const actor of this.#actors.values()) actor.stop("drained", "the daemon is stopping");
    await settled(all, timeoutMs - soft);
    return this.#actors.size;
  }

  /** Renews the leases. Called once a second; by tests with a clock of their own. */
  beat(): void {
    const owns = (session: string): boolean => {
      const mine = this.#actors.get(session)?.epoch;
      return mine === undefined || mine === this.#world.board.known(session)?.epoch;
    };
    for (const session of this.#leases.beat(this.#clock.monotonic(), owns)) {
      this.#actors.get(session)?.stop("lease_lost", "the lease ran out");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#scheduler.stop();
    clearInterval(this.#heartbeat);
    const all = [...this.#actors.values()];
    for (const actor of all) actor.stop("drained", "the host closed");
    await settled(all, DISPOSE_MS);
    this.#undo();
  }

  /** Those that wait for a person need no place. */
  #busy(): number {
    return this.#actors.size - this.#world.questions.asking;
  }

  #begin(ticket: Ticket): void {
    const actor = new Actor(ticket, this.#world);
    this.#actors.set(ticket.session, actor);
    this.#maxInFlight = Math.max(this.#maxInFlight, this.#actors.size);
    void this.#run(actor);
  }

  /** One run from lease to end. Never rejects: a fault of ours ends this run and is counted, the others live on. */
  async #run(actor: Actor): Promise<void> {
    this.#leases.take(actor.ticket.session, this.#clock.monotonic());
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
    const summary = this.#world.board.known(session);
    if (summary?.run !== run || summary.phase === "ended") return; // refused because it had been ended
    const stack = error instanceof Error ? error.stack : undefined;
    this.#logger.log("error", `run ${run} of session ${session} failed: ${message}`, { stack });
    const code = isAppError(error) ? error.code : "internal";
    try {
      await actor.end("failed", message, { code, class: "internal", message });
    } catch (second) {
      if (isHandedOver(second)) return;
      this.#unrecorded++;
      this.#logger.log("error", `session ${session} could not be ended: ${errorMessage(second)}`);
    }
  }

  /** Another owner's lease ends ours in the same turn. */
  #watchLeases(batch: readonly CommittedRecord[]): void {
    for (const { record } of batch) {
      if (record.kind !== "run.leased") continue;
      const actor = this.#actors.get(record.session);
      if (actor?.epoch === undefined || record.payload.epoch <= actor.epoch) continue;
      actor.stop("lease_lost", "another owner took the lease");
    }
  }
}

/** Waits for actors to be done, at most so long. */
async function settled(actors: readonly Actor[], ms: number): Promise<void> {
  if (actors.length === 0) return;
  const timer = new AbortController();
  const late = sleep(ms, timer.signal).catch(() => {});
  await Promise.race([Promise.all(actors.map(({ done }) => done)), late]);
  timer.abort();
}
