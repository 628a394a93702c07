import type { Finding } from "@swarm/protocol";
import type { Place, SourceText } from "./source.ts";

/** Findings of one check that are kept: the rest is counted in one more line. */
const PER_CHECK_MAX = 8;

/** What the static stage judges, in the order of the report, with the sentence of a pass. */
export const STATIC_CHECKS = {
  size: "the document is within the size limit",
  html: "the HTML has no parse error",
  manifest: "exactly one valid manifest",
  script_syntax: "all inline scripts parse",
  css_syntax: "all style sheets and style attributes parse",
  external_reference: "nothing outside the document is referred to",
  forbidden_api: "no network, worker, storage, popup or navigation interface is used",
  forbidden_element: "no frame, plug-in or media element",
  picture: "a canvas context, SVG or WAAPI draws the picture",
  frame_loop: "requestAnimationFrame or WAAPI moves it",
  hook: "__SWARM_ANIMATION_V1__ is installed on the global object",
  main: "exactly one <main> with an id",
  region_ids: "region ids are unique and stable",
  secret: "no key or token in the text",
} as const;
export type StaticCheck = keyof typeof STATIC_CHECKS;

/** Collects failures; what did not fail has passed. */
export class Findings {
  readonly #source: SourceText;
  readonly #failed = new Map<string, Finding[]>();
  readonly #more = new Map<string, number>();

  constructor(source: SourceText) {
    this.#source = source;
  }

  fail(check: StaticCheck, message: string, where: number | Place | undefined, fix: string): void {
    const list = this.#failed.get(check) ?? [];
    if (list.length >= PER_CHECK_MAX) {
      this.#more.set(check, (this.#more.get(check) ?? 0) + 1);
      return;
    }
    const place = typeof where === "number" ? this.#source.placeOf(where) : where;
    const same = list.some((f) => f.line === place?.line && f.column === place?.column && f.message === message);
    if (!same) list.push({ check, ok: false, message, ...(place ?? {}), fix });
    this.#failed.set(check, list);
  }

  has(check: StaticCheck): boolean {
    return this.#failed.has(check);
  }

  /** All checks in order; a check that failed shows its failures, by place. */
  all(): Finding[] {
    return Object.entries(STATIC_CHECKS).flatMap(([check, passed]): Finding[] => {
      const failed = this.#failed.get(check);
      if (failed === undefined) return [{ check, ok: true, message: passed }];
      const more = this.#more.get(check);
      const sorted = failed.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
      return more === undefined ? sorted : [...sorted, { check, ok: false, message: `and ${more} more of this kind` }];
    });
  }
}
