import type { AnyRecord, DaemonStatus, LiveText, ServerFrame, SessionSummary } from "@swarm/protocol";
import { batch, createContext, createSignal, useContext, type Accessor, type Setter } from "solid-js";
import { createFrames, type Frames } from "./frames.ts";
import { createStills, type Stills } from "./blobs.ts";
import { clock } from "./clock.ts";
import type { DaemonApi } from "./api.ts";
import { openLine, type LinkState } from "./line.ts";

/** No word from the daemon for this long: what is on the page is no longer the truth. A status comes every second. */
export const STALE_AFTER_MS = 2500;
const CHECK_EVERY_MS = 250;
/** An open line that is silent for this long is given up and made anew. */
const SILENT_LINE_MS = 10_000;
/** Output tokens per second are read over the newest statuses of this long. */
const RATE_WINDOW_MS = 10_000;

export interface TopicTaker {
  snapshot(state: { readonly records: readonly AnyRecord[]; readonly live: readonly LiveText[] }): void;
  record(record: AnyRecord): void;
  live(live: LiveText): void;
}

/** Everything the page knows of the daemon, as signals. Repaints are gathered: at most one per animation frame. */
export interface Daemon {
  readonly api: DaemonApi;
  readonly stills: Stills;
  readonly frames: Frames;
  /** Every session in creation order; a new array after a change. */
  readonly sessions: Accessor<readonly SessionSummary[]>;
  readonly loaded: Accessor<boolean>;
  session(id: string): SessionSummary | undefined;
  readonly status: Accessor<DaemonStatus | undefined>;
  readonly link: Accessor<LinkState>;
  /** Wall ms of the last word from the daemon when it is silent; undefined while the page is true. */
  readonly staleSince: Accessor<number | undefined>;
  /** Seq up to which this page has everything. */
  readonly seq: Accessor<number>;
  readonly tokensPerSecond: Accessor<number | undefined>;
  follow(session: string, taker: TopicTaker): () => void;
  /** The token is no longer good. */
  refuse(): void;
  connectNow(): void;
  close(): void;
}

export function createDaemon(api: DaemonApi): Daemon {
  const rows = new Map<string, { get: Accessor<SessionSummary>; set: Setter<SessionSummary> }>();
  const [sessions, setSessions] = createSignal<readonly SessionSummary[]>([]);
  const [loaded, setLoaded] = createSignal(false);
  const [status, setStatus] = createSignal<DaemonStatus | undefined>(undefined);
  const [link, setLink] = createSignal<LinkState>("connecting");
  const [staleSince, setStaleSince] = createSignal<number | undefined>(undefined);
  const [seq, setSeq] = createSignal(0);
  const [tokensPerSecond, setRate] = createSignal<number | undefined>(undefined);
  const takers = new Map<string, Set<TopicTaker>>();
  const rates: { at: number; output: number }[] = [];
  const changed = new Map<string, SessionSummary>();
  let snapshot: readonly SessionSummary[] | undefined;
  let heardAt = clock.now();
  let incarnation: string | undefined;
  let newest = 0;
  let renewedAt = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    if (document.visibilityState === "visible") requestAnimationFrame(flush);
    else setTimeout(flush, CHECK_EVERY_MS);
  }

  function flush(): void {
    scheduled = false;
    batch(() => {
      setSeq(newest);
      const whole = snapshot;
      if (whole) {
        snapshot = undefined;
        const known = new Set(whole.map((s) => s.id));
        for (const id of rows.keys()) if (!known.has(id)) rows.delete(id);
        for (const session of whole) put(session);
      }
      for (const session of changed.values()) put(session);
      if (whole || changed.size > 0) setSessions([...rows.values()].map((row) => row.get()));
      if (whole) setLoaded(true);
      changed.clear();
    });
  }

  function put(session: SessionSummary): void {
    const row = rows.get(session.id);
    if (row) return void (session.seq >= row.get().seq && row.set(session)); // a snapshot may be older than an event
    const [get, set] = createSignal(session);
    rows.set(session.id, { get, set });
  }

  function takeStatus(next: DaemonStatus): void {
    const at = clock.now();
    const output = next.totals.output;
    if ((rates.at(-1)?.output ?? 0) > output) rates.length = 0; // another daemon counts anew
    rates.push({ at, output });
    while (rates.length > 2 && at - rates[0]!.at > RATE_WINDOW_MS) rates.shift();
    const first = rates[0]!;
    batch(() => {
      setStatus(next);
      setRate(at > first.at ? ((output - first.output) * 1000) / (at - first.at) : undefined);
    });
  }

  function takeFrame(frame: ServerFrame): void {
    heardAt = clock.now();
    if (staleSince() !== undefined && link() === "open") setStaleSince(undefined);
    switch (frame.type) {
      case "welcome":
        if (incarnation !== undefined && incarnation !== frame.incarnation) {
          rows.clear(); // another journal: nothing of the old one holds
          changed.clear();
          newest = 0;
        }
        incarnation = frame.incarnation;
        newest = Math.max(newest, frame.seq);
        return schedule();
      case "snapshot":
        newest = Math.max(newest, frame.seq);
        if ("sessions" in frame.state && Array.isArray(frame.state.sessions)) snapshot = [...frame.state.sessions];
        else if ("records" in frame.state) for (const t of takers.get(frame.topic) ?? []) t.snapshot(frame.state);
        else takeStatus(frame.state as DaemonStatus);
        return schedule();
      case "event":
        newest = Math.max(newest, frame.seq);
        if ("session" in frame) changed.set(frame.session.id, frame.session);
        else for (const t of takers.get(frame.topic) ?? []) t.record(frame.record);
        return schedule();
      case "live":
        for (const t of takers.get(frame.topic) ?? []) t.live(frame);
        return;
      case "status":
        return takeStatus(frame.status);
      case "caught-up":
        newest = Math.max(newest, frame.seq);
        return schedule();
      case "lagging":
      case "gone":
      case "error":
        return; // the line asks again by itself; the link state says when it cannot
    }
  }

  function check(): void {
    const silent = clock.now() - heardAt > STALE_AFTER_MS;
    if ((silent || link() === "lost") && staleSince() === undefined) setStaleSince(heardAt);
    if (link() !== "open" || clock.now() - Math.max(heardAt, renewedAt) < SILENT_LINE_MS) return;
    renewedAt = clock.now();
    line.renew();
  }

  const line = openLine(api, {
    frame: takeFrame,
    link(next) {
      if (link() === "refused") return;
      setLink(next);
      if (next === "lost") check();
    },
  });
  line.subscribe("system");
  line.subscribe("sessions");
  const timer = setInterval(check, CHECK_EVERY_MS);

  return {
    api,
    stills: createStills(api),
    frames: createFrames(api),
    sessions,
    loaded,
    session: (id) => {
      sessions(); // a session that is not here yet may come
      return rows.get(id)?.get();
    },
    status,
    link,
    staleSince,
    seq,
    tokensPerSecond,
    follow(session, taker) {
      const topic = `session:${session}`;
      const set = takers.get(topic) ?? new Set();
      takers.set(topic, set.add(taker));
      line.subscribe(topic);
      return () => {
        set.delete(taker);
        if (set.size > 0) return;
        takers.delete(topic);
        line.unsubscribe(topic);
      };
    },
    refuse() {
      setLink("refused");
      line.close();
    },
    connectNow: () => line.renew(),
    close() {
      clearInterval(timer);
      line.close();
    },
  };
}

export const DaemonContext = createContext<Daemon>();

export function useDaemon(): Daemon {
  const daemon = useContext(DaemonContext);
  if (daemon === undefined) throw new Error("no daemon in this part of the page");
  return daemon;
}
