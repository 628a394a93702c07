import type { CheckStage, Finding } from "@swarm/protocol";
import { attribute, offsetOf, parseDocument, type HtmlDocument } from "./document.ts";
import type { Fault } from "./fault.ts";
import { Lines } from "./lines.ts";
import { referencesIn } from "./references.ts";
import { checkScript, type ScriptFacts } from "./script/check-script.ts";
import { HOOK } from "./script/hook.ts";
import { findSecrets } from "./secret.ts";
import { checkMain, checkManifest, checkRegionIds, checkSize, checkWellFormed } from "./structure.ts";
import { checkStyle } from "./styles.ts";

/** Every check of the stage, in the order they are reported, with the words for having passed. */
const CHECKS: readonly (readonly [string, string])[] = [
  ["size", "the document is within its size"],
  ["html_well_formed", "the markup is well formed"],
  ["main_region", "there is exactly one main region with an id"],
  ["region_ids", "all ids are unique and plain"],
  ["manifest", "the animation manifest is valid"],
  ["scripts_parse", "all scripts parse"],
  ["css_parse", "all styles parse"],
  ["external_reference", "nothing leaves the document"],
  ["forbidden_api", "no storage and no media"],
  ["canvas_or_svg", "there is a canvas context or a drawing"],
  ["animation_source", "the animation has a frame source"],
  ["hook", "the animation interface is installed"],
  ["secret", "no credential was found"],
];
/** Faults of one check that are told apart in the report; the rest is a number. */
const FAULTS_SHOWN = 4;
const SCRIPT_TYPES = new Set([
  "",
  "text/javascript",
  "application/javascript",
  "text/ecmascript",
  "application/ecmascript",
  "module",
]);

/** The static stage: pure, by parsing, a few milliseconds. */
export function checkStatic(html: string): CheckStage {
  const started = performance.now();
  const size = checkSize(html);
  const faults = size.length > 0 ? size : readSafely(html);
  const findings = collect(html, faults, size.length > 0 ? 1 : CHECKS.length);
  return {
    stage: "static",
    verdict: findings.every((finding) => finding.ok) ? "passed" : "failed",
    findings,
    durationMs: performance.now() - started,
  };
}

/** A parser that gives up on a document that is made to be too deep is a fault of the document. */
function readSafely(html: string): Fault[] {
  try {
    // browsers take a byte order mark for none; places stay as they are
    return readDocument(html.replace(/^\uFEFF/, " "));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [
      {
        check: "html_well_formed",
        message: "the document is too deep to be read",
        fix: "make the markup and the scripts flatter",
      },
    ];
  }
}

function readDocument(html: string): Fault[] {
  const document = parseDocument(html);
  const facts: ScriptFacts = { faults: [], hook: false, animation: false, context: false, canvas: false };
  const styles = document.styles.flatMap((style) => checkStyle(style.text, style.offset, "stylesheet"));
  for (const script of document.scripts) {
    const type = (attribute(script.element, "type") ?? "").trim().toLowerCase();
    if (SCRIPT_TYPES.has(type)) checkScript(script.text, type === "module", script.offset, facts);
  }
  readAttributes(document, styles, facts);
  return [
    ...checkWellFormed(document),
    ...checkMain(document),
    ...checkRegionIds(document),
    ...checkManifest(document).faults,
    ...facts.faults,
    ...styles,
    ...referencesIn(document.elements),
    ...missing(document, facts),
    ...findSecrets(html),
  ];
}

function readAttributes(document: HtmlDocument, styles: Fault[], facts: ScriptFacts): void {
  for (const element of document.elements)
    for (const { name, value } of element.attrs) {
      if (name === "style")
        styles.push(...placed(checkStyle(value, 0, "declarationList"), offsetOf(element, { name })));
      else if (/^on[a-z]+$/u.test(name)) {
        const own: ScriptFacts = { faults: [], hook: false, animation: false, context: false, canvas: false };
        checkScript(`(function(event){${value}\n})`, false, 0, own);
        facts.faults.push(...placed(own.faults, offsetOf(element, { name })));
      }
    }
}

/** Entities make offsets inside an attribute's value unreliable: its faults are placed at the attribute. */
function placed(faults: readonly Fault[], offset: number): Fault[] {
  return faults.map((fault) => ({ ...fault, offset }));
}

function missing(document: HtmlDocument, facts: ScriptFacts): Fault[] {
  const faults: Fault[] = [];
  const svg = document.elements.some((element) => element.tagName === "svg");
  const canvas = facts.canvas || document.elements.some((element) => element.tagName === "canvas");
  // what a script does is known only when it parses: a broken one is one fault, not four
  if (facts.faults.some((fault) => fault.check === "scripts_parse")) return faults;
  if (!(canvas && facts.context) && !svg && !facts.animation)
    faults.push({
      check: "canvas_or_svg",
      message: canvas ? "the canvas is never given a context" : "there is no <canvas> and no <svg>",
      fix: 'draw on a <canvas> with getContext("2d") or in an <svg>',
    });
  else if (canvas && !facts.context && !svg)
    faults.push({
      check: "canvas_or_svg",
      message: "the canvas is never given a context",
      fix: 'call getContext("2d") on the <canvas>',
    });
  if (!facts.animation)
    faults.push({
      check: "animation_source",
      message: "no requestAnimationFrame loop and no Web Animation",
      fix: "drive the picture with a requestAnimationFrame loop",
    });
  if (!facts.hook)
    faults.push({
      check: "hook",
      message: `missing hook ${HOOK}`,
      fix: `install globalThis.${HOOK} = Object.freeze({ version: "swarm.animation/v1", ready, seek }) in an inline script before DOMContentLoaded`,
    });
  return faults;
}

function collect(html: string, faults: readonly Fault[], count: number): Finding[] {
  const lines = new Lines(html);
  return CHECKS.slice(0, count).flatMap(([check, passed]): Finding[] => {
    const own = faults.filter((fault) => fault.check === check).sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
    if (own.length === 0) return [{ check, ok: true, message: passed }];
    return own.slice(0, FAULTS_SHOWN).map((fault, index) => ({
      check,
      ok: false,
      message:
        index === FAULTS_SHOWN - 1 && own.length > FAULTS_SHOWN
          ? `${fault.message} (and ${own.length - FAULTS_SHOWN} more)`
          : fault.message,
      ...(fault.offset === undefined ? {} : lines.at(fault.offset)),
      fix: fault.fix,
    }));
  });
}
