import type { Browser } from "playwright-core";
import type { CheckStage } from "@swarm/protocol";
import { errorMessage } from "@swarm/std";
import type { Manifest } from "@swarm/artifact/check";
import type { BrowserHost } from "../browser/host.ts";
import { checkCapture, type RawStill } from "./capture.ts";
import { CardPage, CrashedError } from "./card-page.ts";
import { Ledger } from "./ledger.ts";
import { checkLive, checkReady, type LiveFigures } from "./live.ts";

/** A page that answers nothing for this long hangs, and is closed by force: with closing it stays under 10 s. */
const SILENT_MS = 6_000;
/** All in all. A page that keeps answering is merely slow, as every page is on a busy machine. */
const BUDGET_MS = 30_000;
const WATCH_MS = 250;
const CLOSE_MS = 3_000;

export interface RuntimeResult {
  readonly stage: CheckStage;
  readonly stills: readonly RawStill[];
  readonly figures: LiveFigures;
}

/** The runtime stage, in the warm browser. The card is hostile: nothing it does outlives its page. */
export async function checkRuntime(
  host: BrowserHost,
  html: string,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<RuntimeResult> {
  const started = performance.now();
  const ability = await host.ability();
  if (!ability.runtime) return { stage: notRun(ability.reason), stills: [], figures: {} };
  const run = (browser: Browser) => runPage(host, browser, html, manifest, signal);
  let outcome: Outcome;
  try {
    outcome = await host.use(run, signal);
    // the browser went down under this page, perhaps because of another one: once more in a new one
    if (outcome.lost) outcome = await host.use(run, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { stage: notRun(`the browser failed: ${errorMessage(error).slice(0, 200)}`), stills: [], figures: {} };
  }
  if (outcome.lost) return { stage: notRun("the browser went down twice"), stills: [], figures: {} };
  const findings = outcome.ledger.findings();
  const verdict = findings.every((finding) => finding.ok) ? "passed" : "failed";
  const stage: CheckStage = { stage: "runtime", verdict, findings, durationMs: performance.now() - started };
  return { stage, stills: outcome.stills, figures: outcome.figures };
}

export function notRun(reason: string): CheckStage {
  return { stage: "runtime", verdict: "not_run", reason, findings: [], durationMs: 0 };
}

interface Outcome {
  readonly ledger: Ledger;
  readonly stills: RawStill[];
  figures: LiveFigures;
  /** The browser is gone, through no proven fault of this page. */
  lost: boolean;
}

async function runPage(
  host: BrowserHost,
  browser: Browser,
  html: string,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<Outcome> {
  signal.throwIfAborted();
  const outcome: Outcome = { ledger: new Ledger(), stills: [], figures: {}, lost: false };
  const { ledger } = outcome;
  const card = await CardPage.open(browser, html);
  const openedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const spent = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      const now = performance.now();
      if (now - card.answeredAt > SILENT_MS) resolve(`did not answer for ${SILENT_MS / 1000} s`);
      else if (now - openedAt > BUDGET_MS) resolve(`did not finish its checks within ${BUDGET_MS / 1000} s`);
    }, WATCH_MS);
  });
  const stopped = new Promise<"stopped">((resolve) => {
    if (signal.aborted) resolve("stopped");
    signal.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
  try {
    const work = judgePage(card, manifest, outcome);
    work.catch(() => {});
    const end = await Promise.race([work, card.crashed, spent, stopped]);
    if (end !== "done" && end !== "stopped")
      ledger.fail(
        "budget",
        `the page ${end}`,
        "remove endless loops and long blocking work; give control back after each frame",
      );
  } catch (error) {
    if (error instanceof CrashedError)
      ledger.fail(
        "crashed",
        "the page crashed its renderer",
        "use bounded memory: no growing arrays, buffers or canvases",
      );
    else if (!browser.isConnected()) outcome.lost = true;
    else
      ledger.fail(
        "page",
        `the page could not be driven: ${firstLine(error)}`,
        "keep to one document that stays where it is",
      );
  } finally {
    clearInterval(timer);
    if (!(await card.close(CLOSE_MS))) await host.replace(browser);
  }
  signal.throwIfAborted();
  judgeComplaints(card, ledger);
  return outcome;
}

async function judgePage(card: CardPage, manifest: Manifest, outcome: Outcome): Promise<"done"> {
  const startedAt = performance.now();
  await card.load();
  if (!(await checkReady(card, manifest, outcome.ledger))) return "done";
  outcome.figures = await checkLive(card, startedAt, outcome.ledger);
  await checkCapture(card, manifest, outcome.ledger, outcome.stills);
  return "done";
}

function judgeComplaints(card: CardPage, ledger: Ledger): void {
  const { errors, blocked, dialogs } = card.complaints;
  ledger.judge(
    "console_clean",
    errors.length === 0,
    "no error was reported",
    `the page reported: ${errors[0] ?? ""}`,
    "correct the script so that it runs without errors",
  );
  ledger.judge(
    "no_blocked_requests",
    blocked.length === 0,
    "the page asked for nothing from outside",
    `the page tried to reach outside: ${blocked[0] ?? ""}`,
    "remove every request and navigation",
  );
  ledger.judge(
    "no_dialogs",
    dialogs.length === 0,
    "no dialog was opened",
    `the page opened a dialog: ${dialogs[0] ?? ""}`,
    "remove alert, confirm, prompt and print",
  );
}

function firstLine(error: unknown): string {
  return errorMessage(error).split("\n")[0]?.slice(0, 160) ?? "";
}
