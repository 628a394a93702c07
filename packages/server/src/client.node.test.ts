/** The client that programs and the desktop use, against this server: every route it names must be one of the table. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedRecord } from "@swarm/journal";
import type { AnyRecord, DaemonStatus, ServerFrame } from "@swarm/protocol";
import { createHub, type HubSource } from "@swarm/sync";
import { ApiError, connectStream, createApiClient } from "@swarm/sync/client";
import { AppError } from "@swarm/std";
import { fixture, TOKEN } from "./testing/fixture.ts";

test("every call of the client finds its route, its method and its body", async () => {
  await using f = await fixture();
  for (const baseUrl of [f.server.addresses.api, f.server.addresses.desktop]) {
    const api = createApiClient({ baseUrl, token: TOKEN });
    const calls: Record<Exclude<keyof typeof api, "baseUrl" | "token">, () => Promise<unknown>> = {
      status: () => api.status(),
      diagnostics: () => api.diagnostics(),
      resetDiagnostics: () => api.resetDiagnostics(),
      models: () => api.models(),
      usage: () => api.usage(),
      signingKey: () => api.signingKey(),
      createLoginCode: () => api.createLoginCode(),
      rotateToken: () => api.rotateToken(),
      streamTicket: () => api.streamTicket(),
      createSession: () => api.createSession({ task: "x" }, "key"),
      sessions: () => api.sessions({ limit: 5, after: "a", group: "g h" }),
      session: () => api.session("ses_1"),
      records: () => api.records("ses_1", { after: 3, limit: 2 }),
      plan: () => api.plan("ses_1"),
      addMessage: () => api.addMessage("ses_1", { text: "go on" }),
      answer: () => api.answer("ses_1", { question: "q", answer: "a" }),
      cancel: () => api.cancel("ses_1"),
      seen: () => api.seen("ses_1"),
      cancelMany: () => api.cancelMany({}),
      artifacts: () => api.artifacts(),
      artifact: () => api.artifact("art_1"),
      artifactContent: () => api.artifactContent("art_1", 2),
      artifactFrame: () => api.artifactFrame("art_1", { revision: 1 }),
      blob: () => api.blob("abc"),
      text: () => api.text("abc"),
      stop: () => api.stop(),
    };
    assert.deepEqual(
      Object.keys(calls).sort(),
      Object.keys(api)
        .filter((name) => name !== "baseUrl" && name !== "token")
        .sort(),
    );
    for (const [name, call] of Object.entries(calls)) await assert.doesNotReject(call, name);
  }
});

test("what was asked reaches the command as it was said, and the answer comes back", async () => {
  const seen: unknown[] = [];
  await using f = await fixture({
    commands: {
      sessions: async (o) => (seen.push(o), { items: [], next: "c" }),
      createSession: async (body, actor, key) => (seen.push([body, actor, key]), { session: "ses_9", run: "run_9" }),
      records: async (id, o) => (seen.push([id, o]), { items: [], next: null }),
      addMessage: async () => {
        throw new AppError("draining", "stopping");
      },
    },
  });
  const api = createApiClient({ baseUrl: f.server.addresses.api, token: TOKEN });
  assert.equal((await api.sessions({ group: "a/b & c", limit: 1000 })).next, "c");
  await api.sessions();
  assert.deepEqual(await api.createSession({ task: "ü" }, "k1"), { session: "ses_9", run: "run_9" });
  await api.records("ses_1", { after: 7 });
  assert.deepEqual(seen, [
    { limit: 1000, group: "a/b & c" },
    { limit: 100 },
    [{ task: "ü" }, "client:id", "k1"],
    ["ses_1", { limit: 100, after: 7 }],
  ]);
  await assert.rejects(
    api.addMessage("ses_1", { text: "x" }),
    (e: ApiError) => e.code === "draining" && e.problem.status === 503,
  );
  await assert.rejects(
    api.sessions({ limit: 1001 }),
    (e: ApiError) => e.code === "bad_request" && /limit/.test(e.message),
  );
  await assert.rejects(
    createApiClient({ baseUrl: f.server.addresses.api, token: "wrong" }).status(),
    (e: ApiError) => e.code === "unauthorized",
  );
});

test(
  "the client's stream gets its snapshot and what is committed after it, through the real door and hub",
  { timeout: 20_000 },
  async (t) => {
    let commit: (batch: readonly CommittedRecord[]) => void = () => {};
    const records: AnyRecord[] = [];
    const source: HubSource = {
      incarnation: "inc1",
      cursor: () => ({ incarnation: "inc1", seq: records.length }),
      records: async (session, o) =>
        records.filter((r) => r.session === session && r.rev > (o.after ?? 0)).slice(0, o.limit),
      recordsSince: async (seq, limit) => records.filter((r) => r.seq > seq).slice(0, limit),
      onCommit: (listener) => {
        commit = listener;
        return () => {};
      },
    };
    const add = (): CommittedRecord => {
      const record = {
        session: "ses_1",
        seq: records.length + 1,
        rev: records.length + 1,
        kind: "message.added",
        payload: {},
      } as unknown as AnyRecord;
      records.push(record);
      return { record, json: JSON.stringify(record) };
    };
    add();
    using hub = createHub({
      source,
      sessions: {
        list: async () => ({ items: [], next: null }),
        onSummary: () => () => {},
        onLive: () => () => {},
        liveTexts: () => [],
      },
      status: () => ({ pid: 1 }) as unknown as DaemonStatus,
    });
    await using f = await fixture({ hub });
    const frames: ServerFrame[] = [];
    const waiting = new Map<string, () => void>();
    const frame = (type: string): Promise<void> =>
      frames.some((x) => x.type === type)
        ? Promise.resolve()
        : new Promise((resolve, reject) => {
            waiting.set(type, resolve);
            t.signal.addEventListener("abort", () => reject(new Error(`no ${type} came`)));
          });
    const stream = connectStream({
      api: () => createApiClient({ baseUrl: f.server.addresses.desktop, token: TOKEN }),
      topics: ["session:ses_1"],
      onFrame: (x) => {
        frames.push(x);
        waiting.get(x.type)?.();
      },
    });
    try {
      await frame("caught-up");
      commit([add()]);
      await frame("event");
      const event = frames.find((x) => x.type === "event");
      assert.deepEqual([event?.seq, event?.prev, stream.gaps, stream.state], [2, 1, 0, "open"]);
      assert.deepEqual(
        frames.map((x) => x.type).filter((t) => t !== "status"),
        ["welcome", "snapshot", "caught-up", "event"],
      );
    } finally {
      stream.close();
    }
  },
);
