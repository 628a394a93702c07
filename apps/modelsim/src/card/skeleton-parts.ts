/** The fixed text of every card: page, style and the code around its picture. `@NAME@` marks what a subject fills in. */

export const PAGE_HEAD = String.raw`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@ID@ @NAME@</title>
<script id="swarm-animation-manifest" type="application/json">
{ "version": "swarm.animation/v1", "duration_ms": 10000, "fps": 60 }
</script>
<style>
  :root {
    --ground: #0B0F1A; --raised: #111829; --line: #22304a;
    --text: #F2F7FB; --soft: #A9BCD0; --quiet: #8499B0;
    --main: @MAIN@; --second: @SECOND@; --mark: @MARK@;
    --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
    --sans: system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
    --small: clamp(11px, 1.75vmin, 19px);
    --gap: clamp(6px, 1.7vmin, 18px);
  }
  * { box-sizing: border-box; margin: 0; }
  html, body { height: 100%; background: var(--ground); color: var(--text); overflow: hidden; }
  body { font: 400 var(--small)/1.35 var(--sans); font-variant-numeric: tabular-nums; }
  main {
    display: grid; height: 100vh; padding: clamp(12px, 3.2vmin, 36px) clamp(14px, 4vmin, 46px);
    gap: var(--gap) clamp(10px, 2.6vmin, 30px);
    grid-template-columns: 34% minmax(0, 1fr) clamp(78px, 13vmin, 150px);
    grid-template-rows: auto minmax(0, 1fr) auto auto;
    grid-template-areas: "header header header" "stage stage stats" "readout trace trace" "legend legend legend";
    background: radial-gradient(120% 90% at @GLOWX@% 40%, rgba(@MAINRGB@, .07), transparent 62%), var(--ground);
  }
  header { grid-area: header; display: flex; align-items: baseline; gap: .7em; white-space: nowrap; min-width: 0; }
  .node { font: 600 var(--small)/1 var(--mono); color: var(--main); letter-spacing: .04em; }
  h1 { font: 600 clamp(14px, 2.7vmin, 30px)/1.2 var(--mono); letter-spacing: .05em; text-transform: uppercase; color: #C6D6E6; overflow: hidden; text-overflow: ellipsis; }
  .domain { color: var(--quiet); overflow: hidden; text-overflow: ellipsis; flex: 1 1 0; }
  .source { color: var(--soft); font-family: var(--mono); padding: .18em .65em; border: 1px solid var(--line); border-radius: 99px; }
  .source::before { content: ""; display: inline-block; width: .55em; height: .55em; margin-right: .5em; border-radius: 50%; box-shadow: inset 0 0 0 1.5px var(--quiet); }
  .source[data-live="yes"] { color: var(--text); border-color: var(--main); }
  .source[data-live="yes"]::before { background: var(--main); box-shadow: 0 0 .6em var(--main); }
  #stage { grid-area: stage; position: relative; min-width: 0; min-height: 0; }
  #trace { grid-area: trace; position: relative; min-width: 0; min-height: 0; }
  canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
  #stats { grid-area: stats; display: flex; flex-direction: column; justify-content: center; gap: clamp(6px, 2.2vmin, 26px); min-height: 0; }
  #stats dt { font-family: var(--mono); color: var(--second); line-height: 1.15; }
  #stats dd { font-weight: 600; font-size: clamp(14px, 3vmin, 33px); line-height: 1.12; white-space: nowrap; }
  #stats .peak { color: var(--mark); }
  #readout { grid-area: readout; min-width: 0; align-self: end; }
  #value { font-weight: 650; font-size: clamp(32px, 9.4vmin, 102px); line-height: 1; letter-spacing: -.02em; }
  #unit { font-size: clamp(15px, 3.4vmin, 38px); color: var(--soft); margin-left: .28em; }
  .what { color: var(--quiet); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  #legend { grid-area: legend; display: flex; flex-wrap: nowrap; gap: 0 1.6em; color: var(--soft); white-space: nowrap; min-width: 0; overflow: hidden; }
  #legend i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .5em; vertical-align: -.06em; }
  #legend .part { color: var(--quiet); margin-left: auto; overflow: hidden; text-overflow: ellipsis; }
  @media (max-width: 440px), (max-height: 250px) {
    main { padding: 10px; grid-template-columns: 44% minmax(0, 1fr); grid-template-rows: auto minmax(0, 1fr) auto; grid-template-areas: "header header" "stage stage" "readout trace"; }
    #stats, #legend, .domain, .source, .what { display: none; }
  }
</style>
</head>
<body>
<main id="card-@ID@">
  <header id="header">
    <span class="node">@ID@</span>
    <h1>@NAME@</h1>
    <span class="domain">@DOMAIN@</span>
    <span id="source" class="source" data-live="no">synthetic data</span>
  </header>
  <section id="stage" aria-label="@ALT@">
    <canvas id="picture" role="img" aria-label="@ALT@"></canvas>
  </section>
  <section id="stats" aria-label="Figures of the window">
    <dl><dt>p50</dt><dd id="p50">0</dd></dl>
    <dl><dt>p95</dt><dd id="p95">0</dd></dl>
    <dl><dt>max</dt><dd id="peak" class="peak">0</dd></dl>
    <dl><dt>window</dt><dd>16 s</dd></dl>
  </section>
  <section id="readout" aria-label="Main reading">
    <p><output id="value">0</output><span id="unit">@UNIT@</span></p>
    <p class="what">@READING@</p>
  </section>
  <section id="trace" aria-label="Last sixteen seconds">
    <canvas id="history" role="img" aria-label="The reading over the window, with its p95 as a dashed line"></canvas>
  </section>
  <footer id="legend">
    <span><i style="background:@MAIN@"></i>@LEGEND1@</span>
    <span><i style="background:@SECOND@"></i>@LEGEND2@</span>
    <span><i style="background:@MARK@"></i>@LEGEND3@</span>
    <span class="part">@PART@</span>
  </footer>
</main>
<script>
(function () {
  "use strict";
`;

export const KIT_HEAD = String.raw`
  const DURATION_MS = 10000;
  const FPS = 60;
  const WINDOW = 64;
  const STEP_S = 0.25;
  const TAU = Math.PI * 2;

  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
  const mix = (a, b, k) => a + (b - a) * k;
  const ink = (rgb, alpha) => "rgba(" + rgb + ", " + alpha + ")";

`;

export const SEEDED_LINE = String.raw`  // Integer hash of a cell: the same number for the same cell, whoever asks and whenever.
  function chance(cell) {
    let h = Math.imul((cell | 0) ^ SEED, 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
  }
`;

export const UNSEEDED_LINE = String.raw`  // A number for each cell.
  function chance(cell) {
    return (Math.random() + cell * 0) % 1;
  }
`;

export const KIT_BODY = String.raw`
  // Smooth noise along x, one lane per use: 0 to 1.
  function wave(x, lane) {
    const cell = Math.floor(x);
    const k = x - cell;
    const s = k * k * (3 - 2 * k);
    return mix(chance(cell + lane * 7919), chance(cell + 1 + lane * 7919), s);
  }

  // ---- data: synthetic from the seed, or what the embedder feeds ----

  let fed = null;

  function synthetic(step) {
    const s = step * STEP_S;
    const drift = wave(s * 0.21, 1) * 0.5 + wave(s * 0.73, 2) * 0.34 + wave(s * 2.1, 3) * 0.16;
    const burst = Math.max(0, wave(s * 0.47, 4) - 0.72) * 2.4;
    const value = BASE + SPREAD * (drift * 2 - 1) + SPREAD * burst * BURST;
    return WHOLE ? Math.max(LOW, Math.round(value)) : clamp(value, LOW, HIGH);
  }

  // The window as the picture needs it: values oldest first, normalised 0 to 1, and the figures beside it.
  function reading(ms, live) {
    const at = ms / 1000 / STEP_S + 4096;
    const step = Math.floor(at);
    const values = [];
    for (let i = WINDOW - 1; i >= 0; i--) {
      values.push(live ? live.history[Math.max(0, live.history.length - 1 - i)] : synthetic(step - i));
    }
    const value = live ? live.value : values[WINDOW - 1];
    const sorted = values.slice().sort((a, b) => a - b);
    const low = sorted[0];
    const high = sorted[WINDOW - 1];
    const pad = (high - low) * 0.12;
    const norm = (v) => (high > low ? clamp((v - low + pad) / (high - low + 2 * pad), 0, 1) : 0.12);
    const top = PERCENT ? 100 : Math.max(high * 1.12, 1e-9);
    return {
      value, values, norm, shift: live ? 0 : at - step, p50: sorted[WINDOW >> 1], p95: sorted[Math.floor(WINDOW * 0.95)], peak: high,
      level: clamp(value / top, 0, 1),
      now: norm(value),
      // The i-th newest sample, 0 to 1, gliding between two steps.
      past: (i) => {
        const k = clamp(WINDOW - 1 - i, 1, WINDOW - 1);
        return mix(norm(values[k - 1]), norm(values[k]), live ? 1 : at - step);
      },
    };
  }

  function show(v) {
    const size = Math.abs(v);
    if (size >= 1e9) return (v / 1e9).toFixed(2) + "G";
    if (size >= 1e6) return (v / 1e6).toFixed(2) + "M";
    if (size >= 1e4) return (v / 1e3).toFixed(1) + "k";
    if (size >= 1e3) return String(Math.round(v)).replace(/(\d)(\d{3})$/, "$1,$2");
    if (Number.isInteger(v)) return String(v);
    return size >= 100 ? v.toFixed(0) : size >= 10 ? v.toFixed(1) : size >= 1 ? v.toFixed(2) : v.toPrecision(2);
  }

  // ---- drawing helpers ----

  function fit(canvas) {
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    const w = Math.max(1, canvas.clientWidth);
    const h = Math.max(1, canvas.clientHeight);
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    const g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.lineCap = "round";
    g.lineJoin = "round";
    return { g, w, h };
  }

  // A neon line: a wide faint stroke under a thin bright one.
  function neon(g, rgb, width, path) {
    g.beginPath();
    path(g);
    g.strokeStyle = ink(rgb, 0.13);
    g.lineWidth = width * 4.5;
    g.stroke();
    g.strokeStyle = ink(rgb, 0.95);
    g.lineWidth = width;
    g.stroke();
  }

  function dot(g, x, y, radius, rgb, alpha) {
    g.fillStyle = ink(rgb, alpha * 0.18);
    g.beginPath();
    g.arc(x, y, radius * 2.3, 0, TAU);
    g.fill();
    g.fillStyle = ink(rgb, alpha);
    g.beginPath();
    g.arc(x, y, radius, 0, TAU);
    g.fill();
  }

  function label(g, text, x, y, align, rgb, size) {
    g.font = "500 " + Math.max(11, Math.round(size)) + "px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
    g.textAlign = align;
    g.textBaseline = "middle";
    g.fillStyle = ink(rgb, 1);
    g.fillText(text, x, y);
  }

  // ---- the picture ----
`;

export const KIT_TAIL = String.raw`
  // ---- the window below it ----

  function drawTrace(g, w, h, r) {
    const x = (i) => (w * (i - r.shift)) / (WINDOW - 1);
    const y = (v) => h - 4 - r.norm(v) * (h - 10);
    g.strokeStyle = ink(GRID, 0.55);
    g.lineWidth = 1;
    for (let k = 0; k <= 8; k++) {
      const gx = Math.round((w * k) / 8) + 0.5;
      g.beginPath();
      g.moveTo(gx, 0);
      g.lineTo(gx, h);
      g.stroke();
    }
    const path = (c) => r.values.forEach((v, i) => (i === 0 ? c.moveTo(x(i), y(v)) : c.lineTo(x(i), y(v))));
    g.beginPath();
    path(g);
    g.lineTo(x(WINDOW - 1), h);
    g.lineTo(0, h);
    g.closePath();
    g.fillStyle = ink(MAIN, 0.12);
    g.fill();
    g.setLineDash([5, 5]);
    g.strokeStyle = ink(MARK, 0.8);
    g.beginPath();
    g.moveTo(0, y(r.p95));
    g.lineTo(w, y(r.p95));
    g.stroke();
    g.setLineDash([]);
    neon(g, MAIN, 1.6, path);
    dot(g, x(WINDOW - 1), y(r.values[WINDOW - 1]), 3, WHITE, 1);
  }

  const byId = (id) => document.getElementById(id);
  const canvases = [byId("picture"), byId("history")];
  const fields = { value: byId("value"), unit: byId("unit"), p50: byId("p50"), p95: byId("p95"), peak: byId("peak") };
  const source = byId("source");

  function write(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function render(ms) {
    const live = capturing ? null : fed;
    const r = reading(ms, live);
    const stage = fit(canvases[0]);
    draw(stage.g, stage.w, stage.h, ms / 1000, r);
    if (ripple && !capturing) drawRipple(stage.g, ms);
    const below = fit(canvases[1]);
    drawTrace(below.g, below.w, below.h, r);
    for (const name of ["value", "p50", "p95", "peak"]) write(fields[name], show(r[name]));
    write(fields.unit, live && live.unit ? live.unit : UNIT);
    write(source, live ? "live" : "synthetic data");
    source.dataset.live = live ? "yes" : "no";
  }

  // ---- time: a wall clock outside capture, the asked instant inside ----

  let capturing = false;
  let request = 0;
  let timer = 0;
  let shownMs = 0;
  let startMs = null;
  let pace = FPS;
  let ripple = null;

  function stop() {
    cancelAnimationFrame(request);
    clearTimeout(timer);
    request = timer = 0;
    startMs = null;
  }

  function tick(now) {
    request = 0;
    if (capturing || document.hidden || pace === 0) return;
    if (startMs === null) startMs = now - shownMs;
    shownMs = Math.max(shownMs, now - startMs);
    render(shownMs);
    run();
  }

  function run() {
    if (capturing || document.hidden || pace === 0 || request || timer) return;
    if (pace >= FPS) {
      request = requestAnimationFrame(tick);
      return;
    }
    timer = setTimeout(() => {
      timer = 0;
      request = requestAnimationFrame(tick);
    }, 1000 / pace);
  }

  function seek(ms) {
    if (!Number.isFinite(ms)) return Promise.reject(new RangeError("seek needs a time in milliseconds"));
    stop();
    capturing = true;
    const time = clamp(Math.round(ms), 0, DURATION_MS);
    document.documentElement.dataset.swarmAnimationTimeMs = String(time);
    shownMs = time;
    render(time);
    return Promise.resolve({ time_ms: time });
  }

`;

export const HOOK_BLOCK = String.raw`  Object.defineProperty(globalThis, "__SWARM_ANIMATION_V1__", {
    value: Object.freeze({
      version: "swarm.animation/v1",
      ready: () => Promise.resolve({ duration_ms: DURATION_MS, fps: FPS }),
      seek: seek,
    }),
    enumerable: true,
  });

`;

export const HOOK_ANCHOR = "  // ---- the embedder and the person ----\n";

export const KIT_END = String.raw`
  addEventListener("message", (event) => {
    const data = event.data;
    if (event.source !== window.parent || data === null || typeof data !== "object") return;
    if (data.type === "swarm.data/v1/pace" && Number.isFinite(data.fps)) {
      pace = clamp(data.fps, 0, FPS);
      stop();
      run();
    }
    if (data.type !== "swarm.data/v1" || data.node !== NODE || !Number.isFinite(data.value)) return;
    const history = Array.isArray(data.history) ? data.history.filter(Number.isFinite).slice(-WINDOW) : [];
    fed = { value: data.value, unit: typeof data.unit === "string" ? data.unit.slice(0, 12) : "", history: history.length > 0 ? history : [data.value] };
    if (!capturing) render(shownMs);
  });

  function drawRipple(g, ms) {
    const age = (ms - ripple.ms) / 900;
    if (age < 0 || age > 1) return;
    g.strokeStyle = ink(WHITE, 0.6 * (1 - age));
    g.lineWidth = 1.5;
    g.beginPath();
    g.arc(ripple.x, ripple.y, 6 + age * 60, 0, TAU);
    g.stroke();
  }

  byId("stage").addEventListener("pointerdown", (event) => {
    ripple = { x: event.offsetX, y: event.offsetY, ms: shownMs };
  });
  document.addEventListener("visibilitychange", () => {
    stop();
    run();
  });
  addEventListener("resize", () => render(shownMs));

  render(0);
  run();
  window.parent.postMessage({ type: "swarm.data/v1/ready", node: NODE }, "*");
})();
</script>
</body>
</html>
`;

export const FONT_LINK =
  '<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=JetBrains+Mono:wght@400;600&display=swap">';
