import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request, Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isBlobRef, type SessionSummary, type StoredText } from "@swarm/protocol";
import { quantileOf, sleep } from "@swarm/std";
import { daemonCommand, ensureDaemon, readToken, stopDaemon } from "@swarm/launcher";
import { createApiClient, type ApiClient } from "@swarm/sync/client";
import { descendants, readProcess, TICKS_PER_S } from "@swarm/telemetry/sampler";
import { LineProcess } from "./process.ts";
import { countSyncs } from "./syncs.ts";

export interface SessionsRun {
  readonly n: number;
  readonly ok: number;
  readonly failed: number;
  readonly maxInFlightAtServer: number;
  readonly wallS: number;
  readonly idealS: number;
  readonly firstRequestP50Ms: number;
  readonly peakRssMib: number;
  readonly baseRssMib: number;
  readonly marginalMib: number;
  readonly cpuPerSessionS: number;
  readonly diskPerSessionKb: number;
  readonly syncs: number | null;
  readonly eventsDelivered: number;
  readonly textHashesOk: boolean;
  readonly loopDelayP99Ms: number;
  readonly gaps: number;
  readonly internalErrors: number;
  readonly serverLateMeanMs: number;
  readonly checker: { readonly peakRssMib: number; readonly cpuPerSessionS: number };
}

/** Two first tokens of 300 ms, 1,360 and 12 events of 2 ms. */
const IDEAL_S = 0.6 + (1362 + 12) * 0.002;
const REST_MS = 5_000;

interface ServerStats {
  readonly maxOpen: number;
  readonly arrivals: readonly number[];
  readonly lateMeanMs: number;
}
interface ClientReport {
  readonly events: number;
  readonly duplicates: number;
  readonly holes: number;
  readonly gaps: number;
  readonly texts: Readonly<Record<string, { sha256: string; length: number }>>;
}

export async function runOnce(options: { n: number; root: string; traceSyncs: boolean }): Promise<SessionsRun> {
  const { n, root } = options;
  const home = mkdtempSync(join(tmpdir(), "swarm-bench-"));
  try {
    await using server = new LineProcess([join(root, "apps/century/src/bench/scripted-server.ts")]);
    const { port } = await server.next<{ port: number }>();
    const stats = async (path: string): Promise<ServerStats> =>
      (await (await fetch(`http://127.0.0.1:${port}/${path}`)).json()) as ServerStats;
    const provider = JSON.stringify({
      name: "bench",
      wire: "chat",
      baseURL: `http://127.0.0.1:${port}/v1`,
      simulated: true,
    });
    const command = daemonCommand(root);
    const { daemon } = await ensureDaemon({
      home,
      command,
      args: [
        "--api-port",
        "0",
        "--desktop-port",
        "0",
        "--artifact-port",
        "0",
        "--no-sim",
        "--no-runtime-gate",
        "--provider",
        provider,
        "--default-model",
        "bench/card",
      ],
      env: { ...process.env, SWARM_ROOT: root },
    });
    const token = readToken(home)!;
    const api = createApiClient({ baseUrl: daemon.api, token });
    await using clients = new LineProcess([join(root, "apps/century/src/bench/clients.ts"), daemon.api, token]);
    await untilClients(api, 4);

    const warm = await api.createSession({ task: "Build the card of the warm-up.", profile: "builder" }, "warm-up");
    await untilEnded(api, 1);
    if ((await api.session(warm.session)).state !== "delivered")
      throw new Error(`the warm-up session did not deliver: ${(await api.session(warm.session)).now}`);
    await sleep(REST_MS);
    const base = readProcess(daemon.pid)!;
    resetPeak(daemon.pid);
    await stats("reset");
    await clients.ask("reset");
    await api.resetDiagnostics();
    const checkerPid = descendants(daemon.pid)[0];
    const checkerBefore = checkerPid === undefined ? undefined : readProcess(checkerPid);
    const stopTrace = options.traceSyncs ? await countSyncs(daemon.pid) : undefined;

    const startedAt = Date.now();
    const started = performance.now();
    const sessions = await createAll(daemon.api, token, n);
    await untilEnded(api, n + 1);
    const wallS = (performance.now() - started) / 1000;
    const syncs = stopTrace === undefined ? null : await stopTrace();
    const after = readProcess(daemon.pid)!;
    const checkerAfter = checkerPid === undefined ? undefined : readProcess(checkerPid);
    const diagnostics = await api.diagnostics();
    const served = await stats("stats");
    await sleep(300);
    const reports = await clients.ask<ClientReport[]>("report");
    const summaries: SessionSummary[] = [];
    for (const id of sessions) summaries.push(await api.session(id));
    const textHashesOk = await compareTexts(api, sessions, reports);
    const ok = summaries.filter((s) => s.state === "delivered").length;
    for (const s of summaries.filter((s) => s.state !== "delivered").slice(0, 3))
      console.error(`not delivered: ${s.id} ${s.state ?? s.phase}: ${s.now}`);
    await stopDaemon(home);
    const cpu = after.utimeTicks + after.stimeTicks - base.utimeTicks - base.stimeTicks;
    const checkerCpu =
      checkerAfter && checkerBefore
        ? checkerAfter.utimeTicks + checkerAfter.stimeTicks - checkerBefore.utimeTicks - checkerBefore.stimeTicks
        : 0;
    return {
      n,
      ok,
      failed: n - ok,
      maxInFlightAtServer: served.maxOpen,
      wallS,
      idealS: IDEAL_S,
      firstRequestP50Ms:
        quantileOf(
          served.arrivals.map((at) => at - startedAt),
          0.5,
        ) ?? Number.NaN,
      peakRssMib: after.hwmKb / 1024,
      baseRssMib: base.rssKb / 1024,
      marginalMib: (after.hwmKb - base.rssKb) / 1024 / n,
      cpuPerSessionS: cpu / TICKS_PER_S / n,
      diskPerSessionKb: await diskPerSessionKb(command, home, n + 1),
      syncs,
      eventsDelivered: reports.reduce((sum, r) => sum + r.events, 0),
      textHashesOk,
      loopDelayP99Ms: diagnostics.runtime.loopDelayP99Ms ?? Number.NaN,
      gaps: reports.reduce((sum, r) => sum + r.gaps + r.duplicates, 0),
      internalErrors: diagnostics.sessions.internalErrors,
      serverLateMeanMs: served.lateMeanMs,
      checker: {
        peakRssMib: checkerAfter ? checkerAfter.hwmKb / 1024 : Number.NaN,
        cpuPerSessionS: checkerCpu / TICKS_PER_S / n,
      },
    };
  } finally {
    await stopDaemon(home);
    rmSync(home, { recursive: true, force: true });
  }
}

/** The kernel forgets the peak of the warm-up: VmHWM starts again at the present size. */
function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // not permitted here: the peak then includes the warm-up, which can only make our figure worse
  }
}

async function untilClients(api: ApiClient, count: number): Promise<void> {
  while ((await api.status()).clients < count) await sleep(50);
}

async function untilEnded(api: ApiClient, count: number): Promise<void> {
  while ((await api.status()).sessions.ended < count) await sleep(25);
}

/** All sessions at once, over kept connections, by the bare HTTP client: this process must not be what is measured. */
async function createAll(base: string, token: string, n: number): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const url = new URL(`${base}/v1/sessions`);
  const nonce = randomUUID();
  const one = (i: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        url,
        {
          method: "POST",
          agent,
          headers: {
            "content-type": "application/json",
            authorization: `Bearer ${token}`,
            "idempotency-key": `${nonce}-${i}`,
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => (text += part));
          response.on("end", () =>
            response.statusCode === 201
              ? resolve((JSON.parse(text) as { session: string }).session)
              : reject(new Error(`${response.statusCode}: ${text}`)),
          );
        },
      );
      outgoing.on("error", reject);
      outgoing.end(JSON.stringify({ task: `Build card ${i}.`, profile: "builder", title: `Card ${i}` }));
    });
  const ids = await Promise.all(Array.from({ length: n }, (_, i) => one(i)));
  agent.destroy();
  return ids;
}

/** Each client's hash of each streamed text against the text that the journal kept. */
async function compareTexts(
  api: ApiClient,
  sessions: readonly string[],
  reports: readonly ClientReport[],
): Promise<boolean> {
  let wrong = 0;
  let compared = 0;
  const text = async (stored: StoredText): Promise<string> => (isBlobRef(stored) ? api.text(stored.blob) : stored);
  const check = (key: string, kept: string): void => {
    if (kept === "") return;
    const sha256 = createHash("sha256").update(kept).digest("hex");
    for (const report of reports) {
      compared++;
      if (report.texts[key]?.sha256 !== sha256) wrong++;
    }
  };
  for (const session of sessions) {
    for (const record of (await api.records(session, { limit: 500 })).items) {
      if (record.kind !== "step.finished") continue;
      const { step, calls } = record.payload;
      check(`${session}/${step}/text`, await text(record.payload.text));
      for (const [index, call] of calls.entries()) check(`${session}/${step}/args:${index}`, await text(call.args));
    }
  }
  if (wrong > 0) console.error(`${wrong} of ${compared} text hashes differ`);
  return wrong === 0 && compared >= sessions.length * reports.length * 2;
}

/** The data directory after a clean stop, opened again and compacted, blobs left out. The daemon's own file does it. */
async function diskPerSessionKb(command: readonly string[], home: string, sessions: number): Promise<number> {
  const worker = new LineProcess([...command.slice(1), "--home", home, "--compact"]);
  await using _ = worker;
  const sizes = await worker.next<{ bytes: number; blobBytes: number }>();
  return (sizes.bytes - sizes.blobBytes) / 1024 / sessions;
}
