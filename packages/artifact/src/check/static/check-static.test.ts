import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "@swarm/protocol";
import { GOOD_CARD } from "../testing/card.ts";
import { checkStatic } from "./check-static.ts";

function failed(html: string): readonly Finding[] {
  return checkStatic(html).findings.filter((finding) => !finding.ok);
}

function put(find: string, replace: string): string {
  assert.ok(GOOD_CARD.includes(find), `the card has no ${find}`);
  return GOOD_CARD.replace(find, () => replace);
}

const script = (code: string) => put("let handle = 0;", `let handle = 0;\n${code}`);
const style = (css: string) => put("canvas {", `${css}\ncanvas {`);
const markup = (html: string) => put("</main>", `${html}\n</main>`);
const head = (html: string) => put("<style>", `${html}\n<style>`);

test("the good card has a passed finding for every check and no failed one", () => {
  const stage = checkStatic(GOOD_CARD);
  assert.deepEqual([stage.verdict, stage.findings.length, failed(GOOD_CARD)], ["passed", 13, []]);
});

const FAULTS: readonly (readonly [string, string, string, string?])[] = [
  ["size", "an empty document", ""],
  ["size", "a document over 1 MiB", markup(`<p>${"x".repeat(1024 * 1024)}</p>`)],
  ["html_well_formed", "no doctype", put("<!doctype html>\n", "")],
  ["html_well_formed", "an attribute given twice", put('<main id="card">', '<main id="card" lang="a" lang="b">')],
  ["html_well_formed", "a section that is never closed", put("</section>\n<section", "\n<section")],
  ["main_region", "no main", GOOD_CARD.replace('<main id="card">', '<div id="card">').replace("</main>", "</div>")],
  ["main_region", "two mains", put("</main>", '</main><main id="second"></main>')],
  ["main_region", "a main without an id", put('<main id="card">', "<main>")],
  ["region_ids", "an id that occurs twice", put('id="readout"', 'id="stage"')],
  ["region_ids", "an id that is no name", put('id="readout"', 'id="1 two"')],
  ["manifest", "no manifest", GOOD_CARD.replace(/<script id="swarm.*\n/u, "")],
  ["manifest", "two manifests", GOOD_CARD.replace(/<script id="swarm.*\n/u, "$&$&"), "region_ids"],
  ["manifest", "an unknown field", put('"fps":60}', '"fps":60,"loop":true}')],
  ["manifest", "61 frames per second", put('"fps":60}', '"fps":61}')],
  ["manifest", "a duration too short", put('"duration_ms":10000', '"duration_ms":99')],
  ["manifest", "a duration that is no whole number", put('"duration_ms":10000', '"duration_ms":600000.5')],
  ["manifest", "another version", put("swarm.animation/v1", "swarm.animation/v2")],
  ["scripts_parse", "a script with a syntax error", script("const = 1;")],
  ["css_parse", "a style with a syntax error", style("p { color: ; ) }")],
  [
    "external_reference",
    "a font of another host",
    head('<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter">'),
  ],
  ["external_reference", "a prefetched host", head('<link rel="dns-prefetch" href="//example.org">')],
  ["external_reference", "a base", head('<base href="https://example.org/">')],
  ["external_reference", "a meta refresh", head('<meta http-equiv="refresh" content="0;url=https://example.org">')],
  ["external_reference", "a script of another file", head('<script src="chart.js"></script>')],
  ["external_reference", "a picture", markup('<img alt="" src="https://example.org/a.png">')],
  [
    "external_reference",
    "one picture of a set",
    markup('<img alt="" srcset="data:image/png;base64,AA 1x, https://example.org/b.png 2x">'),
  ],
  ["external_reference", "a form's action", markup('<form action="https://example.org"></form>')],
  ["external_reference", "an svg use", markup('<svg><use xlink:href="https://example.org/a.svg#b"/></svg>')],
  ["external_reference", "a script's address in a link", markup('<a href="javascript:alert(1)">x</a>')],
  ["external_reference", "an embedded document", markup('<iframe srcdoc="x"></iframe>')],
  ["external_reference", "a style attribute", markup('<p style="background:url(https://example.org/a.png)">x</p>')],
  ["external_reference", "an event attribute", markup("<p onclick=\"fetch('/x')\">x</p>")],
  ["external_reference", "a CSS url", style("p { background: url('https://example.org/a.png') }")],
  ["external_reference", "a CSS import", style("@import 'https://example.org/a.css';")],
  ["external_reference", "a CSS image set", style("p { background: image-set('https://example.org/a.png' 1x) }")],
  ["external_reference", "a CSS font face", style("@font-face { font-family: X; src: url(//example.org/x.woff2) }")],
  ["external_reference", "a CSS url in a custom property", style(":root { --a: url(https://example.org/a.png) }")],
  ["external_reference", "fetch", script("fetch('/x');")],
  ["external_reference", "fetch by pieces", script('window["fe" + "tch"]("/x");')],
  ["external_reference", "fetch under another name", script("const g = globalThis; const f = g.fetch; f('/x');")],
  ["external_reference", "fetch taken apart", script("const { fetch: f } = window; f('/x');")],
  ["external_reference", "fetch hidden behind a name of another scope", script("{ const fetch = 1; } fetch('/x');")],
  ["external_reference", "XMLHttpRequest", script("new XMLHttpRequest();")],
  ["external_reference", "WebSocket", script("new self.WebSocket('wss://example.org');")],
  ["external_reference", "EventSource", script("new EventSource('/x');")],
  ["external_reference", "a beacon", script("navigator.sendBeacon('/x');")],
  ["external_reference", "an import at run time", script("import('./x.js');")],
  ["external_reference", "a static import", head('<script type="module">import "./x.js";</script>')],
  ["external_reference", "a worker", script("new Worker('x.js');")],
  ["external_reference", "a service worker", script("navigator.serviceWorker.register('x.js');")],
  ["external_reference", "a peer connection", script("new RTCPeerConnection();")],
  ["external_reference", "a window", script("window.open('https://example.org');")],
  ["external_reference", "a navigation", script("location.href = 'https://example.org';")],
  ["external_reference", "a navigation by call", script("document.location.assign('/x');")],
  ["external_reference", "a picture of a script", script("new Image().src = 'https://example.org/a.png';")],
  [
    "external_reference",
    "markup of a script",
    script("document.body.innerHTML = '<img src=\"https://example.org/' + handle + '\">';"),
  ],
  [
    "external_reference",
    "a style of a script",
    script("document.body.style.background = 'url(https://example.org/a.png)';"),
  ],
  ["forbidden_api", "storage", script("localStorage.setItem('a', 'b');")],
  ["canvas_or_svg", "a canvas without a context", put('.getContext("2d")', "")],
  [
    "animation_source",
    "no frame source",
    GOOD_CARD.replaceAll("requestAnimationFrame", "setTimeout").replaceAll("cancelAnimationFrame", "clearTimeout"),
  ],
  ["hook", "no hook", put("globalThis.__SWARM_ANIMATION_V1__ =", "const hook =")],
  [
    "hook",
    "a hook that is only a comment",
    put("globalThis.__SWARM_ANIMATION_V1__ =", "/* globalThis.__SWARM_ANIMATION_V1__ = */ const hook ="),
  ],
  ["secret", "a key", script(`const key = "AKIA${"ABCDEFGH".repeat(2)}";`)],
];

for (const [check, name, html, also] of FAULTS)
  test(`${check}: ${name}`, () => {
    const checks = new Set(failed(html).map((finding) => finding.check));
    assert.deepEqual(checks, new Set(also === undefined ? [check] : [check, also]));
    for (const finding of failed(html)) assert.ok(finding.fix !== undefined && finding.fix !== "");
  });

const HARMLESS: readonly (readonly [string, string])[] = [
  [
    "the hook installed by defineProperty",
    put(
      "globalThis.__SWARM_ANIMATION_V1__ = Object.freeze({",
      "Object.defineProperty(window, '__SWARM_ANIMATION_V1__', { value: Object.freeze({",
    ).replace("  },\n});\nhandle", "  },\n}) });\nhandle"),
  ],
  [
    "the hook installed through a constant",
    put("globalThis.__SWARM_ANIMATION_V1__ =", "const host = globalThis; host['__SWARM_ANIMATION' + '_V1__'] ="),
  ],
  ["a module", put('<script>\n"use', '<script type="module">\n"use')],
  [
    "the word fetch in text and in strings",
    script("// fetch('https://example.org')\nconst words = 'fetch(\"https://example.org\")';"),
  ],
  ["an own function called open", script("{ const open = (day) => day + 1; open(4); }")],
  ["a member called fetch of an own object", script("const cache = { fetch() {} }; cache.fetch();")],
  ["an edge with a src", script("const edge = {}; edge.src = 'worker 1';")],
  ["a look whether there is a fetch", script("const online = typeof fetch === 'function';")],
  ["a data picture", markup('<img alt="" src="data:image/png;base64,iVBORw0KGgo=">')],
  ["a fragment link", markup('<a href="#stage">stage</a>')],
  [
    "an svg with its namespaces and a gradient of its own",
    markup(
      '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><defs><linearGradient id="g"/></defs><rect fill="url(#g)" width="1" height="1"/></svg>',
    ),
  ],
  ["an svg made by a script", script("document.createElementNS('http://www.w3.org/2000/svg', 'svg');")],
  ["a data font", style("@font-face { font-family: X; src: url(data:font/woff2;base64,AAAA) }")],
  [
    "nested rules and new functions",
    style("main { & p { color: color-mix(in oklab, red, blue) } } @container (width > 1px) { p { color: red } }"),
  ],
  ["other line ends", GOOD_CARD.replaceAll("\n", "\r\n")],
  ["an event attribute", markup('<button type="button" onclick="draw(5)">x</button>')],
];

for (const [name, html] of HARMLESS)
  test(`no fault is found in ${name}`, () => {
    assert.deepEqual(failed(html), []);
  });

test("a fault is placed by the line and column of the document", () => {
  const [finding] = failed(script("  fetch('/x');"));
  assert.deepEqual([finding?.line, finding?.column], [24, 3]);
  const [windows] = failed(script("  fetch('/x');").replaceAll("\n", "\r\n"));
  assert.deepEqual([windows?.line, windows?.column], [24, 3]);
});
