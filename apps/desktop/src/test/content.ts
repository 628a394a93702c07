import type { Payloads } from "@swarm/protocol";

/** Texts, plans and reports of generated sessions. */
export function brief(name: string, domain: string, reading: string, unit: string): string {
  return `Build the dashboard card for node: ${name}.\nDomain: ${domain}\nReading: ${reading}\nUnit: ${unit}\n\nContract swarm.animation/v1, 60 fps, 10 s, no network.`;
}

export function plan(done: number): Payloads["plan.set"]["plan"] {
  const point = (
    id: string,
    title: string,
    tasks: string[],
    n: number,
  ): Payloads["plan.set"]["plan"]["checkpoints"][number] => ({
    id,
    title,
    done: n >= tasks.length,
    subtasks: tasks.map((t, k) => ({ id: `${id}.${k}`, title: t, done: k < n })),
  });
  return {
    revision: 3,
    goal: "A card that shows the reading live and renders the same pixels for the same instant.",
    decisions: ["Canvas 2D, one loop", "Seeded arrivals"],
    constraints: ["No network", "One manifest"],
    successCriteria: ["The gate passes at both sizes"],
    checkpoints: [
      point("a", "Frame and data", ["Layout", "Seeds", "Ring"], 3),
      point("b", "Drawing", ["Scope", "Readout"], done > 1 ? 2 : 0),
      point(
        "c",
        "Gate",
        ["Static checks", "Same pixels for the same instant", "Readable at 640 × 400"],
        done > 3 ? 3 : 1,
      ),
      point("d", "Hand off", ["Report"], done > 3 ? 1 : 0),
    ],
  };
}

export function report(
  sha256: string,
  verdict: "verified" | "static_only" | "rejected",
): Payloads["artifact.checked"]["report"] {
  const ok = (check: string, message: string): { check: string; ok: boolean; message: string } => ({
    check,
    ok: true,
    message,
  });
  const statics = [
    ok("manifest", "one, 10,000 ms, 60 fps"),
    ok("external_reference", "0 found"),
    ok("regions", "main#card, section#scope, header#readout"),
    ok("scripts", "2 parsed"),
    ok("hook", "installed before DOMContentLoaded"),
    ok("canvas", "2D context and frame loop"),
    ok("secrets", "0 found"),
  ];
  const differ = {
    check: "seek_identity",
    ok: false,
    message: "Two seeks to 2,500 ms gave different pixels (142 px, top left): Math.random() inside draw()",
    line: 88,
    fix: "Use the seeded generator at line 31",
  };
  const runtime = [
    ...(verdict === "rejected" ? [differ] : [ok("seek_identity", "9 seeks out of order, 0 px differ")]),
    ok("moves", "least change 3.1 % of pixels"),
    ok("fits", "3 parts inside at both sizes"),
    ok("frame_cost", "p95 4.2 ms"),
    ok("console", "0 errors"),
    ok("network", "0 requests"),
  ];
  const passed = statics.length + (verdict === "static_only" ? 0 : runtime.filter((f) => f.ok).length);
  return {
    sha256,
    verdict,
    passed,
    failed: verdict === "rejected" ? 1 : 0,
    notRun: verdict === "static_only" ? 1 : 0,
    summary:
      verdict === "rejected"
        ? "Two seeks to 2,500 ms gave different pixels (142 px, top left). Cause: Math.random() at line 88 inside draw(). Use the seeded generator you already made at line 31."
        : "",
    stages: [
      { stage: "static", verdict: "passed", findings: statics, durationMs: 6 },
      verdict === "static_only"
        ? { stage: "runtime", verdict: "not_run", reason: "no Chromium on this machine", findings: [], durationMs: 0 }
        : {
            stage: "runtime",
            verdict: verdict === "rejected" ? "failed" : "passed",
            findings: runtime,
            durationMs: 7900,
          },
    ],
  };
}

/** How a generated session stands, and how many of a hundred stand so. */
export type End =
  | "delivered"
  | "static"
  | "failed"
  | "blocked"
  | "budget"
  | "cancelled"
  | "asks"
  | "running"
  | "gate"
  | "model"
  | "rate"
  | "queued"
  | "stuck";
const WEIGHTS: readonly (readonly [End, number])[] = [
  ["delivered", 42],
  ["static", 3],
  ["running", 26],
  ["gate", 6],
  ["model", 6],
  ["rate", 2],
  ["asks", 5],
  ["failed", 3],
  ["blocked", 2],
  ["budget", 1],
  ["cancelled", 1],
  ["queued", 3],
  ["stuck", 1],
];

export function pick(random: () => number): End {
  let at = random() * WEIGHTS.reduce((n, [, w]) => n + w, 0);
  for (const [end, weight] of WEIGHTS) if ((at -= weight) < 0) return end;
  return "delivered";
}
