import { createHash, generateKeyPairSync, sign } from "node:crypto";
import {
  reduceSummary,
  signedText,
  type AnyRecord,
  type Kind,
  type Payloads,
  type SessionSummary,
} from "@swarm/protocol";
import { NODES } from "@swarm/protocol/nodes";
import { brief, pick, plan, report, type End } from "./content.ts";
import { picture, seeded } from "./picture.ts";

/** Generated sessions for tests and pictures of the desktop. Never imported by the page. `fixture` marks every id. */
export const FIXTURE_MARK = "fixture";

const NOW_WORDS = [
  "drawing axis labels",
  "repairing seek() at 2,500 ms",
  "writing part scope-canvas",
  "planning checkpoint 2",
  "seeding the arrivals once",
];

export interface Scene {
  readonly id: string;
  readonly records: AnyRecord[];
  summary: SessionSummary;
  readonly end: End;
}

const KEYS = generateKeyPairSync("ed25519");
/** Raw 32-byte public key, base64. */
export const PUBLIC_KEY = Buffer.from(KEYS.publicKey.export({ type: "spki", format: "der" }))
  .subarray(-32)
  .toString("base64");
export const FINGERPRINT = createHash("sha256").update(Buffer.from(PUBLIC_KEY, "base64")).digest("hex").slice(0, 16);

export class World {
  readonly scenes: Scene[] = [];
  readonly byId = new Map<string, Scene>();
  /** Pictures are drawn when they are asked for. */
  readonly blobs = new Map<string, () => Uint8Array>();
  seq = 1000;
  readonly now: number;

  constructor(n: number, now: number) {
    this.now = now;
    for (let i = 0; i < n; i++) this.#scene(i, n);
  }

  append<K extends Kind>(scene: Scene, kind: K, payload: Payloads[K], at = this.now): AnyRecord {
    const record = {
      seq: ++this.seq,
      session: scene.id,
      rev: scene.records.length + 1,
      kind,
      at,
      actor: FIXTURE_MARK,
      payload,
    } as unknown as AnyRecord;
    scene.records.push(record);
    scene.summary = reduceSummary(scene.records.length === 1 ? undefined : scene.summary, record);
    return record;
  }

  blob(bytes: Uint8Array): { blob: string; bytes: number } {
    const blob = createHash("sha256").update(bytes).digest("hex");
    this.blobs.set(blob, () => bytes);
    return { blob, bytes: bytes.length };
  }

  #picture(seed: number, phase: number): { blob: string; bytes: number } {
    const blob = createHash("sha256").update(`${seed} ${phase}`).digest("hex");
    this.blobs.set(blob, () => picture(seed, phase));
    return { blob, bytes: 9000 };
  }

  #scene(i: number, n: number): void {
    const random = seeded(i * 7919 + 13);
    const node = NODES[i % NODES.length]!;
    const end = pick(random);
    const id = `ses_${FIXTURE_MARK}${String(i).padStart(9, "0")}`;
    const scene: Scene = { id, records: [], summary: undefined as unknown as SessionSummary, end };
    this.scenes.push(scene);
    this.byId.set(id, scene);
    const run = `run_${FIXTURE_MARK}${i}` as Payloads["run.queued"]["run"];
    const t0 = this.now - 62_000 - Math.floor(random() * 110_000) - (end === "stuck" ? 400_000 : 0);
    const group = i < n * 0.8 ? "Century Run" : i < n * 0.94 ? "Lane scaling, repo atlas" : "Docs sweep";
    const model = random() > 0.8 ? "sim/ordinary" : "sim/perfect";
    this.append(
      scene,
      "session.created",
      { title: node.name, profile: group === "Century Run" ? "builder" : "coder", model, group, label: node.id },
      t0,
    );
    this.append(
      scene,
      "message.added",
      {
        text:
          i % 10 === 9
            ? this.blob(new TextEncoder().encode(`Long brief of ${node.name}.\n${"word ".repeat(1200)}`))
            : brief(node.name, node.domain, node.reading, node.unit),
        by: "person",
      },
      t0,
    );
    this.append(
      scene,
      "run.queued",
      { run, budget: { turns: 24, toolCalls: 60, usd: 0.2, wallS: 600 }, interactive: true },
      t0,
    );
    if (end !== "queued") this.#run(scene, run, end, t0, random, i);
  }

  #run(scene: Scene, run: Payloads["run.queued"]["run"], end: End, t0: number, random: () => number, i: number): void {
    const add = <K extends Kind>(kind: K, payload: Payloads[K], at: number): AnyRecord =>
      this.append(scene, kind, payload, t0 + at);
    const artifact = `art_${FIXTURE_MARK}${String(i).padStart(9, "0")}` as Payloads["artifact.revised"]["artifact"];
    const model = scene.summary.model;
    const step = (n: number, at: number, breakCause?: string): void =>
      void add(
        "step.started",
        {
          run,
          step: n,
          model,
          prefixHash: "9f2c41ab",
          prefixBytes: 24_180,
          ...(breakCause === undefined ? {} : { breakCause }),
        },
        at,
      );
    const finish = (
      n: number,
      at: number,
      text: string,
      calls: { id: string; name: string; args: string }[],
      cached: number,
    ): void => {
      const input = Math.round(24_180 + n * 3000 + random() * 900);
      const out = Math.round(300 + random() * 6000);
      add(
        "step.finished",
        {
          run,
          step: n,
          text,
          calls,
          finish: calls.length > 0 ? "tool_calls" : "stop",
          model,
          ttftMs: 640 + Math.round(random() * 500),
          durationMs: 2200 + Math.round(random() * 30_000),
          ...(n === 2
            ? {
                reasoning:
                  "The arrivals must not depend on when the page was opened. A seeded generator made once gives the same list for every seek, and each dot follows from the time asked for.",
              }
            : {}),
          usage: {
            input,
            cached: Math.round(input * cached),
            cacheWrite: 0,
            output: out,
            reasoning: n === 2 ? 1204 : 0,
            estimated: false,
          },
          cost: {
            inputNano: 4e6,
            cachedNano: 3e6,
            outputNano: out * 2500,
            totalNano: 7e6 + out * 2500 + Math.round(random() * 9e6),
            catalogue: "genai-prices 0.1.8",
            pricedAs: "gemini-3.6-flash",
            simulated: true,
          },
        },
        at,
      );
    };
    const tool = (n: number, call: string, name: string, summary: string, at: number, output = '{"ok":true}'): void => {
      add("tool.started", { run, step: n, call, name }, at);
      add(
        "tool.finished",
        {
          run,
          step: n,
          call,
          name,
          ok: true,
          summary,
          output,
          durationMs: Math.round(20 + random() * 300),
          truncated: false,
        },
        at + 200,
      );
    };
    add("run.leased", { run, epoch: 1, resumed: false }, 500);
    step(1, 600);
    if (end === "model")
      return void add(
        "run.waiting",
        { run, on: "model", detail: `first token, ${(1 + random() * 2).toFixed(1)} s` },
        900,
      );
    finish(
      1,
      4000,
      "",
      [
        {
          id: `p${i}`,
          name: "plan_manage",
          args: JSON.stringify({ action: "set", goal: "card", checkpoints: [{}, {}, {}, {}] }),
        },
      ],
      0.968,
    );
    tool(1, `p${i}`, "plan_manage", "4 checkpoints, 8 subtasks", 4100);
    add("plan.set", { run, plan: plan(end === "delivered" || end === "static" ? 4 : 2) }, 4200);
    step(2, 4400);
    if (end === "rate")
      return void add(
        "run.waiting",
        { run, on: "rate_limit", detail: "held 12 s by provider limit", untilMs: this.now + 12_000 },
        5000,
      );
    if (end === "running" && random() > 0.6) return;
    finish(
      2,
      42_000,
      "The picture has to depend on the time asked for and nothing else, so I seed the arrivals once and compute each dot from `t`. Publishing the first revision now.",
      [
        {
          id: `c${i}`,
          name: "manage_artifact",
          args: JSON.stringify({ action: "create", title: scene.summary.title, content: "x".repeat(18_400) }),
        },
      ],
      0.971,
    );
    add("tool.started", { run, step: 2, call: `c${i}`, name: "manage_artifact" }, 42_100);
    const html = htmlOf(scene);
    const sha = createHash("sha256").update(html).digest("hex");
    const revise = (revision: number, call: string, at: number): void =>
      void add(
        "artifact.revised",
        {
          artifact,
          revision,
          parent: revision - 1,
          title: scene.summary.title,
          sha256: sha,
          body: { ...this.blob(html), bytes: 18_402 + revision * 37 },
          parts: ["card", "scope", "readout"],
          call,
          run,
        },
        at,
      );
    const check = (revision: number, verdict: "verified" | "static_only" | "rejected", at: number): void => {
      const stills =
        verdict === "static_only"
          ? []
          : Array.from({ length: 9 }, (_, k) => ({
              timeMs: k * 1250,
              width: 640,
              height: 360,
              image: this.#picture(i, k),
            }));
      add("artifact.checked", { artifact, revision, report: report(sha, verdict), stills }, at);
    };
    revise(1, `c${i}`, 42_300);
    if (end === "gate")
      return void add("run.waiting", { run, on: "tool", detail: "gate: runtime stage, instant 4 of 9" }, 43_000);
    const needsRepair = end === "failed" || random() > 0.5;
    check(1, needsRepair ? "rejected" : end === "static" ? "static_only" : "verified", 50_000);
    const failed = {
      code: "check_failed",
      class: "check_failed" as const,
      message: "Frames differ at 2,500 ms. Use the seeded generator at line 31.",
    };
    add(
      "tool.finished",
      {
        run,
        step: 2,
        call: `c${i}`,
        name: "manage_artifact",
        ok: !needsRepair,
        summary: needsRepair ? "gate: frames differ at 2,500 ms" : "published, revision 1",
        output: "{}",
        durationMs: 7600,
        truncated: false,
        ...(needsRepair ? { error: failed } : {}),
      },
      50_100,
    );
    let last = 2;
    if (needsRepair) {
      step(3, 51_000, i % 3 === 0 ? "AGENTS.md changed at 14:02:11" : undefined);
      last = 3;
      const edits = [
        {
          find: "  const a = arrivals[i];\n  const jitter = Math.random() * spread;\n  const x = scale(t - a.at + jitter);",
          replace:
            "  const a = arrivals[i];\n  const jitter = a.noise * spread;\n  const x = scale(t - a.at + jitter);",
        },
      ];
      finish(
        3,
        56_000,
        "",
        [{ id: `e${i}`, name: "manage_artifact", args: JSON.stringify({ action: "edit", base: 1, edits }) }],
        i % 3 === 0 ? 0.032 : 0.95,
      );
      add("tool.started", { run, step: 3, call: `e${i}`, name: "manage_artifact" }, 56_100);
      revise(2, `e${i}`, 56_200);
      check(2, end === "failed" ? "rejected" : end === "static" ? "static_only" : "verified", 57_000);
      add(
        "tool.finished",
        {
          run,
          step: 3,
          call: `e${i}`,
          name: "manage_artifact",
          ok: end !== "failed",
          summary: end === "failed" ? "gate: frames differ at 2,500 ms" : "published, revision 2",
          output: '{"ok":true,"revision":2,"state":"published"}',
          durationMs: 120,
          truncated: false,
          ...(end === "failed" ? { error: failed } : {}),
        },
        57_100,
      );
    }
    this.#finish(scene, run, end, t0, last, artifact, sha, i);
    if (end === "running" || end === "stuck") {
      step(last + 1, 57_500);
      add(
        "step.finished",
        { ...lastFinish(scene), step: last + 1, text: "", calls: [{ id: `n${i}`, name: "plan_manage", args: "{}" }] },
        58_000,
      );
      add(
        "tool.finished",
        {
          run,
          step: last + 1,
          call: `n${i}`,
          name: "plan_manage",
          ok: true,
          summary: NOW_WORDS[i % NOW_WORDS.length]!,
          output: "{}",
          durationMs: 8,
          truncated: false,
        },
        58_100,
      );
      if (end === "running")
        this.append(
          scene,
          "step.started",
          { run, step: last + 2, model, prefixHash: "9f2c41ab", prefixBytes: 1 },
          this.now - 2000,
        );
    }
  }

  #finish(
    scene: Scene,
    run: Payloads["run.queued"]["run"],
    end: End,
    t0: number,
    last: number,
    artifact: string,
    sha: string,
    i: number,
  ): void {
    const add = <K extends Kind>(kind: K, payload: Payloads[K], at: number): AnyRecord =>
      this.append(scene, kind, payload, t0 + at);
    if (end === "asks") {
      add(
        "question.asked",
        {
          run,
          question: `qst_${FIXTURE_MARK}${i}` as never,
          text:
            i % 2 === 0 ? "Should the wait be shown in ms or µs?" : "Keep the threshold line at the original's figure?",
          options: i % 2 === 0 ? ["ms", "µs"] : ["Yes", "No", "Dashed"],
          call: "q",
        },
        60_000,
      );
      return;
    }
    const state = (
      {
        delivered: "delivered",
        static: "delivered",
        failed: "failed",
        blocked: "blocked",
        budget: "budget_exhausted",
        cancelled: "cancelled",
      } as const
    )[end as "delivered"];
    if (state === undefined) return;
    const delivered = state === "delivered";
    if (delivered) {
      const brief = scene.summary.artifact!;
      const statement = {
        artifact,
        revision: brief.revision,
        sha256: sha,
        session: scene.id,
        run,
        model: scene.summary.model,
        checks: { verdict: brief.verdict!, passed: brief.passed!, failed: 0, notRun: 0 },
        at: new Date(t0 + 58_000).toISOString(),
        keyFingerprint: FINGERPRINT,
      };
      const signature = sign(null, Buffer.from(signedText({ ...statement, signature: "" })), KEYS.privateKey).toString(
        "base64",
      );
      add(
        "artifact.published",
        { artifact: artifact as never, revision: brief.revision, provenance: { ...statement, signature } },
        58_000,
      );
    }
    const words: Record<string, string> = {
      failed: "gate: frames differ at 2,500 ms",
      blocked: "loop: same edit refused 5 times",
      budget_exhausted: "$0.20 spent, kept at rev 2",
      cancelled: "cancelled by you",
    };
    add(
      "run.ended",
      {
        run,
        state,
        handoff: {
          state,
          title: scene.summary.title,
          overview: delivered ? "The card is published and passed the gate." : words[state]!,
          result: delivered
            ? "Reading, scope and readout follow the contract; every frame depends on the time asked for."
            : "",
          artifacts: delivered ? [artifact] : [],
          evidence: delivered ? ["gate report of the last revision"] : [],
          recommendation: {
            decision: delivered ? "Use it" : "Run it again",
            reason: delivered ? "all checks passed" : "the cause is named",
          },
          codeBlocks: [],
          followUps: [],
          formattedBy: delivered ? "agent" : "daemon",
        },
        ...(delivered || state === "cancelled"
          ? {}
          : { error: { code: state, class: "check_failed" as const, message: words[state]! } }),
      },
      60_000 + last * 4000,
    );
    if (i % 3 === 0) add("session.seen", { rev: scene.records.length }, 90_000);
  }
}

export function htmlOf(scene: Scene): Uint8Array {
  return new TextEncoder().encode(`<!doctype html><title>${scene.summary.title}</title><main id="card"></main>`);
}

function lastFinish(scene: Scene): Payloads["step.finished"] {
  return scene.records.findLast((r) => r.kind === "step.finished")!.payload;
}
