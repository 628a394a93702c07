import type { ServerFrame, SessionsState, SessionSummary } from "@swarm/protocol";
import { connectStream, type ApiClient, type StreamConnection } from "@swarm/sync/client";
import type { ClientTally } from "../report/raw.ts";

/** The audience of a tier: real WebSocket clients on every topic, one of them slow to read. */
export interface Audience extends AsyncDisposable {
  /** Newest summary of each session that was ever seen. */
  readonly summaries: ReadonlyMap<string, SessionSummary>;
  tallies(): ClientTally[];
}

export const CLIENTS = 4;
/** The slow client blocks its reader this long per message: it must slow nobody and miss nothing. */
const SLOW_MS = 20;

export function openAudience(api: () => ApiClient): Audience {
  const summaries = new Map<string, SessionSummary>();
  const members = Array.from({ length: CLIENTS }, (_, i) => {
    const slow = i === CLIENTS - 1;
    const tally = {
      name: slow ? "slow" : `client ${i + 1}`,
      frames: 0,
      events: 0,
      duplicates: 0,
      last: new Map<string, number>(),
    };
    const stream: StreamConnection = connectStream({
      api,
      topics: ["sessions", "session:*", "system"],
      onFrame: (frame: ServerFrame) => {
        tally.frames++;
        if (slow) busyWait(SLOW_MS / 20);
        if (frame.type === "snapshot" && frame.topic === "sessions")
          for (const s of (frame.state as SessionsState).sessions) keep(summaries, s);
        if (frame.type !== "event") return;
        tally.events++;
        if (frame.seq <= (tally.last.get(frame.topic) ?? 0)) tally.duplicates++;
        tally.last.set(frame.topic, frame.seq);
        if ("session" in frame) keep(summaries, frame.session);
      },
    });
    return { tally, stream };
  });
  return {
    summaries,
    tallies: () =>
      members.map(({ tally, stream }) => ({
        name: tally.name,
        frames: tally.frames,
        events: tally.events,
        duplicates: tally.duplicates,
        gaps: stream.gaps,
        reconnects: stream.reconnects,
      })),
    async [Symbol.asyncDispose]() {
      for (const { stream } of members) stream.close();
    },
  };
}

function keep(summaries: Map<string, SessionSummary>, summary: SessionSummary): void {
  const known = summaries.get(summary.id);
  if (known === undefined || known.rev <= summary.rev) summaries.set(summary.id, summary);
}

function busyWait(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
