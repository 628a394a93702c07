/**
 * A valid card of exactly `bytes` bytes, different for every `index`: what the scripted model of the bench hands
 * in. It passes the static gate; its samples table is what makes it long.
 */
export function benchCard(index: number, bytes = 16_384): string {
  const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Card ${index}</title>
<style>
body { margin: 0; background: #0b0f1a; color: #87ceeb; font: 14px system-ui, sans-serif; }
canvas { width: 100%; height: 60vh; display: block; }
</style>
<script id="swarm-animation-manifest" type="application/json">{"version":"swarm.animation/v1","duration_ms":10000,"fps":60}</script>
</head>
<body>
<main id="card-${index}">
<header id="title"><h1>Load of worker ${index}</h1></header>
<section id="stage"><canvas id="plot" width="640" height="300"></canvas></section>
<section id="readout"><output id="value">0</output> <span>events per second</span></section>
</main>
<script>
"use strict";
const DURATION = 10000;
const canvas = document.getElementById("plot");
const context = canvas.getContext("2d");
let handle = 0;
function draw(ms) {
  const t = ms / DURATION;
  context.fillStyle = "#0b0f1a";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.strokeStyle = "#00f0ff";
  context.beginPath();
  for (let x = 0; x < SAMPLES.length; x++) {
    const y = 150 + SAMPLES[x] * Math.sin(t * 6.283 + x / 9);
    if (x === 0) context.moveTo(0, y); else context.lineTo(x * canvas.width / SAMPLES.length, y);
  }
  context.stroke();
  document.getElementById("value").textContent = String(Math.round(400 + 300 * Math.sin(t * 6.283)));
}
function loop(now) { draw(now % DURATION); handle = requestAnimationFrame(loop); }
globalThis.__SWARM_ANIMATION_V1__ = Object.freeze({
  version: "swarm.animation/v1",
  ready: async () => ({ duration_ms: DURATION, fps: 60 }),
  seek: async (ms) => {
    cancelAnimationFrame(handle);
    document.documentElement.dataset.swarmAnimationTimeMs = String(ms);
    draw(ms);
    return { time_ms: ms };
  },
});
const SAMPLES = [
`;
  const tail = `0];
handle = requestAnimationFrame(loop);
</script>
</body>
</html>
`;
  let state = (index + 1) * 2654435761;
  let samples = "";
  const room = bytes - head.length - tail.length;
  while (samples.length < room) {
    let line = "  ";
    for (let i = 0; i < 12; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      line += `${(state % 9000) / 100}, `;
    }
    samples += `${line.trimEnd()}\n`;
  }
  // cut at the last whole number that fits, fill the rest with spaces
  const cut = samples.slice(0, room);
  const whole = cut.slice(0, cut.lastIndexOf(",") + 1);
  return head + whole.padEnd(room - 1, " ") + "\n" + tail;
}
