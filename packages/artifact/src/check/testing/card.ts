/** A good card with a little of everything that must not be mistaken for a fault. */
export const GOOD_CARD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Card 041</title>
<style>
:root { --cyan: #00f0ff; }
body { margin: 0; background: #0b0f1a; color: var(--cyan); font: 14px system-ui, sans-serif; }
canvas { width: 100%; height: 50vh; display: block; }
</style>
<script id="swarm-animation-manifest" type="application/json">{"version":"swarm.animation/v1","duration_ms":10000,"fps":60}</script>
</head>
<body>
<main id="card">
<header id="title"><h1>Load of worker</h1></header>
<section id="stage"><canvas id="plot" width="640" height="200"></canvas></section>
<section id="readout"><output id="value">0</output> <p>see https://example.org for more</p></section>
</main>
<script>
"use strict";
// the idea came from https://example.org/idea
const context = document.getElementById("plot").getContext("2d");
let handle = 0;
function draw(ms) {
  context.fillStyle = "#0b0f1a";
  context.fillRect(0, 0, 640, 200);
  context.fillStyle = "#00f0ff";
  context.fillRect(20 + ms / 20, 60, 30, 30);
}
function loop(now) { draw(now % 10000); handle = requestAnimationFrame(loop); }
globalThis.__SWARM_ANIMATION_V1__ = Object.freeze({
  version: "swarm.animation/v1",
  ready: async () => ({ duration_ms: 10000, fps: 60 }),
  seek: async (ms) => {
    cancelAnimationFrame(handle);
    document.documentElement.dataset.swarmAnimationTimeMs = String(ms);
    draw(ms);
    return { time_ms: ms };
  },
});
handle = requestAnimationFrame(loop);
</script>
</body>
</html>
`;
