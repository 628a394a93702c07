import { between, real, type Visual } from "../visual.ts";

export const bars: Visual = {
  name: "bars",
  legend: ["level", "echo", "held peak"],
  alt: "Level bars with held peaks",
  parameters: (random) => ({
    BARS: between(random, 28, 44),
    CELLS: between(random, 14, 20),
    RIPPLE: real(random, 0.5, 1.2),
  }),
  code: String.raw`
  function heightOf(i, t, r) {
    const u = i / (BARS - 1);
    const envelope = 0.3 + 0.7 * Math.sin(Math.PI * clamp(u * 0.9 + 0.06, 0, 1));
    const own = wave(t * (1.2 + 0.9 * chance(i + 220)) + i * 5.1, 130 + (i % 9));
    const swell = 0.5 + 0.5 * Math.sin(u * TAU * RIPPLE - t * 1.8);
    return clamp((0.16 + 0.84 * r.past(Math.round((1 - u) * 40))) * envelope * (0.42 + 0.4 * own + 0.26 * swell), 0.03, 1);
  }

  // The highest of the last second: looked up again each time, so that nothing is remembered.
  function heldPeak(i, t, r) {
    let peak = 0;
    for (let k = 0; k < 6; k++) peak = Math.max(peak, heightOf(i, t - k * 0.17, r) - k * 0.035);
    return peak;
  }

  function draw(g, w, h, t, r) {
    const floor = h * 0.8;
    const pitch = w / BARS;
    const body = pitch * 0.7;
    const cell = floor / CELLS;
    for (let row = 0; row <= 4; row++) {
      const y = Math.round(floor - (floor * row) / 4) + 0.5;
      g.strokeStyle = ink(GRID, 0.75);
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(0, y);
      g.lineTo(w, y);
      g.stroke();
    }
    for (let i = 0; i < BARS; i++) {
      const level = heightOf(i, t, r);
      const x = i * pitch + (pitch - body) / 2;
      const lit = Math.round(level * CELLS);
      for (let c = 0; c < CELLS; c++) {
        const y = floor - (c + 1) * cell;
        const high = c / CELLS > 0.8;
        if (c < lit) g.fillStyle = ink(high ? MARK : c / CELLS > 0.5 ? MAIN : SECOND, 0.5 + 0.5 * (c / CELLS));
        else g.fillStyle = ink(GRID, 0.42);
        g.fillRect(x, y + cell * 0.14, body, cell * 0.72);
      }
      const glass = Math.min(h - floor - 2, level * floor * 0.3);
      g.fillStyle = ink(MAIN, 0.13);
      g.fillRect(x, floor + 4, body, glass);
      g.fillStyle = ink(MAIN, 0.08);
      g.fillRect(x, floor + 4 + glass, body, glass * 0.4);
      const peak = floor - heldPeak(i, t, r) * floor;
      g.fillStyle = ink(MARK, 0.95);
      g.fillRect(x, clamp(peak - 3, 0, floor - 4), body, Math.max(2, cell * 0.2));
    }
    g.fillStyle = ink(WHITE, 0.55);
    g.fillRect(0, floor + 1, w, 1.5);
    const line = floor - r.norm(r.p50) * floor * 0.8;
    g.setLineDash([6, 6]);
    g.strokeStyle = ink(WHITE, 0.5);
    g.lineWidth = 1.2;
    g.beginPath();
    g.moveTo(0, line);
    g.lineTo(w, line);
    g.stroke();
    g.setLineDash([]);
    label(g, "p50 " + show(r.p50), w - 6, clamp(line - Math.max(11, h * 0.04), 10, floor), "right", WHITE, h * 0.045);
    label(g, "oldest", 4, h - 9, "left", SOFT, h * 0.042);
    label(g, "newest", w - 4, h - 9, "right", SOFT, h * 0.042);
  }
`,
};
