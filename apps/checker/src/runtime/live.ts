import { quantileOf } from "@swarm/std";
import type { Manifest } from "@swarm/artifact/check";
import { SMALL, type CardPage } from "./card-page.ts";
import { announcedNode, askReady, liveFigures, postAsStranger, postToCard, shownText } from "./in-page.ts";
import type { Ledger } from "./ledger.ts";

const READY_MS = 2_000;
const LIVE_MS = 1_000;
/** Left to itself before anything is sent to it, so that it has said whether it takes data. */
const QUIET_MS = 400;
/**
 * The aim is one frame at 60 per second; refused only where a busy machine cannot be the reason: that one stretches
 * some frames, not the half of them.
 */
const FRAME_COST_REFUSED_MS = 50;
/** A reading no synthetic series shows. */
const READING = 424_242;
const FOREIGN_READING = 313_131;
const STRANGE_READING = 535_353;
/** Readings are rounded for show, to three digits at worst. */
const CLOSE = 0.005;
/** A card draws what it is sent within some frames; a stranger's frame has to load first. */
const SHOW_MS = 60;
const STRANGER_MS = 120;
const HOOK = "__SWARM_ANIMATION_V1__";

export interface LiveFigures {
  readonly frameCostP95Ms?: number;
  readonly fps?: number;
}

/** Whether the page is ready to be captured: without that no later check means anything. */
export async function checkReady(card: CardPage, manifest: Manifest, ledger: Ledger): Promise<boolean> {
  const { problem, answer } = await card.run(askReady, READY_MS);
  const expected = `{"duration_ms":${manifest.duration_ms},"fps":${manifest.fps}}`;
  const wanted = `let it be Object.freeze({ version: "swarm.animation/v1", ready, seek }), where ready resolves to ${expected}`;
  switch (problem) {
    case "missing":
      ledger.fail(
        "ready",
        `missing hook ${HOOK} when the page ran`,
        `install globalThis.${HOOK} in an inline script that runs before DOMContentLoaded; ${wanted}`,
      );
      return false;
    case "not frozen":
    case "version":
    case "members":
      ledger.fail("ready", `${HOOK} is wrong: ${problem}${answer === "" ? "" : ` ${answer.slice(0, 40)}`}`, wanted);
      return false;
    case "late":
    case "threw":
      ledger.fail(
        "ready",
        problem === "late"
          ? `the page was not ready within ${READY_MS} ms`
          : `getting ready failed: ${answer.slice(0, 120)}`,
        wanted,
      );
      return false;
    default:
  }
  ledger.judge(
    "ready",
    sameFigures(answer, manifest),
    "ready in time, as the manifest says",
    `the ready answer was ${answer.slice(0, 120)}`,
    `answer exactly ${expected}, as the manifest says`,
  );
  return true;
}

function sameFigures(answer: string, manifest: Manifest): boolean {
  const value = JSON.parse(answer) as unknown;
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 2) return false;
  const { duration_ms: duration, fps } = value as Record<string, unknown>;
  return duration === manifest.duration_ms && fps === manifest.fps;
}

/** About a second of live playback, before any seek: its cost, the data channel, and a hand on mouse and keyboard. */
export async function checkLive(card: CardPage, loadedAt: number, ledger: Ledger): Promise<LiveFigures> {
  await waitUntil(card, loadedAt + QUIET_MS);
  const errorsBefore = card.complaints.errors.length;
  await checkData(card, await card.outside(announcedNode, undefined), ledger);
  await card.page.mouse.click(SMALL.width / 2, SMALL.height / 2);
  await card.page.keyboard.press("ArrowRight");
  await waitUntil(card, loadedAt + LIVE_MS);
  const { costs, fps } = await card.run(liveFigures, undefined);
  const errors = card.complaints.errors.slice(errorsBefore);
  ledger.judge(
    "input",
    errors.length === 0,
    "a click and a key press do no harm",
    `a click or key press caused: ${errors[0] ?? ""}`,
    "handle pointer and key events without errors",
  );
  if (costs.length === 0) {
    ledger.pass("live_playback", "no frame callback ran: the picture is animated by the browser");
    return {};
  }
  const sorted = [...costs].sort((a, b) => a - b);
  const p95 = quantileOf(sorted, 0.95) ?? 0;
  const median = quantileOf(sorted, 0.5) ?? 0;
  const figures = { frameCostP95Ms: Math.round(p95 * 100) / 100, fps: Math.round(fps * 10) / 10 };
  ledger.judge(
    "live_playback",
    p95 <= FRAME_COST_REFUSED_MS || median <= FRAME_COST_REFUSED_MS / 2,
    `frame cost p95 ${figures.frameCostP95Ms} ms, ${figures.fps} frames per second`,
    `a frame callback takes ${figures.frameCostP95Ms} ms at p95; the aim is 16.7 ms`,
    "draw less in each frame",
  );
  return figures;
}

async function waitUntil(card: CardPage, at: number): Promise<void> {
  const rest = at - performance.now();
  if (rest > 0) await card.page.waitForTimeout(rest);
}

/** The channel is optional; a card that says it takes data must show what its embedder sends, and nothing else. */
async function checkData(card: CardPage, node: unknown, ledger: Ledger): Promise<void> {
  if (typeof node !== "string") return ledger.pass("data_channel", "no data channel");
  const fix =
    "show the value of a swarm.data/v1 message in the text when event.source is window.parent and its node is the card's own, and ignore every other";
  await card.outside(postToCard, reading(FOREIGN_READING, `${node}-other`));
  if (shows(await card.look(shownText, SHOW_MS), FOREIGN_READING))
    return ledger.fail("data_channel", "a reading for another node was shown", fix);
  await card.outside(postAsStranger, reading(STRANGE_READING, node));
  if (shows(await card.look(shownText, STRANGER_MS), STRANGE_READING))
    return ledger.fail("data_channel", "a reading that did not come from the embedder was shown", fix);
  await card.outside(postToCard, reading(READING, node));
  ledger.judge(
    "data_channel",
    shows(await card.look(shownText, SHOW_MS), READING),
    "a reading from the embedder for the card's node is shown, no other is",
    `the reading ${READING} for node ${node.slice(0, 40)} was not shown in the text`,
    fix,
  );
}

export function reading(value: number, node: string): object {
  return { type: "swarm.data/v1", node, value, unit: "ms", history: [1, 2, 3, value], at: Date.now() };
}

/** Whether a text holds the value as people write it: 424242, 424,242, 424.242, 424 242, 424.2k, 0.424M. */
export function shows(text: string, value: number): boolean {
  for (const [, digits = "", suffix = ""] of text.matchAll(
    /(?<![\w.])(\d+(?:[.,'\u2019\u202f\u00a0 ]\d{3})*(?:[.,]\d+)?)\s?([kKMG]?)/gu,
  )) {
    const times = { "": 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9 }[suffix] ?? 1;
    const plain = digits.replace(/[\s'\u2019]/gu, "");
    const readings = [plain.replace(",", ".")];
    if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u.test(plain)) readings.push(plain.replaceAll(",", ""));
    if (/^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/u.test(plain)) readings.push(plain.replaceAll(".", "").replace(",", "."));
    if (readings.some((reading) => Math.abs(Number.parseFloat(reading) * times - value) <= value * CLOSE)) return true;
  }
  return false;
}
