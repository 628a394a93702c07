/** A small good card, and the same card with one piece replaced. */
export interface Pieces {
  /** Runs when the page loads. */
  readonly start?: string;
  /** Body of ready, before its own answer. */
  readonly ready?: string;
  /** Body of seek, before its own work. */
  readonly seek?: string;
  /** Draws the instant `ms` on `context`, instead of the good picture. */
  readonly draw?: string;
  /** Rewrites the statement that installs the interface. */
  readonly wrap?: (statement: string) => string;
}

const DRAW = `context.fillStyle = "#0b0f1a"; context.fillRect(0, 0, 640, 200);
  context.fillStyle = "#00f0ff"; context.fillRect(20 + ms / 20, 60, 30, 30);
  context.fillStyle = "#fbbf24"; context.fillRect(20, 120, 10 + 90 * Math.sin(ms / 900) ** 2, 12);`;

export function cardWith(pieces: Pieces): string {
  const hook = `globalThis.__SWARM_ANIMATION_V1__ = Object.freeze({
  version: "swarm.animation/v1",
  ready: async () => { ${pieces.ready ?? ""} return { duration_ms: 10000, fps: 60 }; },
  seek: async (ms) => {
    ${pieces.seek ?? ""}
    cancelAnimationFrame(handle);
    document.documentElement.dataset.swarmAnimationTimeMs = String(ms);
    draw(ms);
    return { time_ms: ms };
  },
});`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Card</title>
<style>
body { margin: 0; background: #0b0f1a; color: #87ceeb; font: 14px system-ui, sans-serif; }
canvas { width: 100%; height: 50vh; display: block; }
</style>
<script id="swarm-animation-manifest" type="application/json">{"version":"swarm.animation/v1","duration_ms":10000,"fps":60}</script>
</head>
<body>
<main id="card">
<header id="title"><h1>Load</h1></header>
<section id="stage"><canvas id="plot" width="640" height="200"></canvas></section>
<section id="readout"><output id="value">0</output></section>
</main>
<script>
"use strict";
const context = document.getElementById("plot").getContext("2d");
let handle = 0;
function draw(ms) {
  ${pieces.draw ?? DRAW}
}
function loop(now) { draw(now % 10000); handle = requestAnimationFrame(loop); }
${pieces.wrap?.(hook) ?? hook}
handle = requestAnimationFrame(loop);
${pieces.start ?? ""}
</script>
</body>
</html>
`;
}

export const GOOD_CARD = cardWith({});
