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
  ["html_well_formed", "elements nested without end", markup("<div>".repeat(9000) + "</div>".repeat(9000))],
  ["html_well_formed", "more elements than a card needs", markup("<i></i>".repeat(10_001))],
  ["scripts_parse", "brackets nested without end", script(`${"(".repeat(20_000)}1${")".repeat(20_000)};`)],
  ["scripts_parse", "conditions nested without end", script(`${"1?".repeat(20_000)}1${":1".repeat(20_000)};`)],
  ["scripts_parse", "statements nested without end", script(`${"if(1)".repeat(20_000)};`)],
  ["scripts_parse", "branches nested without end", script(`if(1);${"else if(1);".repeat(20_000)}`)],
  ["scripts_parse", "a broken event attribute", markup('<p onclick="if (">x</p>')],
  ["external_reference", "a script of a data address", head('<script src="data:text/javascript,1"></script>')],
  ["external_reference", "an import map", head('<script type="importmap">{"imports":{}}</script>')],
  ["external_reference", "rules for prefetching", head('<script type="speculationrules">{}</script>')],
  [
    "external_reference",
    "a scheme hidden by a tab and an entity",
    markup('<img alt="" src="ht\tps&colon;//example.org/a.png">'),
  ],
  ["external_reference", "an address with backslashes", markup('<img alt="" src="\\\\example.org\\a.png">')],
  [
    "external_reference",
    "a picture in a template",
    markup('<template><img alt="" src="https://example.org/a.png"></template>'),
  ],
  [
    "external_reference",
    "an animated address",
    markup('<svg><image href="#a"><set attributeName="href" to="https://example.org/a.png"/></image></svg>'),
  ],
  ["css_parse", "a CSS url written with an escape", style("p { background: u\\72l(https://example.org/a.png) }")],
  ["external_reference", "a CSS import by url()", style("@import url(//example.org/a.css) layer(x);")],
  ["external_reference", "fetch taken apart by assignment", script("let f; ({ fetch: f } = window); f('/x');")],
  ["external_reference", "fetch of a window given to a function", script("(function (w) { w.fetch('/x'); })(window);")],
  ["external_reference", "fetch of this", script("this.fetch('/x');")],
  ["external_reference", "fetch by reflection", script("Reflect.get(window, 'fetch')('/x');")],
  ["external_reference", "fetch by a constant key", script("const k = ['fe', 'tch'].join(''); window[k]('/x');")],
  ["external_reference", "fetch of the document's window", script("document.defaultView.fetch('/x');")],
  [
    "external_reference",
    "an attribute set by a script",
    script("document.body.setAttribute('background', 'https://example.org/a.png');"),
  ],
  [
    "external_reference",
    "an import rule of a script",
    script("document.styleSheets[0].insertRule('@import \"//example.org/a.css\"');"),
  ],
  [
    "external_reference",
    "a script made by a script",
    script("document.body.append(document.createElement('script'));"),
  ],
  ["external_reference", "a navigation of the embedder", script("top.location.href = 'https://example.org';")],
  ["forbidden_api", "a video", markup("<video></video>")],
  ["forbidden_api", "a sound made by a script", script("document.createElement('audio').play();")],
  ["forbidden_api", "a dialog", script("alert('x');")],
  ["forbidden_api", "code from a string", script("eval('1');")],
  ["forbidden_api", "a function from a string", script("new Function('return 1')();")],
  ["forbidden_api", "a function from a string by its constructor", script("(() => 1).constructor('return 1')();")],
  ["forbidden_api", "a timer with a string", script("setTimeout('draw(1)', 10);")],
  ["hook", "a hook that is not frozen", put("Object.freeze({", "({")],
  ["hook", "a hook without seek", put("  seek: async", "  sought: async")],
  ["hook", "a hook of another version", put('  version: "swarm.animation/v1"', '  version: "swarm.animation/v2"')],
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
  ["a byte order mark", `\uFEFF${GOOD_CARD}`],
  ["a CSS namespace", style("@namespace svg url(http://www.w3.org/2000/svg);")],
  [
    "conditions of new CSS",
    style(
      "@supports (display: grid) and (not (display: x)) { p { inset: 0 } } @property --x { syntax: '<number>'; inherits: false; initial-value: 0 } @starting-style { p { opacity: 0 } } :is(h1, h2):has(> p) { aspect-ratio: 1 / 2 } @layer a, b;",
    ),
  ],
  ["addresses in comments", markup("<!-- <img src='https://example.org/a.png'> -->")],
  [
    "own members with the names of others",
    script(
      "const o = { fetch: 1, open() {}, alert() {} }; o.open(); o.alert(o.fetch); let location = 1; location = 2;",
    ),
  ],
  ["a function of its own called alert", script("{ const alert = (level) => level; alert(1); }")],
  [
    "a timer with a function, a constructor of a class",
    script("setTimeout(() => draw(1), 10); class A { make() { return new this.constructor(1); } } new A().make();"),
  ],
  ["a long list", script(`const list = [${"1, ".repeat(20_000)}1]; list.at(0);`)],
  ["many statements and branches", script("if (handle === 1) draw(1); else if (handle === 2) draw(2);\n".repeat(1000))],
  [
    "the hook given a function's window",
    put("globalThis.__SWARM_ANIMATION_V1__ =", "const hook =").replace(
      "  },\n});\nhandle",
      "  },\n});\n(function (root) { root.__SWARM_ANIMATION_V1__ = hook; })(window);\nhandle",
    ),
  ],
  ["a read of the location", script("draw(location.hash.length);")],
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
