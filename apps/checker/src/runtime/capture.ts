import { createHash } from "node:crypto";
import type { Manifest } from "@swarm/artifact/check";
import { BIG, SMALL, type CardPage } from "./card-page.ts";
import { announcedNode, hiddenRegions, postToCard, seekTo, settle, shownText } from "./in-page.ts";
import { reading } from "./live.ts";
import type { Ledger } from "./ledger.ts";
import { colours } from "./png.ts";

const SEEK_MS = 2_000;
const LATE_READING = 717_171;
const LATE_MS = 40;
/** Shares of the duration, deliberately out of order: a picture that depends on the one before shows it. */
const INTERIOR = [0.8, 0.1, 0.5, 0.3, 0.95, 0.65, 0.2] as const;
const STILLS = [0, 0.5, 0.8] as const;
/** Every instant a second time, in another order. */
const AGAIN = [0.5, 1, 0.2, 0, 0.95, 0.3, 0.8, 0.65, 0.1] as const;
/** Large frames are slow to take: three instants, each visited twice with others between. */
const BIG_VISITS = [0, 0.5, 0.8, 0, 0.5, 0.8] as const;
/** Of nine instants; a slow picture may repeat itself, a still one always does. */
const DISTINCT_MIN = 3;
/** Fewer than this is an empty page. */
const COLOURS_MIN = 4;
const REGION_TAGS = "main, section[id], header[id], footer[id], article[id], nav[id], aside[id], figure[id], form[id]";
const TIME_ONLY =
  "draw from the requested time alone: take noise from a seeded generator instead of Math.random, and clear the canvas and all state first";

export interface RawStill {
  readonly timeMs: number;
  readonly width: number;
  readonly height: number;
  readonly png: Buffer;
}

/** Visits instants in and out of order and judges the browser's frames. Leaves when seeking itself does not work. */
export async function checkCapture(
  card: CardPage,
  manifest: Manifest,
  ledger: Ledger,
  stills: RawStill[],
): Promise<void> {
  const instant = (share: number) => Math.round(share * manifest.duration_ms);
  await card.look(settle, undefined);
  const shots = new Map<number, Buffer>();
  for (const share of [0, ...INTERIOR, 1]) {
    const png = await visit(card, instant(share), ledger);
    if (png === undefined) return;
    shots.set(share, png);
  }
  await checkVisible(card, SMALL, ledger);
  for (const share of STILLS) {
    const png = shots.get(share);
    if (png !== undefined) stills.push({ timeMs: instant(share), ...SMALL, png });
  }
  const changed: number[] = [];
  for (const share of AGAIN) {
    const png = await visit(card, instant(share), ledger);
    if (png === undefined) return;
    if (digest(png) !== digest(shots.get(share))) changed.push(instant(share));
  }
  ledger.pass("seek_shape", "every instant is answered as asked");
  ledger.judge(
    "seek_identity",
    changed.length === 0,
    "the same instant gives identical pixels, in any order",
    `two visits to ${changed.join(", ")} ms gave different pixels`,
    TIME_ONLY,
  );
  // a picture that differs by itself would blame the reading
  if (changed.length === 0) await checkSeekIgnoresData(card, shots.get(AGAIN.at(-1) ?? 0), ledger);
  const distinct = new Set([...shots.values()].map(digest)).size;
  ledger.judge(
    "not_still",
    distinct >= DISTINCT_MIN,
    `${distinct} of ${shots.size} instants differ`,
    `only ${distinct} of ${shots.size} instants differ: the picture does not move`,
    "make the picture depend on the requested time",
  );
  const most = Math.max(...[0, 0.5].map((share) => colours(shots.get(share) ?? Buffer.alloc(0))));
  ledger.judge(
    "not_blank",
    most >= COLOURS_MIN,
    "the picture is not blank",
    `the picture is blank (${most} colours)`,
    "draw the card when an instant is requested",
  );
  await checkBig(card, instant, ledger);
}

/** A reading that comes while an instant is shown must wait: the frame stands as it was. */
async function checkSeekIgnoresData(card: CardPage, before: Buffer | undefined, ledger: Ledger): Promise<void> {
  const node = await card.outside(announcedNode, undefined);
  if (typeof node !== "string") return;
  await card.outside(postToCard, reading(LATE_READING, node));
  await card.look(shownText, LATE_MS);
  ledger.judge(
    "seek_ignores_data",
    digest(await card.shot()) === digest(before),
    "a reading that comes during a seek changes nothing",
    "a reading that came during a seek changed the picture",
    "after seek(ms) show the synthetic data of that instant and ignore swarm.data/v1 messages",
  );
}

async function checkBig(card: CardPage, instant: (share: number) => number, ledger: Ledger): Promise<void> {
  await card.page.setViewportSize(BIG);
  await card.look(settle, undefined);
  const seen = new Map<number, string>();
  const changed = new Set<number>();
  for (const share of BIG_VISITS) {
    const png = await visit(card, instant(share), ledger);
    if (png === undefined) return;
    if ((seen.get(share) ?? digest(png)) !== digest(png)) changed.add(instant(share));
    seen.set(share, digest(png));
  }
  ledger.judge(
    "big_view",
    changed.size === 0,
    "identical at 1920×1080 too",
    `at 1920×1080 two visits to ${[...changed].join(", ")} ms gave different pixels`,
    TIME_ONLY,
  );
  await checkVisible(card, BIG, ledger);
  ledger.pass("visible", "every region is inside the viewport at both sizes");
}

async function visit(card: CardPage, ms: number, ledger: Ledger): Promise<Buffer | undefined> {
  const { answer, dataset } = await card.run(seekTo, { ms, limitMs: SEEK_MS });
  if (answer !== `{"time_ms":${ms}}` || dataset !== String(ms)) {
    const found =
      answer === `{"time_ms":${ms}}`
        ? `left data-swarm-animation-time-ms at "${dataset.slice(0, 20)}"`
        : `answered ${answer.slice(0, 100)}`;
    ledger.fail(
      "seek_shape",
      `the request for ${ms} ms ${found}`,
      `set document.documentElement.dataset.swarmAnimationTimeMs to the integer asked for and resolve to exactly {"time_ms":${ms}}`,
    );
    return undefined;
  }
  return card.shot();
}

async function checkVisible(card: CardPage, size: { width: number; height: number }, ledger: Ledger): Promise<void> {
  const problems = await card.look(hiddenRegions, REGION_TAGS);
  if (problems.length > 0)
    ledger.fail(
      "visible",
      `at ${size.width}×${size.height} ${problems.slice(0, 3).join("; ")}`,
      "fit every region into the viewport, without scrolling, at 640×400 and 1920×1080",
    );
}

function digest(png: Buffer | undefined): string {
  return createHash("sha256")
    .update(png ?? "")
    .digest("base64");
}
