import { between, real, type Visual } from "../visual.ts";

export const dial: Visual = {
  name: "dial",
  legend: ["level", "last twelve", "p95"],
  alt: "A dial whose arc shows the level",
  parameters: (random) => ({
    TICKS: between(random, 48, 84),
    SPIN: real(random, 0.12, 0.4),
    DASHES: between(random, 9, 21),
    TILT: real(random, -0.05, 0.05),
  }),
  code: String.raw`
  const FROM = Math.PI * (0.78 + TILT);
  const SPAN = Math.PI * (1.44 - 2 * TILT);

  function arc(g, x, y, radius, from, to, rgb, alpha, width) {
    g.strokeStyle = ink(rgb, alpha);
    g.lineWidth = width;
    g.beginPath();
    g.arc(x, y, radius, from, to);
    g.stroke();
  }

  function drawTicks(g, x, y, radius, level) {
    for (let i = 0; i <= TICKS; i++) {
      const share = i / TICKS;
      const a = FROM + SPAN * share;
      const long = i % 6 === 0 ? 0.075 : 0.042;
      g.strokeStyle = share <= level ? ink(MAIN, 0.95) : ink(SOFT, 0.28);
      g.lineWidth = i % 6 === 0 ? 2.4 : 1.4;
      g.beginPath();
      g.moveTo(x + Math.cos(a) * radius, y + Math.sin(a) * radius);
      g.lineTo(x + Math.cos(a) * radius * (1 - long), y + Math.sin(a) * radius * (1 - long));
      g.stroke();
    }
  }

  // Wings: the echo of the level, running outward on both sides of the dial.
  function drawWings(g, x, y, radius, w, t, r) {
    const count = Math.floor((w / 2 - radius * 1.12) / (radius * 0.11));
    for (let i = 0; i < count; i++) {
      const k = r.past(i * 1.5 + 1 | 0);
      const tall = radius * (0.1 + 0.5 * k) * (1 - i / (count + 2));
      const lit = 0.16 + 0.5 * Math.pow(0.5 + 0.5 * Math.sin(t * 3 - i * 0.7), 4);
      for (const side of [-1, 1]) {
        const px = x + side * radius * (1.16 + i * 0.11);
        g.strokeStyle = ink(i % 7 === 3 ? MARK : SECOND, lit);
        g.lineWidth = Math.max(2, radius * 0.026);
        g.beginPath();
        g.moveTo(px, y - tall);
        g.lineTo(px, y + tall);
        g.stroke();
      }
    }
  }

  function draw(g, w, h, t, r) {
    const x = w / 2;
    const y = h * 0.54;
    const radius = Math.min(h * 0.5, w * 0.34);
    const level = mix(clamp(r.level, 0, 1), r.now, 0.35) + 0.012 * (wave(t * 5, 9) - 0.5);
    drawWings(g, x, y, radius, w, t, r);
    drawTicks(g, x, y, radius, level);
    arc(g, x, y, radius * 0.86, FROM, FROM + SPAN, GRID, 0.9, radius * 0.075);
    neon(g, MAIN, radius * 0.05, (c) => c.arc(x, y, radius * 0.86, FROM, FROM + SPAN * Math.max(0.01, level)));
    for (let i = 0; i < 12; i++) {
      const past = r.past(i * 3 + 1);
      arc(g, x, y, radius * (0.74 - i * 0.026), FROM, FROM + SPAN * Math.max(0.02, past), SECOND, 0.5 * (1 - i / 13), 1.6);
    }
    for (let i = 0; i < DASHES; i++) {
      const a = t * SPIN + (i / DASHES) * TAU;
      arc(g, x, y, radius * 0.37, a, a + 0.12, SOFT, 0.45, 1.5);
      arc(g, x, y, radius * 0.31, -a * 1.6, 0.05 - a * 1.6, MAIN, 0.55, 2);
    }
    const mark = FROM + SPAN * mix(clamp(r.level, 0, 1), r.norm(r.p95), 0.35);
    dot(g, x + Math.cos(mark) * radius * 0.86, y + Math.sin(mark) * radius * 0.86, radius * 0.028, MARK, 1);
    const a = FROM + SPAN * level;
    neon(g, WHITE, 2, (c) => {
      c.moveTo(x + Math.cos(a) * radius * 0.14, y + Math.sin(a) * radius * 0.14);
      c.lineTo(x + Math.cos(a) * radius * 0.8, y + Math.sin(a) * radius * 0.8);
    });
    dot(g, x, y, radius * 0.06, MAIN, 1);
    dot(g, x, y, radius * 0.025, WHITE, 1);
    label(g, Math.round(level * 100) + " %", x, y + radius * 0.5, "center", WHITE, radius * 0.13);
  }
`,
};
