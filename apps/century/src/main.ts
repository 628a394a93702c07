/** `npm run century`: installs what is missing, runs tiers of the Century Run, ends with table, report and desktop. */
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { join, resolve } from "node:path";
import { errorMessage, isAppError } from "@swarm/std";
import { PROTOCOL_VERSION } from "@swarm/protocol";
import { resolveHome, stopDaemon } from "@swarm/launcher";
import { openDaemon } from "./ladder/daemon.ts";
import { hostFacts } from "./ladder/host.ts";
import { DEFAULT_CAP_USD, HELP, parseOptions, type CenturyOptions } from "./ladder/options.ts";
import { printSummary } from "./ladder/summary.ts";
import { runTier } from "./ladder/tier.ts";
import { TIERS } from "./ladder/tiers.ts";
import { CONTRACT_SHA256 } from "./ladder/brief.ts";
import { samplesFile, samplesToCsv, writeRaw, type LadderRaw, type TierRaw } from "./report/raw.ts";
import { writeReport } from "./report/write.ts";

const ROOT = process.env["SWARM_ROOT"] ?? join(import.meta.dirname, "../../..");
const say = (line: string): void => console.error(`century: ${line}`);

/** A real card needs three to four requests of a few thousand fresh tokens: an estimate, the cap is what binds. */
const ESTIMATE_PER_CARD = { inputTokens: 36_000, outputTokens: 9_500 };

async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === "--report") return report(argv[1]);
  const options = parseOptions(argv);
  if (options === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  const tiers = options.tiers.map((n) => TIERS.find((t) => t.tier === n)!);
  const cards = tiers.reduce((n, t) => n + t.sessions, 0);
  const capUsd = await confirmCost(options, cards);
  if (capUsd === "declined") return 1;
  const browser = await provideBrowser(options);
  const { buildAll } = (await import(join(ROOT, "scripts", "build.ts"))) as {
    buildAll: (o: { quiet: boolean }) => Promise<void>;
  };
  await buildAll({ quiet: false });

  const home = resolveHome();
  const args = [
    "--sim-seed",
    String(options.seed),
    "--sim-speed",
    String(options.speed),
    "--default-model",
    options.model,
    ...(browser.path === undefined ? ["--no-runtime-gate"] : []),
  ];
  const daemon = await openDaemon({ home, root: ROOT, args, say });
  const status = await daemon.api().status();
  say(`${daemon.started ? "started" : "found"} the daemon (pid ${status.pid}, data in ${home})`);
  if (!daemon.started)
    say("it was running before: its settings and memory are from before; 'swarm down' first for a clean measurement");
  const open = async (): Promise<string> => `${daemon.run().desktop}/#${(await daemon.api().createLoginCode()).code}`;
  say(`desktop: ${await open()} (works once, for 60 s)`);

  const out = resolve(options.out ?? `century-report/${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`);
  const ladderId = randomUUID();
  const raws: TierRaw[] = [];
  const csvs = new Map<string, string>();
  const simulated = options.model.startsWith("sim");
  for (const tier of tiers) {
    say(
      `tier ${tier.tier}: ${tier.sessions} ${tier.sessions === 1 ? "session" : "sessions"} ${options.shape === "burst" ? "at once" : `in waves of ${tier.wave}`} on ${options.model}`,
    );
    const run = await runTier({
      tier,
      shape: options.shape,
      model: options.model,
      ladderId,
      budgetUsdPerCard: capUsd === undefined ? undefined : capUsd / cards,
      daemon,
      simulatorPort: async () => (simulated ? ((await daemon.api().status()).simulatorPort ?? undefined) : undefined),
      quiet: options.json,
    });
    raws.push(run.raw);
    csvs.set(samplesFile(run.raw), samplesToCsv(run.samples));
    const final = await daemon.api().status();
    const raw: LadderRaw = {
      format: 1,
      startedAt: new Date().toISOString(),
      command: `npm run century -- ${argv.join(" ")}`.trim(),
      model: options.model,
      simulated,
      seed: options.seed,
      speed: options.speed,
      contractSha256: CONTRACT_SHA256,
      host: hostFacts({
        version: `${final.version} (protocol ${PROTOCOL_VERSION})`,
        browser: browser.path,
        root: ROOT,
      }),
      runtimeGate: { ran: final.checker.runtime, reason: final.checker.reason },
      tiers: raws,
    };
    writeRaw(out, raw, csvs);
  }
  const { results, html } = writeReport(out);
  if (options.json) process.stdout.write(`${JSON.stringify({ report: html, tiers: results })}\n`);
  else printSummary(results, simulated);
  say(`report: ${html}`);
  if (options.exit) {
    await stopDaemon(home);
    say("daemon and desktop are down");
  } else {
    say(`desktop: ${await open()}`);
    say("daemon and desktop stay up; end them with: npm run swarm down");
  }
  return results.every((r) => r.delivered === r.sessions) ? 0 : 1;
}

function report(dir: string | undefined): number {
  if (dir === undefined) {
    console.error("Name the folder of a ladder: swarm bench report DIR");
    return 2;
  }
  const { raw, results, html } = writeReport(resolve(dir));
  printSummary(results, raw.simulated);
  say(`report: ${html}`);
  return 0;
}

async function confirmCost(options: CenturyOptions, cards: number): Promise<number | undefined | "declined"> {
  if (options.model.startsWith("sim")) return undefined;
  const cap = options.budgetUsd ?? DEFAULT_CAP_USD;
  say(
    `${cards} cards on ${options.model}, a real model: about ${Math.round((cards * ESTIMATE_PER_CARD.inputTokens) / 1000)}k input (most of it cached) and ${Math.round((cards * ESTIMATE_PER_CARD.outputTokens) / 1000)}k output tokens by estimate.`,
  );
  say(`It stops at $${cap.toFixed(2)} in all ($${(cap / cards).toFixed(4)} a card); change it with --budget-usd.`);
  if (options.yes) {
    if (options.budgetUsd !== undefined) return cap;
    say("with --yes a real model also needs --budget-usd X: say what it may cost");
    return "declined";
  }
  return (await ask("Start?")) ? cap : "declined";
}

async function provideBrowser(options: CenturyOptions): Promise<{ path: string | undefined }> {
  if (!options.browser) {
    say("the runtime gate is left out (--no-browser): cards are checked statically and called so");
    return { path: undefined };
  }
  const { ensureBrowser, findBrowser, INSTALL_COMMAND } = (await import(
    join(ROOT, "scripts", "browser.ts")
  )) as typeof import("../../../scripts/browser.ts");
  let install = options.yes;
  if (findBrowser() === undefined && !install) {
    say(`no Chromium here: the gate wants one to run each card (${INSTALL_COMMAND})`);
    install = process.stdin.isTTY ? await ask("Install it?") : false;
  }
  const browser = await ensureBrowser({ install, log: say });
  if (browser.path === undefined)
    say(`${browser.reason}. Going on with the static gate: cards will be 'static only', never 'verified'`);
  return browser;
}

async function ask(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    say(`cannot ask '${question}' without a terminal: use --yes`);
    return false;
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^(y|yes|)$/i.test((await reader.question(`${question} [Y/n] `)).trim());
  } finally {
    reader.close();
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(errorMessage(error));
  process.exitCode = isAppError(error) && error.code === "bad_request" ? 2 : 1;
}
