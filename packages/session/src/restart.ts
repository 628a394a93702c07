import type { Journal } from "@swarm/journal";
import { SYSTEM_SESSION, type SessionSummary } from "@swarm/protocol";
import type { AnyMutation } from "@swarm/protocol/ports";
import type { Clock, RunId } from "@swarm/std";
import { DAEMON_ACTOR } from "./actor.ts";
import type { Board } from "./board.ts";
import { UNFINISHED_INDEX } from "./kinds.ts";
import type { SessionState } from "./projections.ts";
import { decideRestart, PARKED, type DaemonStart, type RunState } from "./run-state.ts";
import type { Ticket } from "./scheduler.ts";

const PAGE = 100;
/** Starts and stops looked at: older leases count as those of orderly starts. */
const HISTORY = 64;

/** What the daemon wrote of its own starts. `clean`: the process before stopped in order, or there was none. */
export async function readStarts(
  journal: Journal,
): Promise<{ readonly starts: DaemonStart[]; readonly clean: boolean }> {
  const head = await journal.head(SYSTEM_SESSION);
  if (head === undefined) return { starts: [], clean: true };
  const records = await journal.records(SYSTEM_SESSION, { after: Math.max(0, head.rev - HISTORY), limit: HISTORY });
  const starts = records.flatMap((r) => (r.kind === "daemon.started" ? [{ seq: r.seq, clean: r.payload.clean }] : []));
  return { starts, clean: records.at(-1)?.kind === "daemon.stopped" };
}

export async function recordStart(
  journal: Journal,
  clock: Clock,
  o: { readonly version: string; readonly clean: boolean; readonly resumedRuns: number },
): Promise<void> {
  const key = `started/${journal.cursor().seq}/${process.pid}/${clock.now()}`;
  const payload = { version: o.version, pid: process.pid, clean: o.clean, resumedRuns: o.resumedRuns };
  await journal.apply({ session: SYSTEM_SESSION, actor: DAEMON_ACTOR, key, kind: "daemon.started", payload });
}

export async function recordStop(journal: Journal, clock: Clock, reason: string): Promise<void> {
  const key = `stopped/${journal.cursor().seq}/${process.pid}/${clock.now()}`;
  await journal.apply({
    session: SYSTEM_SESSION,
    actor: DAEMON_ACTOR,
    key,
    kind: "daemon.stopped",
    payload: { reason },
  });
}

interface TakenUp {
  /** Runs that go on. */
  readonly tickets: Ticket[];
  readonly parked: AnyMutation[];
  /** For those that had begun: they have no owner until they get a place (H-09). */
  readonly inLine: AnyMutation[];
}

/** Brings every unfinished session into memory and decides what becomes of its run. Reads no other session. */
export async function takeUp(
  journal: Journal,
  board: Board,
  history: { readonly starts: readonly DaemonStart[]; readonly clean: boolean },
): Promise<TakenUp> {
  const tickets: Ticket[] = [];
  const parked: AnyMutation[] = [];
  const inLine: AnyMutation[] = [];
  for (let after = ""; ;) {
    const page = await journal.index(UNFINISHED_INDEX, { limit: PAGE, ...(after === "" ? {} : { after }) });
    const states = await Promise.all(page.map(({ key }) => load(journal, board, key)));
    for (const state of states) {
      if (state === undefined || state.run.phase === "none") continue;
      const { run, interactive } = state.run;
      const { id: session, group = "" } = state.summary;
      const decision = decideRestart(state.run, history.starts, history.clean);
      if (decision === "lease") {
        tickets.push({ session, run: run as RunId, group, interactive });
        const begun = state.run.phase !== "queued" && state.summary.wait?.on !== "user";
        if (begun) inLine.push(waitingForPlace(state.summary, run as RunId));
      }
      if (decision === "park") parked.push(parking(session, state.run));
    }
    if (page.length < PAGE) return { tickets, parked, inLine };
    after = page.at(-1)!.key;
  }
}

async function load(journal: Journal, board: Board, session: string): Promise<SessionState | undefined> {
  const pinned = await board.pin(session);
  pinned?.[Symbol.dispose]();
  return await journal.project<SessionState>("session", session);
}

function waitingForPlace({ id: session, epoch }: SessionSummary, run: RunId): AnyMutation {
  const payload = { run, on: "capacity", detail: "in line after a restart" } as const;
  return { session, actor: DAEMON_ACTOR, key: `${run}/in-line/${epoch}`, kind: "run.waiting", payload };
}

function parking(session: string, state: Exclude<RunState, { phase: "none" }>): AnyMutation {
  const run = state.run as RunId;
  const detail = `${PARKED} the daemon crashed ${state.leases.length + 1} times while it ran, and it got nowhere between. Send it a message to try again, or cancel it.`;
  return {
    session,
    actor: DAEMON_ACTOR,
    key: `${run}/parked/${state.leases.at(-1) ?? 0}`,
    kind: "run.waiting",
    payload: { run, on: "user", detail },
  };
}
