import { ERROR_CLASSES } from "@swarm/protocol";
import { ORIGINAL, TIERS } from "../ladder/tiers.ts";
import type { TierResult } from "./analyse.ts";
import { logChart, shareBars, timeChart } from "./charts.ts";
import { BLANK, escapeHtml, fixed, mib, percent, seconds, usd } from "./format.ts";
import { samplesFile, type LadderRaw, type SampleRow } from "./raw.ts";
import { STYLE } from "./style.ts";

/** One self-contained HTML file: no script, no network; made from raw data alone. */
export function reportHtml(
  raw: LadderRaw,
  results: readonly TierResult[],
  samples: ReadonlyMap<string, readonly SampleRow[]>,
): string {
  const top = results.at(-1);
  const body =
    top === undefined
      ? "<p>No tier was run.</p>"
      : [
          lead(raw, top),
          headline(raw, top),
          charts(raw, results, samples),
          table1(results),
          table2(raw, results),
          errorTable(results),
          delivered(raw, top),
          method(raw),
        ].join("\n");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Century Run, ${escapeHtml(raw.startedAt)}</title><style>${STYLE}</style></head>
<body><main>
<h1>Century Run</h1><p class="sub">${escapeHtml(raw.startedAt)} · ${escapeHtml(raw.model)}${raw.simulated ? ' · <span class="sim">simulated model</span>' : ""} · seed ${raw.seed} · speed ${raw.speed}×</p>
${body}
</main></body></html>
`;
}

function lead(raw: LadderRaw, top: TierResult): string {
  const inFlight =
    top.maxInFlightAtServer === null
      ? ""
      : ` At the model server ${fixed(top.maxInFlightAtServer)} responses were open at one instant.`;
  const gate =
    top.verified === top.delivered
      ? "each verified in a real browser and signed"
      : `${fixed(top.verified)} of them verified in a real browser, ${fixed(top.staticOnly)} by the static gate only`;
  const money = raw.simulated
    ? `The model was simulated; at list price its tokens would have cost ${usd(top.costUsd)}.`
    : `It cost ${usd(top.costUsd)}.`;
  const failed = top.sessions - top.delivered;
  return `<p class="lead">${fixed(top.sessions)} ${top.sessions === 1 ? "agent" : "agents"} ${top.shape === "burst" ? "at once" : "in waves"} delivered ${fixed(top.delivered)} of ${fixed(top.sessions)} cards in ${seconds(top.wallS)}, ${gate}.${failed > 0 ? ` ${fixed(failed)} did not deliver.` : ""} The daemon peaked at ${mib(top.daemonPeakRssMib)} MiB.${inFlight} ${money}</p>`;
}

function headline(raw: LadderRaw, top: TierResult): string {
  const original = ORIGINAL[top.tier];
  const fig = (title: string, value: string, unit: string, note: string): string =>
    `<div class="fig"><h3>${title}</h3><p class="v">${value === BLANK ? `<span class="blank">${BLANK}</span>` : value}${value === BLANK ? "" : ` <small>${unit}</small>`}</p><p>${note}</p></div>`;
  const was = (first: string | undefined, later: string | null | undefined): string =>
    first === undefined ? "" : `original ${first}${later === null || later === undefined ? "" : `, later ${later}`}`;
  return `<div class="figs">
${fig("Delivered", `${fixed(top.delivered)} / ${fixed(top.sessions)}`, "", `${fixed(top.verified)} verified in the browser`)}
${fig("Peak memory, daemon", mib(top.daemonPeakRssMib), "MiB", was(original && fixed(original.peakRssMib, 2), original?.laterPeakRssMib == null ? null : fixed(original.laterPeakRssMib, 1)))}
${fig("Memory per session", mib(top.marginalMib), "MiB", was(original && fixed(original.marginalMib, 2), original?.laterMarginalMib == null ? null : fixed(original.laterMarginalMib, 2)))}
${fig("Cached input", top.cachedOverInput === null ? BLANK : (100 * top.cachedOverInput).toFixed(1), "%", was(original && percent(original.cachedTokens / original.inputTokens), null))}
${fig("Acks over 100 ms", fixed(top.stalls), "", `of ${fixed(top.mutations)} mutations, p99 ${fixed(top.ackP99Ms, 1)} ms`)}
${fig(raw.simulated ? "Cost per card, simulated" : "Cost per card", usd(top.costPerCardUsd), "", was(original && usd(original.costPerArtifactUsd), original && usd(original.laterCostUsd / top.sessions)))}
</div>`;
}

function charts(
  raw: LadderRaw,
  results: readonly TierResult[],
  samples: ReadonlyMap<string, readonly SampleRow[]>,
): string {
  const bursts = results.filter((r) => r.shape === "burst" || results.every((o) => o.shape === "waves"));
  const originals = TIERS.map((t) => ({ x: t.sessions, y: ORIGINAL[t.tier]!.peakRssMib }));
  const last = raw.tiers.at(-1)!;
  const rows = samples.get(samplesFile(last)) ?? [];
  const groups = [...new Set(rows.map((r) => r.group))];
  const order = ["daemon", "checker", "browser", "simulator"].filter((g) => groups.includes(g));
  return `<div class="chs">
${logChart("Peak memory", "MiB of the daemon against sessions, log scales", [
  { name: "original", kind: "original", points: originals },
  { name: "ours", kind: "ours", points: bursts.map((r) => ({ x: r.sessions, y: r.daemonPeakRssMib })) },
])}
${shareBars(
  "Tokens by kind",
  "share of all tokens of a tier",
  results.map((r) => ({
    label: `${fixed(r.sessions)} ${r.shape}`,
    parts: [r.cachedTokens, r.inputTokens - r.cachedTokens, r.outputTokens - r.reasoningTokens, r.reasoningTokens],
    note: percent(r.cachedOverInput),
  })),
  ["cached input", "fresh input", "output", "reasoning"],
)}
${timeChart(
  `Memory over time, ${fixed(last.sessions)} ${last.shape}`,
  "MiB, resident, each class of processes apart",
  order.map((g) => ({
    name: g,
    points: rows
      .filter((r) => r.group === g)
      .map((r) => ({ x: (r.atMs ?? 0) / 1000, y: r.rssKb === null ? null : r.rssKb / 1024 })),
  })),
)}
${logChart("Memory per session", "MiB above the baseline ÷ sessions, log scales", [
  {
    name: "original",
    kind: "original",
    points: TIERS.map((t) => ({ x: t.sessions, y: ORIGINAL[t.tier]!.marginalMib })),
  },
  { name: "ours", kind: "ours", points: bursts.map((r) => ({ x: r.sessions, y: r.marginalMib })) },
])}
</div>`;
}

function table(
  title: string,
  head: readonly (string | { o: string })[],
  rows: readonly (readonly (string | { o: string })[])[],
): string {
  const cell = (tag: "th" | "td", c: string | { o: string }): string => {
    const text = typeof c === "string" ? c : c.o;
    const shown = text === BLANK ? `<span class="blank">${BLANK}</span>` : escapeHtml(text);
    return `<${tag}${typeof c === "string" ? "" : ' class="o"'}>${shown}</${tag}>`;
  };
  return `<h2>${escapeHtml(title)}</h2><div class="tw"><table><thead><tr>${head.map((h) => cell("th", h)).join("")}</tr></thead><tbody>${rows.map((r) => `<tr>${r.map((c) => cell("td", c)).join("")}</tr>`).join("")}</tbody></table></div>`;
}

function table1(results: readonly TierResult[]): string {
  const head = [
    "Tier",
    "Structure",
    "In flight at server",
    "Delivered",
    "Time",
    "Peak MiB",
    "Δ MiB",
    "Per session MiB",
    "Daemon CPU %",
    "CPU s per session",
    "Checker MiB",
    "Browser MiB",
    "Simulator MiB",
    "Store stalls",
    "Video capture",
    { o: "original peak" },
    { o: "original per session" },
    { o: "original time" },
  ];
  const rows = results.map((r) => {
    const o = ORIGINAL[r.tier];
    const delta =
      r.daemonPeakRssMib === null || r.baselineRssMib === null ? null : r.daemonPeakRssMib - r.baselineRssMib;
    return [
      `Tier ${r.tier}`,
      `${fixed(r.sessions)} ${r.shape === "burst" ? "at once" : "in waves"}`,
      fixed(r.maxInFlightAtServer),
      `${r.delivered} / ${r.sessions}`,
      seconds(r.wallS),
      mib(r.daemonPeakRssMib),
      mib(delta),
      mib(r.marginalMib),
      fixed(r.daemonCpuPercent, 0),
      fixed(r.daemonCpuPerSessionS, 3),
      mib(r.groups["checker"]?.peakRssMib ?? null),
      mib(r.groups["browser"]?.peakRssMib ?? null),
      mib(r.groups["simulator"]?.peakRssMib ?? null),
      fixed(r.stalls),
      BLANK,
      { o: fixed(o?.peakRssMib, 2) },
      { o: fixed(o?.marginalMib, 2) },
      { o: seconds(o?.wallS) },
    ];
  });
  return table("Table 1: concurrency and hardware", head, rows);
}

function table2(raw: LadderRaw, results: readonly TierResult[]): string {
  const cost = raw.simulated ? "Cost, simulated at list price" : "Cost";
  const head = [
    "Tier",
    "Input",
    "Cached",
    "Cached ÷ input",
    "Cached ÷ total",
    "Output",
    "Reasoning",
    "Total",
    "Requests per card",
    cost,
    "Per card",
    { o: "original cost" },
    { o: "later" },
    { o: "original per card" },
  ];
  const row = (
    name: string,
    r: Pick<TierResult, "inputTokens" | "cachedTokens" | "outputTokens" | "reasoningTokens" | "costUsd"> & {
      delivered: number;
      requests: number;
    },
    o?: { costUsd: number; laterCostUsd: number; costPerArtifactUsd: number },
  ): (string | { o: string })[] => {
    const total = r.inputTokens + r.outputTokens;
    return [
      name,
      fixed(r.inputTokens),
      fixed(r.cachedTokens),
      r.inputTokens === 0 ? BLANK : percent(r.cachedTokens / r.inputTokens),
      total === 0 ? BLANK : percent(r.cachedTokens / total),
      fixed(r.outputTokens),
      fixed(r.reasoningTokens),
      fixed(total),
      r.delivered === 0 ? BLANK : fixed(r.requests / r.delivered, 2),
      usd(r.costUsd),
      r.delivered === 0 ? BLANK : usd(r.costUsd / r.delivered),
      { o: usd(o?.costUsd) },
      { o: usd(o?.laterCostUsd) },
      { o: usd(o?.costPerArtifactUsd) },
    ];
  };
  const sum = (of: (r: TierResult) => number): number => results.reduce((n, r) => n + of(r), 0);
  const totals = {
    inputTokens: sum((r) => r.inputTokens),
    cachedTokens: sum((r) => r.cachedTokens),
    outputTokens: sum((r) => r.outputTokens),
    reasoningTokens: sum((r) => r.reasoningTokens),
    costUsd: sum((r) => r.costUsd),
    delivered: sum((r) => r.delivered),
    requests: sum((r) => r.requests),
  };
  return table("Table 2: tokens and cost", head, [
    ...results.map((r) => row(`Tier ${r.tier}, ${r.shape}`, r, ORIGINAL[r.tier])),
    ...(results.length > 1 ? [row("Combined", totals)] : []),
  ]);
}

function errorTable(results: readonly TierResult[]): string {
  const head = ["Tier", ...ERROR_CLASSES, "All", "Repairs", "Gaps", { o: "original" }, { o: "later" }];
  const rows = results.map((r) => [
    `Tier ${r.tier}, ${r.shape}`,
    ...ERROR_CLASSES.map((c) => fixed(r.errors[c])),
    fixed(r.errorsTotal),
    fixed(r.repairs),
    fixed(r.gaps),
    { o: fixed(ORIGINAL[r.tier]?.errors) },
    { o: fixed(ORIGINAL[r.tier]?.laterErrors) },
  ]);
  return (
    table("Errors by class", head, rows) +
    `<p class="sub">A tool error that a later call solved is counted here too: it cost tokens. An error of class internal is a fault of Swarm itself.</p>`
  );
}

function delivered(raw: LadderRaw, top: TierResult): string {
  const tier = raw.tiers.at(-1)!;
  const cards = tier.summaries.map((s) => {
    const ok = s.state === "delivered" && s.artifact !== undefined;
    const why = ok
      ? `${s.artifact.verdict === "verified" ? "verified" : "static only"}, ${(s.artifact.bytes / 1024).toFixed(1)} KB`
      : `${s.state ?? s.phase}: ${s.now}`;
    return `<span${ok ? "" : ' class="x"'} title="${escapeHtml(s.now)}"><b>${escapeHtml(s.label ?? "")} ${escapeHtml(s.title)}</b> ${escapeHtml(why)}</span>`;
  });
  return `<h2>Cards of tier ${top.tier}</h2><div class="cards">${cards.join("")}</div>`;
}

function method(raw: LadderRaw): string {
  const h = raw.host;
  const facts: [string, string][] = [
    ["Machine", `${h.cpu}, ${h.cores} cores, ${fixed(h.memoryMib)} MiB`],
    ["System", `${h.os}, kernel ${h.kernel}`],
    ["Runtime", `Node ${h.node}, Swarm ${h.version}${h.commit ? `, commit ${h.commit}` : ""}`],
    ["Browser of the gate", raw.runtimeGate.ran ? (h.browser ?? BLANK) : `not run: ${raw.runtimeGate.reason}`],
    ["Load before the start", fixed(h.loadBefore, 2)],
    ["Model", `${raw.model}${raw.simulated ? ", simulated, priced at the list price of gemini-3.6-flash" : ""}`],
    ["Benchmark contract", `SHA-256 ${raw.contractSha256}`],
  ];
  return `<h2>Method and limits</h2>
<dl>${facts.map(([k, v]) => `<dt>${escapeHtml(k)}</dt><dd>${escapeHtml(v)}</dd>`).join("")}</dl>
<ul class="lim">
<li>Every 500 ms the kernel's figures of each class of processes are read from /proc; peak memory is the largest of those readings of the daemon alone. Per session is that peak less the daemon's memory at rest before the tier, divided by the sessions.</li>
<li>In flight is the largest number of responses open at one instant, counted by the model server, not by the daemon.</li>
<li>Delivered means a terminal handoff with an artifact that passed the gate and was signed; nothing was asked again and no session was restarted by hand.</li>
<li>${raw.simulated ? "The model is a simulator in a process of its own. It writes real pages and makes real mistakes, but its token counts, times and costs are not those of a real model." : "Token counts and cost are those the provider reported, priced from the catalogue named in the raw data."}</li>
<li>This was one run of each tier on a shared machine; repeat it before you rely on a difference. The original ran on 12 cores with another model; its figures are beside ours to show the distance, not to measure it.</li>
<li>Video capture is blank: this run recorded none.</li>
</ul>
<pre>${escapeHtml(raw.command)}</pre>
<p class="sub">The raw data is in the folder <code>raw/</code> beside this file; <code>swarm bench report DIR</code> makes the report again from it.</p>`;
}
