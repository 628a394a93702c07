import { between, real, type Visual } from "../visual.ts";

export const gauges: Visual = {
  name: "gauges",
  legend: ["value", "scale", "limit"],
  alt: "A cluster of six gauges",
  parameters: (random) => ({
    SKEW: real(random, 0.2, 0.9),
    TICKS: between(random, 16, 26),
    PACE: real(random, 0.4, 0.9),
  }),
  code: String.raw`
  const SIGNS = ["now", "mean", "p50", "p95", "drift", "load"];
  const START = Math.PI * 0.8;
  const SPAN = Math.PI * 1.4;

  function levelOf(i, t, r) {
    const own = r.past(i * 9) * 0.7 + 0.2 * wave(t * PACE + i * 3.3, 110 + i) + 0.06;
    return clamp(i === 0 ? mix(r.now, own, 0.2) : own + SKEW * 0.1 * Math.sin(t * 0.6 + i), 0.04, 0.98);
  }

  function drawGauge(g, x, y, radius, level, name, text) {
    const limit = 0.82;
    for (let i = 0; i <= TICKS; i++) {
      const u = i / TICKS;
      const a = START + SPAN * u;
      const inner = radius * (i % 4 === 0 ? 0.82 : 0.88);
      g.strokeStyle = u > limit ? ink(MARK, 0.85) : ink(SECOND, u <= level ? 0.9 : 0.3);
      g.lineWidth = i % 4 === 0 ? 2 : 1.2;
      g.beginPath();
      g.moveTo(x + Math.cos(a) * inner, y + Math.sin(a) * inner);
      g.lineTo(x + Math.cos(a) * radius * 0.95, y + Math.sin(a) * radius * 0.95);
      g.stroke();
    }
    g.strokeStyle = ink(GRID, 1);
    g.lineWidth = radius * 0.09;
    g.beginPath();
    g.arc(x, y, radius * 0.7, START, START + SPAN);
    g.stroke();
    neon(g, level > limit ? MARK : MAIN, radius * 0.07, (c) => c.arc(x, y, radius * 0.7, START, START + SPAN * level));
    const a = START + SPAN * level;
    g.strokeStyle = ink(WHITE, 0.95);
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(x - Math.cos(a) * radius * 0.1, y - Math.sin(a) * radius * 0.1);
    g.lineTo(x + Math.cos(a) * radius * 0.62, y + Math.sin(a) * radius * 0.62);
    g.stroke();
    dot(g, x, y, radius * 0.06, level > limit ? MARK : MAIN, 1);
    label(g, text, x, y + radius * 0.42, "center", WHITE, radius * 0.2);
    label(g, name, x, y + radius * 0.76, "center", SOFT, radius * 0.16);
  }

  function draw(g, w, h, t, r) {
    const figures = [r.value, (r.p50 + r.p95) / 2, r.p50, r.p95, r.peak - r.p50, r.peak];
    const big = Math.min(h * 0.5, w * 0.21);
    const small = Math.min(h * 0.245, w * 0.125);
    drawGauge(g, w * 0.24, h * 0.55, big, levelOf(0, t, r), SIGNS[0], show(r.value));
    for (let i = 0; i < 6; i++) {
      g.strokeStyle = ink(MAIN, 0.16 * (1 - ((t * 0.4 + i / 6) % 1)));
      g.lineWidth = 1.2;
      g.beginPath();
      g.arc(w * 0.24, h * 0.55, big * (0.98 + 0.22 * ((t * 0.4 + i / 6) % 1)), START, START + SPAN);
      g.stroke();
    }
    const spots = [
      [0.53, 0.27],
      [0.71, 0.27],
      [0.89, 0.27],
      [0.62, 0.78],
      [0.8, 0.78],
    ];
    spots.forEach(([u, v], k) => {
      const i = k + 1;
      drawGauge(g, w * u, h * v, small, levelOf(i, t, r), SIGNS[i], show(figures[i]));
    });
  }
`,
};
