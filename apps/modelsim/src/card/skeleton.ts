/** Puts a card together: page, style, data, picture, hooks. The same subject gives the same bytes. */
import { hash32, seededRandom } from "../seeded.ts";
import { visualFor } from "./choose.ts";
import {
  HOOK_ANCHOR,
  HOOK_BLOCK,
  KIT_BODY,
  KIT_END,
  KIT_HEAD,
  KIT_TAIL,
  PAGE_HEAD,
  SEEDED_LINE,
} from "./skeleton-parts.ts";
import type { CardSubject } from "./subject.ts";
import { rangeOf } from "./synthetic.ts";

export { FONT_LINK, HOOK_ANCHOR, HOOK_BLOCK, SEEDED_LINE, UNSEEDED_LINE } from "./skeleton-parts.ts";

const COLOURS = {
  cyan: ["#00F0FF", "0, 240, 255"],
  sky: ["#87CEEB", "135, 206, 235"],
  amber: ["#FBBF24", "251, 191, 36"],
} as const;
/** Main, second and mark. Amber leads rarely: it also means "look here". */
const SCHEMES = [
  ["cyan", "sky", "amber"],
  ["cyan", "sky", "amber"],
  ["sky", "cyan", "amber"],
  ["cyan", "sky", "amber"],
  ["amber", "sky", "cyan"],
] as const;

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** A JavaScript string literal that cannot end the script element. */
function literal(text: string): string {
  return JSON.stringify(text)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

export function generateCard(subject: CardSubject): string {
  const seed = hash32(`${subject.id}:${subject.name}`);
  const random = seededRandom(seed);
  const visual = visualFor(subject);
  const scheme = SCHEMES[Math.floor(random() * SCHEMES.length)]!;
  const [main, second, mark] = scheme.map((name) => COLOURS[name]) as unknown as readonly (readonly [string, string])[];
  const range = rangeOf(subject, random);
  const unit = subject.unit || "index";
  const fill: Record<string, string> = {
    ID: subject.id,
    NAME: escapeHtml(subject.name),
    DOMAIN: escapeHtml(subject.domain),
    PART: escapeHtml(subject.part.slice(0, 90)),
    READING: escapeHtml(subject.reading.slice(0, 90)),
    UNIT: escapeHtml(unit),
    ALT: escapeHtml(`${visual.alt}: ${subject.name}`),
    MAIN: main![0],
    MAINRGB: main![1],
    SECOND: second![0],
    MARK: mark![0],
    GLOWX: String(Math.round(25 + random() * 40)),
    LEGEND1: visual.legend[0],
    LEGEND2: visual.legend[1],
    LEGEND3: visual.legend[2],
  };
  const constants: Record<string, string | number | boolean> = {
    NODE: literal(subject.id),
    UNIT: literal(unit),
    SEED: seed,
    BASE: round(range.base),
    SPREAD: round(range.spread),
    LOW: range.low,
    HIGH: range.high,
    BURST: range.burst,
    WHOLE: range.whole,
    PERCENT: range.percent,
    MAIN: literal(main![1]),
    SECOND: literal(second![1]),
    MARK: literal(mark![1]),
    WHITE: literal("242, 247, 251"),
    SOFT: literal("169, 188, 208"),
    GRID: literal("34, 48, 74"),
    ...visual.parameters(random),
  };
  const declared = Object.entries(constants)
    .map(([name, value]) => `  const ${name} = ${value};\n`)
    .join("");
  const head = PAGE_HEAD.replace(/@([A-Z0-9]+)@/g, (whole, name: string) => fill[name] ?? whole);
  return (
    head +
    declared +
    KIT_HEAD +
    SEEDED_LINE +
    KIT_BODY +
    visual.code.replace(/^\n/, "\n") +
    KIT_TAIL +
    HOOK_BLOCK +
    HOOK_ANCHOR +
    KIT_END
  );
}
