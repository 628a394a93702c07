import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import {
  addTotals,
  PROTOCOL_VERSION,
  ZERO_TOTALS,
  type ArtifactDetail,
  type ArtifactRow,
  type ClientFrame,
  type DaemonStatus,
  type LiveText,
  type ServerFrame,
} from "@swarm/protocol";
import { WebSocketServer, type WebSocket } from "ws";
import { FINGERPRINT, FIXTURE_MARK, htmlOf, PUBLIC_KEY, type Scene, type World } from "./scenario.ts";

/** A daemon that speaks API and frames over generated sessions: for the desktop's own tests and pictures. */
const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};
export const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob: data:; connect-src 'self' ws:; frame-src http://*.localhost:*; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
export const TOKEN = "fixture-token";
export const CODE = "fixture-code-1";

interface Client {
  readonly socket: WebSocket;
  readonly topics: Map<string, number>;
}

export class FakeDaemon {
  readonly world: World;
  readonly #dist: string;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "swarm.v1" });
  readonly #clients = new Set<Client>();
  readonly requests: { method: string; path: string; body: unknown }[] = [];
  #live: LiveText[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #output = 0;
  port = 0;
  /** Stops all frames without closing the line: a frozen daemon. */
  frozen = false;
  /** Gives artifacts with one byte more than was signed. */
  tampered = false;
  token = TOKEN;
  subscriptions: ClientFrame[] = [];

  constructor(world: World, dist: string) {
    this.world = world;
    this.#dist = dist;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("upgrade", (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#attach(ws));
    });
  }

  async start(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    this.port = (this.#server.address() as { port: number }).port;
    this.#timer = setInterval(() => {
      this.#output += 5000;
      this.#publish("system", () => ({ type: "status", topic: "system", status: this.status() }));
    }, 1000);
    return `http://127.0.0.1:${this.port}`;
  }

  dropClients(): void {
    for (const client of this.#clients) client.socket.terminate();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.dropClients();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Appends a record and tells everyone. */
  record(scene: Scene, ...args: Parameters<World["append"]> extends [unknown, ...infer R] ? R : never): void {
    const record = this.world.append(scene, ...args);
    if (record.kind === "step.finished") this.#live = this.#live.filter((l) => l.session !== scene.id);
    this.#event("sessions", record.seq, { session: scene.summary });
    this.#event(`session:${scene.id}`, record.seq, { record });
  }

  live(live: LiveText): void {
    this.#live = [
      ...this.#live.filter((l) => l.session !== live.session || l.stream !== live.stream || l.step !== live.step),
      {
        ...live,
        offset: 0,
        text:
          (
            this.#live.find((l) => l.session === live.session && l.stream === live.stream && l.step === live.step)
              ?.text ?? ""
          ).slice(0, live.offset) + live.text,
      },
    ];
    const topic = `session:${live.session}`;
    this.#publish(topic, () => ({ type: "live", topic, ...live }));
  }

  status(): DaemonStatus {
    const all = this.world.scenes.map((s) => s.summary);
    const at = (phase: string): number => all.filter((s) => s.phase === phase).length;
    const totals = all.reduce((t, s) => addTotals(t, s.totals), ZERO_TOTALS);
    return {
      version: "0.1.0",
      protocol: PROTOCOL_VERSION,
      pid: 4121,
      home: "/home/ann/.local/share/swarm",
      startedAt: this.world.now,
      uptimeS: 60,
      cursor: { incarnation: FIXTURE_MARK, seq: this.world.seq },
      draining: false,
      store: { state: "ok", reason: "" },
      sessions: {
        total: all.length,
        queued: at("queued"),
        running: at("running") + at("leased"),
        waiting: at("waiting"),
        ended: at("ended"),
      },
      admission: { limit: 100, reason: "" },
      inFlight: at("running"),
      totals: { ...totals, output: totals.output + this.#output },
      rssMib: 148,
      peakRssMib: 171,
      loopDelayP99Ms: 3.1,
      clients: this.#clients.size,
      checker: { runtime: true, reason: "", pids: [] },
      models: { default: "sim/perfect" },
      simulatorPort: null,
      addresses: { api: "", desktop: "", artifacts: "" },
      degraded: [],
    };
  }

  #event(topic: string, seq: number, body: { session: Scene["summary"] } | { record: Scene["records"][number] }): void {
    this.#publish(topic, (prev) => ({ type: "event", topic, seq, prev, ...body }), seq);
  }

  #publish(topic: string, make: (prev: number) => ServerFrame, seq?: number): void {
    if (this.frozen) return;
    for (const client of this.#clients) {
      const prev = client.topics.get(topic);
      if (prev === undefined) continue;
      client.socket.send(JSON.stringify([make(prev)]));
      if (seq !== undefined) client.topics.set(topic, seq);
    }
  }

  #attach(socket: WebSocket): void {
    const client: Client = { socket, topics: new Map() };
    this.#clients.add(client);
    socket.on("close", () => this.#clients.delete(client));
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString("utf8")) as ClientFrame;
      this.subscriptions.push(frame);
      const send = (...frames: ServerFrame[]): void => socket.send(JSON.stringify(frames));
      const seq = this.world.seq;
      if (frame.type === "hello")
        send({ type: "welcome", version: PROTOCOL_VERSION, incarnation: FIXTURE_MARK, seq, heartbeatMs: 1000 });
      if (frame.type === "unsubscribe") client.topics.delete(frame.topic);
      if (frame.type !== "subscribe") return;
      client.topics.set(frame.topic, seq);
      if (frame.after !== undefined) return send({ type: "caught-up", topic: frame.topic, seq });
      if (frame.topic === "system") send({ type: "snapshot", topic: "system", seq, state: this.status() });
      else if (frame.topic === "sessions")
        send({
          type: "snapshot",
          topic: "sessions",
          seq,
          state: { sessions: this.world.scenes.map((s) => s.summary) },
        });
      else {
        const scene = this.world.byId.get(frame.topic.slice(8));
        if (scene)
          send({
            type: "snapshot",
            topic: frame.topic,
            seq,
            state: { records: scene.records, live: this.#live.filter((l) => l.session === scene.id) },
          });
      }
      send({ type: "caught-up", topic: frame.topic, seq });
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://x");
    const json = (value: unknown, status = 200): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.headers.host?.includes(".localhost") === true)
      return void response.writeHead(200, { "content-type": "text/html" }).end(CARD);
    if (!url.pathname.startsWith("/v1/")) return this.#file(url.pathname, response);
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    this.requests.push({ method: request.method ?? "", path: url.pathname, body });
    if (url.pathname === "/v1/auth/exchange")
      return (body as { code: string }).code === CODE ? json({ token: TOKEN }) : json({ code: "unauthorized" }, 401);
    if (request.headers.authorization !== `Bearer ${this.token}`)
      return json({ code: "unauthorized", detail: "no" }, 401);
    const [, , what, id = "", sub] = url.pathname.split("/");
    const scene = this.world.byId.get(id);
    if (what === "stream") return json({ ticket: "t" });
    if (what === "models")
      return json([
        { id: "sim/perfect", provider: "sim", simulated: true, available: true, reason: "" },
        { id: "google/gemini-3.6-flash", provider: "google", simulated: false, available: false, reason: "no key" },
      ]);
    if (what === "blobs") {
      const bytes = this.world.blobs.get(id)?.();
      return void (bytes
        ? response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes)
        : response.writeHead(404).end());
    }
    if (what === "keys") return json({ publicKey: PUBLIC_KEY, fingerprint: FINGERPRINT });
    if (what === "sessions" && sub === "seen" && scene) {
      this.record(scene, "session.seen", { rev: scene.records.length }, Date.now());
      return json({});
    }
    if (what === "sessions" && sub === "answers" && scene) {
      const { question, answer } = body as { question: string; answer: string };
      this.record(scene, "question.answered", { question: question as never, answer, by: "person" }, Date.now());
      return json({});
    }
    if (what === "sessions" && sub === "messages" && scene) {
      this.record(scene, "message.added", { text: (body as { text: string }).text, by: "person" }, Date.now());
      return json({});
    }
    if (what === "sessions") return json({ session: this.world.scenes[0]?.id, run: "run_x" }, 201);
    if (what === "artifacts" && sub === "frames")
      return json({ url: `http://s1.localhost:${this.port}/frame/${id}`, expiresAt: Date.now() + 60_000 });
    if (what === "artifacts" && sub === "content") {
      const owner = this.world.scenes.find((x) => x.summary.artifact?.id === id);
      const bytes = owner ? htmlOf(owner) : new Uint8Array();
      return void response.writeHead(200).end(this.tampered ? Buffer.concat([bytes, Buffer.from(" ")]) : bytes);
    }
    if (what === "texts")
      return void response.writeHead(200, { "content-type": "text/plain" }).end(this.world.blobs.get(id)?.());
    const withArtifact = this.world.scenes.filter((s) => s.summary.artifact);
    if (what === "artifacts" && id === "") return json({ items: withArtifact.map(rowOf), next: null });
    const owner = withArtifact.find((s) => s.summary.artifact?.id === id);
    return owner ? json(detailOf(owner)) : json({ code: "not_found", detail: "no such thing" }, 404);
  }

  async #file(path: string, response: ServerResponse): Promise<void> {
    const file = normalize(join(this.#dist, path === "/" ? "index.html" : path));
    try {
      const bytes = await readFile(file);
      response
        .writeHead(200, {
          "content-type": TYPES[extname(file)] ?? "application/octet-stream",
          "content-security-policy": CSP,
          "x-content-type-options": "nosniff",
        })
        .end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  }
}

function rowOf(scene: Scene): ArtifactRow {
  const a = scene.summary.artifact!;
  return {
    id: a.id,
    session: scene.id,
    title: a.title,
    revision: a.revision,
    bytes: a.bytes,
    sha256: "ab",
    state: a.state,
    verdict: a.verdict ?? null,
    still: a.still ?? null,
    updatedAt: scene.summary.updatedAt,
  };
}

function detailOf(scene: Scene): ArtifactDetail {
  const checks = scene.records.filter((r) => r.kind === "artifact.checked");
  const published = scene.records.find((r) => r.kind === "artifact.published");
  const newest = checks.at(-1);
  return {
    ...rowOf(scene),
    parts: ["card"],
    report: newest?.payload.report ?? null,
    provenance: published?.payload.provenance ?? null,
    revisions: scene.records
      .filter((r) => r.kind === "artifact.revised")
      .map((r) => ({
        revision: r.payload.revision,
        sha256: "ab",
        bytes: r.payload.body.bytes,
        at: r.at,
        report: checks.find((c) => c.payload.revision === r.payload.revision)?.payload.report ?? null,
      })),
    stills: (newest?.payload.stills ?? []).map((s) => ({
      timeMs: s.timeMs,
      width: s.width,
      height: s.height,
      blob: s.image.blob,
    })),
  };
}

const CARD = `<!doctype html><style>html,body{margin:0;height:100%;background:#0B0F1A}canvas{width:100%;height:100%;display:block}</style><canvas></canvas><script>
const c=document.querySelector('canvas'),x=c.getContext('2d');function f(t){c.width=c.clientWidth;c.height=c.clientHeight;x.strokeStyle='#00F0FF';x.lineWidth=2;x.beginPath();for(let i=0;i<=c.width;i+=3)x.lineTo(i,c.height*(.5+.25*Math.sin(i/40+t/500)));x.stroke();x.fillStyle='#fff';x.font='600 '+c.height*.12+'px sans-serif';x.fillText('196 ms',c.width*.05,c.height*.9);requestAnimationFrame(f)}f(0)</script>`;
