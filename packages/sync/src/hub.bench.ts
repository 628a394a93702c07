/**
 * What the fanout costs: 100 sessions that each stream 16 KB in four pieces a flush and write 8 records, 4 clients on
 * everything. CPU of the hub alone (the sockets count bytes), less what the same load costs without a client.
 *
 *   node packages/sync/src/hub.bench.ts
 */
import type { CommittedRecord } from "@swarm/journal";
import type { AnyRecord, DaemonStatus, LiveText, SessionSummary } from "@swarm/protocol";
import { createHub, type Hub } from "./index.ts";

const SESSIONS = 100;
const CLIENTS = 4;
const TICKS = 170;
const PIECES_PER_TICK = 4;
const PIECE = 'const x = "<i>"; // 24 c';
const RECORDS = 8;
const NOTE = "n".repeat(700);

interface Load {
  readonly hub: Hub;
  readonly commit: (session: string) => void;
  readonly live: (live: LiveText) => void;
}

function load(): Load {
  let seq = 0;
  const revs = new Map<string, number>();
  let onCommit: (batch: readonly CommittedRecord[]) => void = () => {};
  let onLive: (live: LiveText) => void = () => {};
  let onSummary: (summary: SessionSummary) => void = () => {};
  const hub = createHub({
    source: {
      incarnation: "i",
      cursor: () => ({ incarnation: "i", seq }),
      records: async () => [],
      recordsSince: async () => [],
      onCommit: (listener) => {
        onCommit = listener;
        return () => {};
      },
    },
    sessions: {
      list: async () => ({ items: [], next: null }),
      onSummary: (listener) => {
        onSummary = listener;
        return () => {};
      },
      onLive: (listener) => {
        onLive = listener;
        return () => {};
      },
      liveTexts: () => [],
    },
    status: () => ({}) as DaemonStatus,
  });
  return {
    hub,
    live: (live) => onLive(live),
    commit: (session) => {
      const rev = (revs.get(session) ?? 0) + 1;
      revs.set(session, rev);
      const payload = { rev, note: NOTE };
      const record: AnyRecord = { seq: ++seq, session, rev, kind: "session.seen", at: 0, actor: "daemon", payload };
      onSummary({
        id: session,
        rev,
        seq,
        title: NOTE.slice(0, 300),
        now: NOTE.slice(0, 200),
      } as unknown as SessionSummary);
      onCommit([{ record, json: JSON.stringify(record) }]);
    },
  };
}

async function run(clients: number): Promise<{ cpuMs: number; bytes: number; messages: number }> {
  const { hub, commit, live } = load();
  let bytes = 0;
  let messages = 0;
  for (let i = 0; i < clients; i++) {
    const attached = hub.attach({
      send: (data) => {
        bytes += data.byteLength;
        if (messages++ % 60 === 59) attached.message(JSON.stringify({ type: "ack", seq: Number.MAX_SAFE_INTEGER }));
      },
      bufferedAmount: 0,
      close() {},
    });
    attached.message('{"type":"hello","version":1}');
    for (const topic of ["sessions", "session:*", "system"])
      attached.message(JSON.stringify({ type: "subscribe", topic }));
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  const names = Array.from({ length: SESSIONS }, (_, i) => `ses_${i}`);
  const before = process.cpuUsage();
  let offset = 0;
  for (let tick = 0; tick < TICKS; tick++) {
    for (let piece = 0; piece < PIECES_PER_TICK; piece++) {
      for (const session of names)
        live({ session, run: `run_${session}`, step: 1, stream: "args:0", offset, text: PIECE });
      offset += PIECE.length;
    }
    if (tick % Math.ceil(TICKS / RECORDS) === 0) for (const session of names) commit(session);
    hub.flush();
  }
  const { user, system } = process.cpuUsage(before);
  hub[Symbol.dispose]();
  return { cpuMs: (user + system) / 1000, bytes, messages };
}

await run(CLIENTS); // compiled
for (let round = 0; round < 5; round++) {
  const alone = await run(0);
  const served = await run(CLIENTS);
  const cost = ((served.cpuMs - alone.cpuMs) / SESSIONS).toFixed(2);
  const size = `${(served.bytes / 1e6).toFixed(1)} MB in ${served.messages} messages`;
  console.log(
    `${cost} ms CPU a session for ${CLIENTS} clients, ${size}; the load alone ${(alone.cpuMs / SESSIONS).toFixed(2)} ms`,
  );
}
