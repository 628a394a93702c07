/** Faults a card can have, each found in the document's own text, so that a repair needs no memory of making it. */
import { FONT_LINK, HOOK_ANCHOR, HOOK_BLOCK, SEEDED_LINE, UNSEEDED_LINE } from "../card/skeleton.ts";

export interface Edit {
  readonly find: string;
  readonly replace: string;
}

export interface Defect {
  readonly id: "missingHook" | "externalFont" | "mathRandom";
  /** How a report speaks of it. */
  readonly named: RegExp;
  /** In the model's own words. */
  readonly words: string;
  inject(document: string): string;
  /** Edits that take it out, undefined when the document does not have it. */
  repair(document: string): readonly Edit[] | undefined;
}

const INSTALLED =
  /globalThis\.__SWARM_ANIMATION_V1__\s*=|defineProperty\(\s*(?:globalThis|window)\s*,\s*["']__SWARM_ANIMATION_V1__["']/;
const OUTSIDE_LINK = /[ \t]*<link\b[^>]*\bhref=["'](?:https?:)?\/\/[^>]*>\n?/gi;

export const DEFECTS: readonly Defect[] = [
  {
    id: "missingHook",
    named: /__SWARM_ANIMATION|\bhooks?\b|\bready\(\)|\bseek\(/i,
    words: "the animation hook was never installed",
    inject: (document) => document.replace(HOOK_BLOCK, ""),
    repair: (document) =>
      INSTALLED.test(document) || document.split(HOOK_ANCHOR).length !== 2
        ? undefined
        : [{ find: HOOK_ANCHOR, replace: HOOK_BLOCK + HOOK_ANCHOR }],
  },
  {
    id: "externalFont",
    named: /external|\bfonts?\b|googleapis|stylesheet|https?:\/\/|outside (reference|resource)/i,
    words: "it loaded a font from another host",
    inject: (document) => document.replace("<style>", `${FONT_LINK}\n<style>`),
    repair: (document) => {
      const links = document.match(OUTSIDE_LINK);
      return links === null ? undefined : [...new Set(links)].map((find) => ({ find, replace: "" }));
    },
  },
  {
    id: "mathRandom",
    named: /Math\.random|non-?determin|identical pixels|(frames?|pixels) differ|seek_identity/i,
    words: "the picture used Math.random()",
    inject: (document) => document.replace(SEEDED_LINE, UNSEEDED_LINE),
    repair: (document) =>
      document.includes(UNSEEDED_LINE) ? [{ find: UNSEEDED_LINE, replace: SEEDED_LINE }] : undefined,
  },
];

/** Faults that a report names, whether or not the document has them. */
export function namedIn(report: string): readonly Defect[] {
  return DEFECTS.filter((defect) => defect.named.test(report));
}
