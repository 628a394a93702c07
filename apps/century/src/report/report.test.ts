import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Diagnostics, SessionSummary } from "@swarm/protocol";
import { samplesFile, writeRaw, type LadderRaw, type TierRaw } from "./raw.ts";
import { writeReport } from "./write.ts";

const DIAGNOSTICS = {
  journal: {
    mutations: 0,
    groups: 0,
    ackP50Ms: null,
    ackP99Ms: null,
    ackMaxMs: null,
    stalls: 0,
    conflicts: 0,
    bytes: 0,
  },
  sync: {},
  runtime: { loopDelayP99Ms: null },
  sessions: { errors: {} },
} as unknown as Diagnostics;

const DELIVERED = {
  id: "ses_1",
  label: "001",
  title: "<b>Card</b>",
  now: "passed 3 of 3 checks",
  state: "delivered",
  phase: "ended",
  createdAt: 0,
  endedAt: 2000,
  repairs: 0,
  errors: { internal: 1 },
  totals: { requests: 3, input: 1000, cached: 400, output: 100, reasoning: 0, costNano: 5_000_000, simulated: false },
  artifact: { id: "art_1", title: "Card", revision: 1, bytes: 2048, state: "published", verdict: "static_only" },
} as unknown as SessionSummary;

function ladder(simulated: boolean): LadderRaw {
  const tier: TierRaw = {
    tier: 1,
    shape: "burst",
    sessions: 1,
    wallS: 2,
    baselineRssMib: 50,
    summaries: [DELIVERED],
    before: DIAGNOSTICS,
    after: DIAGNOSTICS,
    server: null,
    clients: [],
    restarts: 0,
  };
  return {
    format: 1,
    startedAt: "2026-12-01T00:00:00.000Z",
    command: "npm run century",
    model: simulated ? "sim/perfect" : "google/gemini",
    simulated,
    seed: 1,
    speed: 1,
    contractSha256: "0",
    host: {
      cpu: "c",
      cores: 2,
      memoryMib: 1,
      kernel: "k",
      os: "o",
      node: "24",
      version: "0",
      commit: null,
      loadBefore: 0,
      browser: null,
    },
    runtimeGate: { ran: false, reason: "no Chromium" },
    tiers: [tier],
  };
}
const HEAD = "timestamp_ms,vm_rss_kb,vm_size_kb,threads,utime_ticks,stime_ticks,group";

function made(
  raw: LadderRaw,
  csv: string,
): { html: string; markdown: string; peak: unknown; cpu: unknown; raw: LadderRaw } {
  const dir = mkdtempSync(join(tmpdir(), "swarm-report-"));
  try {
    writeRaw(dir, raw, new Map([[samplesFile(raw.tiers[0]!), csv]]));
    const first = writeReport(dir);
    const html = readFileSync(first.html, "utf8");
    writeFileSync(first.html, "");
    writeReport(dir);
    assert.equal(readFileSync(first.html, "utf8"), html, "two reports of one folder are byte-equal");
    const [result] = first.results;
    return {
      html,
      markdown: readFileSync(join(dir, "report.md"), "utf8"),
      peak: result?.daemonPeakRssMib,
      cpu: result?.daemonCpuPercent,
      raw: first.raw,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
const ROWS = `${HEAD}\n0,51200,1,1,0,0,daemon\n500,102400,1,1,50,50,daemon\n`;

test("a changed cell changes the table; a dropped column leaves a blank, never a zero", () => {
  assert.equal(made(ladder(true), ROWS).peak, 100);
  assert.equal(made(ladder(true), ROWS.replace("102400", "204800")).peak, 200);
  const dropped = made(
    ladder(true),
    ROWS.split("\n")
      .map((l) => l.split(",").toSpliced(4, 1).join(","))
      .join("\n"),
  );
  assert.equal(dropped.cpu, null);
  assert.match(dropped.html, /<span class="blank">blank<\/span>/);
});

test("what is simulated says so, what is real does not, also when the report is made again", () => {
  const [simulated, real] = [made(ladder(true), ROWS), made(ladder(false), ROWS)];
  assert.match(simulated.html, /simulated model/);
  assert.match(simulated.markdown, /Cost \(simulated\)/);
  assert.doesNotMatch(real.html, /simulated model|Cost, simulated/);
  assert.doesNotMatch(real.markdown, /simulated/);
  assert.deepEqual([simulated.raw.simulated, real.raw.simulated], [true, false]);
});

test("the report is one file without network, and text of agents is text in it", () => {
  const { html } = made(ladder(true), ROWS);
  assert.doesNotMatch(html, /<script|https?:\/\/|<b>Card<\/b>/);
  assert.match(html, /&lt;b&gt;Card&lt;\/b&gt;/);
  assert.match(html, /0 of them verified in a real browser, 1 by the static gate only/);
});
