import { between, real, type Visual } from "../visual.ts";

export const histogram: Visual = {
  name: "histogram",
  legend: ["count per bin", "last window", "p95"],
  alt: "A histogram of the window with its quantiles",
  parameters: (random) => ({
    BINS: between(random, 26, 44),
    SKEW: real(random, 1.4, 3.2),
    SWING: real(random, 0.05, 0.14),
  }),
  code: String.raw`
  // Weight of a bin: a skewed body that moves with the reading and a thin tail.
  function weight(u, t, r, lag) {
    const centre = 0.16 + 0.3 * r.past(lag) + SWING * (wave(t * 0.6, 50) - 0.5);
    const spread = 0.07 + 0.07 * r.past(lag + 6);
    const d = (u - centre) / (spread * (u > centre ? SKEW * 0.62 : 0.8));
    return Math.exp(-0.5 * d * d) + 0.1 * Math.exp(-Math.abs(u - 0.72) * 9) * wave(t * 0.8, 51);
  }

  function draw(g, w, h, t, r) {
    const floor = h - Math.max(20, h * 0.09);
    const pitch = w / BINS;
    const body = pitch * 0.72;
    for (let i = 1; i <= 4; i++) {
      const y = Math.round(floor - (floor * 0.94 * i) / 4) + 0.5;
      g.strokeStyle = ink(GRID, 0.8);
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(0, y);
      g.lineTo(w, y);
      g.stroke();
    }
    let total = 0;
    const heights = [];
    for (let i = 0; i < BINS; i++) {
      const u = (i + 0.5) / BINS;
      const k = weight(u, t, r, 0) * (0.86 + 0.28 * wave(t * 2.2 + i * 0.9, 52 + (i % 5)));
      heights.push(k);
      total += k;
    }
    let sum = 0;
    let median = 0;
    let tail = 0;
    heights.forEach((k, i) => {
      sum += k / total;
      if (median === 0 && sum >= 0.5) median = i;
      if (tail === 0 && sum >= 0.95) tail = i;
    });
    for (let i = 0; i < BINS; i++) {
      const x = i * pitch + (pitch - body) / 2;
      const tall = Math.max(2, heights[i] * floor * 0.86);
      const rgb = i >= tail ? MARK : MAIN;
      const last = Math.max(1, weight((i + 0.5) / BINS, t - 2, r, 18) * floor * 0.86);
      g.fillStyle = ink(rgb, 0.2);
      g.fillRect(x, floor - tall, body, tall);
      g.fillStyle = ink(rgb, i >= tail ? 0.9 : 0.55 + 0.4 * heights[i]);
      g.fillRect(x, floor - tall, body, Math.min(tall, Math.max(3, tall * 0.82)));
      g.fillStyle = ink(WHITE, 0.85);
      g.fillRect(x, floor - tall - 2, body, 2);
      g.strokeStyle = ink(SECOND, 0.8);
      g.lineWidth = 1.4;
      g.beginPath();
      g.moveTo(x - 1, floor - last);
      g.lineTo(x + body + 1, floor - last);
      g.stroke();
    }
    for (const [name, bin, rgb, value] of [["p50", median, SECOND, r.p50], ["p95", tail, MARK, r.p95]]) {
      const x = Math.round((bin + 0.5) * pitch) + 0.5;
      g.setLineDash([4, 5]);
      g.strokeStyle = ink(rgb, 0.9);
      g.lineWidth = 1.4;
      g.beginPath();
      g.moveTo(x, 4);
      g.lineTo(x, floor);
      g.stroke();
      g.setLineDash([]);
      label(g, name + " " + show(value), clamp(x + 7, 0, w - h * 0.34), 10 + (name === "p50" ? 0 : h * 0.075), "left", rgb, h * 0.045);
    }
    g.fillStyle = ink(SOFT, 0.6);
    g.fillRect(0, floor, w, 1);
    for (let k = 0; k <= 4; k++) {
      const value = mix(0, r.peak * 1.4, k / 4);
      label(g, show(Number(value.toPrecision(2))), clamp((w * k) / 4, 12, w - 18), floor + (h - floor) / 2 + 1, "center", SOFT, h * 0.042);
    }
  }
`,
};
