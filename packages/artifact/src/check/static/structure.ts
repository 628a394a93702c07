import { ErrorCodes, html } from "parse5";
import { ANIMATION_VERSION, ARTIFACT_LIMITS } from "@swarm/protocol";
import { attribute, offsetOf, type HtmlDocument, type HtmlElement } from "./document.ts";
import type { Fault } from "./fault.ts";

const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** Elements whose end tag the standard lets an author leave out. */
const OPTIONAL_END = new Set(
  "html head body p li dt dd option optgroup tr td th tbody thead tfoot colgroup caption rp rt".split(" "),
);
const REGIONS = new Set("main section header footer article nav aside figure form".split(" "));
const REGION_ID = /^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/u;
const MAX_FRAMES = 36_000;
export const MANIFEST_ID = "swarm-animation-manifest";

export interface Manifest {
  readonly duration_ms: number;
  readonly fps: number;
}

export function checkSize(html: string): Fault[] {
  const bytes = Buffer.byteLength(html);
  if (bytes > 0 && bytes <= ARTIFACT_LIMITS.bodyBytes) return [];
  const message = bytes === 0 ? "the document is empty" : `the document is ${bytes} bytes`;
  return [{ check: "size", message, fix: `send one HTML document of at most ${ARTIFACT_LIMITS.bodyBytes} bytes` }];
}

/** Elements in each other, and in all: a browser lays out more, a card never needs it. */
const DEPTH_MAX = 256;
const ELEMENTS_MAX = 10_000;

export function checkWellFormed(document: HtmlDocument): Fault[] {
  const deep = document.elements.find((element) => depthOf(element) > DEPTH_MAX);
  if (deep !== undefined || document.elements.length > ELEMENTS_MAX) {
    const message =
      deep === undefined
        ? `the document has ${document.elements.length} elements`
        : `elements are nested deeper than ${DEPTH_MAX}`;
    return [
      {
        check: "html_well_formed",
        message,
        fix: `use at most ${ELEMENTS_MAX} elements and ${DEPTH_MAX} levels`,
        ...(deep === undefined ? {} : { offset: offsetOf(deep) }),
      },
    ];
  }
  const faults: Fault[] = document.errors.map((error) => ({
    check: "html_well_formed",
    message: `HTML parse error ${error.code}`,
    fix:
      error.code === ErrorCodes.missingDoctype ? "begin the document with <!doctype html>" : "correct the markup there",
    offset: error.startOffset,
  }));
  for (const element of document.elements) {
    const location = element.sourceCodeLocation;
    if (location === null || location === undefined || location.endTag !== undefined) continue;
    const inHtml = element.namespaceURI === html.NS.HTML;
    if (inHtml && (VOID.has(element.tagName) || OPTIONAL_END.has(element.tagName))) continue;
    const open = location.startTag ?? location;
    if (!inHtml && document.html.slice(open.startOffset, open.endOffset).endsWith("/>")) continue;
    const message = `<${element.tagName}> is never closed`;
    faults.push({
      check: "html_well_formed",
      message,
      fix: `add </${element.tagName}>`,
      offset: location.startOffset,
    });
  }
  return faults;
}

function depthOf(element: HtmlElement): number {
  let depth = 0;
  for (
    let at: HtmlElement["parentNode"] = element;
    at !== null && "parentNode" in at && depth <= DEPTH_MAX;
    at = at.parentNode
  )
    depth++;
  return depth;
}

export function checkMain(document: HtmlDocument): Fault[] {
  const mains = document.elements.filter((element) => element.tagName === "main");
  const first = mains[0];
  const fix = 'put the whole card into exactly one <main id="…">';
  if (first === undefined) return [{ check: "main_region", message: "the document has no <main>", fix }];
  const second = mains[1];
  if (second !== undefined)
    return [
      {
        check: "main_region",
        message: `the document has ${mains.length} <main> elements`,
        fix,
        offset: offsetOf(second),
      },
    ];
  if ((attribute(first, "id") ?? "") !== "") return [];
  return [{ check: "main_region", message: "<main> has no id", fix, offset: offsetOf(first) }];
}

/** Ids name the parts of an artifact in later edits: they must be unique in the document and plain in the regions. */
export function checkRegionIds(document: HtmlDocument): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const element of document.elements) {
    const id = attribute(element, "id");
    if (id === undefined) continue;
    const offset = offsetOf(element, { name: "id" });
    if (seen.has(id))
      faults.push({
        check: "region_ids",
        message: `the id "${id}" occurs twice`,
        fix: "give each element its own id",
        offset,
      });
    seen.add(id);
    if (isRegion(element) && !REGION_ID.test(id))
      faults.push({
        check: "region_ids",
        message: `<${element.tagName}> has the unusable id "${id.slice(0, 40)}"`,
        fix: "use a letter followed by letters, digits and hyphens",
        offset,
      });
  }
  return faults;
}

export function isRegion(element: HtmlElement): boolean {
  return REGIONS.has(element.tagName);
}

/** Exactly one manifest with exactly its three fields; undefined when there is none that can be read. */
export function checkManifest(document: HtmlDocument): { manifest: Manifest | undefined; faults: Fault[] } {
  const found = document.scripts.filter((script) => attribute(script.element, "id") === MANIFEST_ID);
  const first = found[0];
  const fix = `keep exactly one <script id="${MANIFEST_ID}" type="application/json">{"version":"${ANIMATION_VERSION}","duration_ms":10000,"fps":60}</script>`;
  const fault = (message: string, offset?: number) => ({
    manifest: undefined,
    faults: [{ check: "manifest", message, fix, ...(offset === undefined ? {} : { offset }) }],
  });
  if (first === undefined) return fault("the animation manifest is missing");
  if (found.length > 1)
    return fault(`there are ${found.length} animation manifests`, offsetOf(found[1]?.element ?? first.element));
  if (attribute(first.element, "type") !== "application/json")
    return fault("the animation manifest is not of type application/json", offsetOf(first.element));
  let value: unknown;
  try {
    value = JSON.parse(first.text);
  } catch {
    return fault("the animation manifest is not JSON", first.offset);
  }
  const wrong = wrongManifest(value);
  if (wrong !== undefined) return fault(`the animation manifest ${wrong}`, first.offset);
  return { manifest: value as Manifest, faults: [] };
}

function wrongManifest(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "is not an object";
  const { version, duration_ms: duration, fps, ...rest } = value as Record<string, unknown>;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) return `has the unknown field "${unknown.slice(0, 40)}"`;
  if (version !== ANIMATION_VERSION) return `has the version ${JSON.stringify(version)?.slice(0, 40)}`;
  if (!isWhole(duration, 100, 600_000)) return `has duration_ms ${JSON.stringify(duration)} (100 to 600000)`;
  if (!isWhole(fps, 1, 60)) return `has fps ${JSON.stringify(fps)} (1 to 60)`;
  if ((duration * fps) / 1000 > MAX_FRAMES) return `asks for more than ${MAX_FRAMES} frames`;
  return undefined;
}

function isWhole(value: unknown, low: number, high: number): value is number {
  return Number.isInteger(value) && (value as number) >= low && (value as number) <= high;
}
