/** A whole card that passes every check of the gate: shown to the model, and checked by a test. */
export const EXAMPLE_CARD = String.raw`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>000 Queue Depth</title>
<script id="swarm-animation-manifest" type="application/json">
{ "version": "swarm.animation/v1", "duration_ms": 10000, "fps": 60 }
</script>
<style>
  * { box-sizing: border-box; margin: 0; }
  html, body { height: 100%; overflow: hidden; background: #0B0F1A; color: #F2F7FB; }
  body { font: 400 clamp(11px, 1.8vmin, 19px)/1.35 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
  main { display: grid; height: 100vh; padding: 3vmin 4vmin; gap: 1.8vmin; grid-template: auto minmax(0, 1fr) auto auto / minmax(0, 1fr) auto; }
  header, footer { grid-column: 1 / -1; display: flex; gap: 1em; align-items: baseline; white-space: nowrap; overflow: hidden; color: #A9BCD0; }
  h1 { font-size: clamp(14px, 2.8vmin, 30px); color: #87CEEB; }
  #stage { grid-column: 1 / -1; position: relative; min-height: 0; }
  canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
  #value { font-size: clamp(32px, 9vmin, 100px); font-weight: 650; line-height: 1; color: #00F0FF; text-shadow: 0 0 .25em rgba(0, 240, 255, .35); }
  #stats { align-self: end; color: #A9BCD0; }
</style>
</head>
<body>
<main id="card">
  <header id="header"><h1>Queue Depth</h1><span>Scheduler</span><span id="source">synthetic data</span></header>
  <section id="stage" aria-label="Depth over the last 16 seconds"><canvas id="view" role="img" aria-label="Line of the depth with its p95"></canvas></section>
  <section id="readout" aria-label="Main reading"><output id="value">0</output> <span id="unit">tasks</span></section>
  <section id="stats" aria-label="Figures">p50 <b id="p50">0</b> · p95 <b id="p95">0</b> · max <b id="peak">0</b></section>
  <footer id="legend"><span><b style="color:#00F0FF">■</b> depth</span><span><b style="color:#FBBF24">■</b> p95</span></footer>
</main>
<script>
(function () {
  "use strict";
  const NODE = "000", UNIT = "tasks", SEED = 41, DURATION_MS = 10000, FPS = 60, WINDOW = 64, STEP_MS = 250;
  const byId = (id) => document.getElementById(id);
  const canvas = byId("view");
  const g = canvas.getContext("2d");

  // All chance comes from here: the same cell gives the same number, whoever asks and whenever.
  function hash(cell) {
    let h = Math.imul((cell | 0) ^ SEED, 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
    return ((h ^ (h >>> 13)) >>> 0) / 4294967296;
  }
  function noise(x) {
    const cell = Math.floor(x), k = x - cell, s = k * k * (3 - 2 * k);
    return hash(cell) * (1 - s) + hash(cell + 1) * s;
  }
  const synthetic = (step) => Math.round(12 + 30 * noise(step * 0.13) + 10 * noise(step * 0.7 + 999));

  let fed = null;         // what the embedder sent last
  let capturing = false;  // after seek: no clock runs and fed is ignored

  // The whole picture as a function of the instant. Nothing is kept from one frame to the next.
  function draw(ms) {
    const live = capturing ? null : fed;
    const at = ms / STEP_MS + 4096, step = Math.floor(at);
    const values = [];
    for (let i = WINDOW - 1; i >= 0; i--) {
      values.push(live ? live.history[Math.max(0, live.history.length - 1 - i)] : synthetic(step - i));
    }
    const sorted = values.slice().sort((a, b) => a - b), p95 = sorted[Math.floor(WINDOW * 0.95)];
    const value = live ? live.value : values[WINDOW - 1];

    // text first: it may move the canvas
    const show = (v) => (Number.isInteger(v) ? String(v) : v.toFixed(2));
    byId("value").textContent = show(value);
    byId("unit").textContent = live && live.unit ? live.unit : UNIT;
    byId("p50").textContent = show(sorted[WINDOW >> 1]);
    byId("p95").textContent = show(p95);
    byId("peak").textContent = show(sorted[WINDOW - 1]);
    byId("source").textContent = live ? "live" : "synthetic data";

    const ratio = Math.min(2, globalThis.devicePixelRatio || 1), w = canvas.clientWidth, h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
    if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    const low = sorted[0], span = Math.max(1e-9, sorted[WINDOW - 1] - low), shift = live ? 0 : at - step;
    const x = (i) => (w * (i - shift)) / (WINDOW - 1), y = (v) => h - 8 - ((v - low) / span) * (h - 16);
    g.fillStyle = "#FBBF24";
    g.fillRect(0, Math.round(y(p95)), w, 2); // straight lines and boxes lie on whole pixels
    for (const [width, colour] of [[8, "rgba(0, 240, 255, .15)"], [2, "#00F0FF"]]) {
      g.lineWidth = width;
      g.strokeStyle = colour;
      g.beginPath();
      values.forEach((v, i) => (i ? g.lineTo(x(i), y(v)) : g.moveTo(x(i), y(v))));
      g.stroke();
    }
  }

  let frame = 0, timer = 0, shownMs = 0, startMs = null, pace = FPS;
  function stop() {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = timer = 0;
    startMs = null; // the next frame goes on from shownMs
  }
  function tick(now) {
    frame = 0;
    if (capturing || document.hidden || pace === 0) return;
    if (startMs === null) startMs = now - shownMs;
    shownMs = now - startMs;
    draw(shownMs % DURATION_MS);
    run();
  }
  function run() {
    if (capturing || document.hidden || pace === 0 || frame || timer) return;
    if (pace >= FPS) frame = requestAnimationFrame(tick);
    else timer = setTimeout(() => { timer = 0; frame = requestAnimationFrame(tick); }, 1000 / pace);
  }

  Object.defineProperty(globalThis, "__SWARM_ANIMATION_V1__", {
    value: Object.freeze({
      version: "swarm.animation/v1",
      ready: async () => ({ duration_ms: DURATION_MS, fps: FPS }),
      seek: async (ms) => {
        stop();
        capturing = true;
        const time = Math.min(DURATION_MS, Math.max(0, Math.round(ms)));
        document.documentElement.dataset.swarmAnimationTimeMs = String(time);
        shownMs = time; // a resize draws this instant again
        draw(time);
        return { time_ms: time };
      },
    }),
  });

  addEventListener("message", (event) => {
    const data = event.data;
    if (event.source !== window.parent || data === null || typeof data !== "object") return;
    if (data.type === "swarm.data/v1/pace" && Number.isFinite(data.fps)) {
      pace = Math.min(FPS, Math.max(0, data.fps));
      stop();
      run();
    }
    if (data.type !== "swarm.data/v1" || data.node !== NODE || !Number.isFinite(data.value)) return;
    const history = Array.isArray(data.history) ? data.history.filter(Number.isFinite).slice(-WINDOW) : [];
    fed = { value: data.value, unit: typeof data.unit === "string" ? data.unit : "", history: history.length ? history : [data.value] };
    if (!capturing) draw(shownMs % DURATION_MS);
  });
  document.addEventListener("visibilitychange", () => { stop(); run(); });
  addEventListener("resize", () => draw(shownMs % DURATION_MS));
  draw(0);
  run();
  window.parent.postMessage({ type: "swarm.data/v1/ready", node: NODE }, "*");
})();
</script>
</body>
</html>`;
