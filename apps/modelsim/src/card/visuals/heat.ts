import { between, real, type Visual } from "../visual.ts";

export const heat: Visual = {
  name: "heat",
  legend: ["busy", "quiet", "over p95"],
  alt: "A heat map of the last columns of time",
  parameters: (random) => ({
    ROWS: between(random, 9, 14),
    COLS: between(random, 26, 40),
    RATE: real(random, 1.6, 3.2),
    GRAIN: real(random, 0.25, 0.6),
  }),
  code: String.raw`
  // Heat of one cell: its column's reading, spread over the rows around a wandering centre.
  function heatAt(column, row, r, age) {
    const centre = wave(column * 0.13, 30) * 0.7 + 0.15;
    const distance = Math.abs(row / (ROWS - 1) - centre);
    const body = Math.exp(-distance * distance * 9) * (0.35 + 0.75 * r.past(Math.min(62, age)));
    const grain = (chance(column * 131 + row * 17) - 0.4) * GRAIN;
    return clamp(body + grain * (0.4 + body), 0, 1);
  }

  function draw(g, w, h, t, r) {
    const left = Math.max(34, h * 0.12);
    const bottom = Math.max(18, h * 0.08);
    const cellW = (w - left) / COLS;
    const cellH = (h - bottom) / ROWS;
    const position = t * RATE;
    const first = Math.floor(position);
    const shift = (position - first) * cellW;
    const gap = Math.max(1.5, Math.min(cellW, cellH) * 0.14);
    g.save();
    g.beginPath();
    g.rect(left, 0, w - left, h);
    g.clip();
    for (let c = -1; c <= COLS; c++) {
      const column = first + c;
      const age = Math.floor((COLS - c) * 1.4);
      const x = left + c * cellW - shift + cellW;
      const fresh = clamp(1 - (COLS - c) / COLS, 0, 1);
      for (let row = 0; row < ROWS; row++) {
        const heat = heatAt(column, row, r, age);
        const y = row * cellH;
        const hot = heat > 0.86;
        g.fillStyle = hot ? ink(MARK, 0.55 + 0.45 * fresh) : heat > 0.3 ? ink(MAIN, 0.1 + heat * (0.45 + 0.4 * fresh)) : ink(SECOND, 0.07 + heat * 0.3);
        g.fillRect(x + gap / 2, y + gap / 2, cellW - gap, cellH - gap);
        if (hot) {
          g.fillStyle = ink(MARK, 0.12);
          g.fillRect(x - gap, y - gap, cellW + 2 * gap, cellH + 2 * gap);
        }
      }
    }
    g.restore();
    const pulse = 0.5 + 0.5 * Math.sin(t * 5);
    g.strokeStyle = ink(WHITE, 0.35 + 0.4 * pulse);
    g.lineWidth = 1.5;
    g.strokeRect(w - cellW * 2 + 0.5 + gap / 2, 0.5, cellW * 2 - gap - 1, h - bottom - 1);
    for (let row = 0; row < ROWS; row += 3) label(g, "b" + String(ROWS - row).padStart(2, "0"), left - 8, (row + 0.5) * cellH, "right", SOFT, h * 0.042);
    for (let k = 0; k < 5; k++) {
      const x = mix(left + cellW, w - cellW, k / 4);
      label(g, k === 4 ? "now" : "-" + ((4 - k) * COLS / RATE / 4).toFixed(0) + " s", x, h - bottom / 2 + 2, "center", SOFT, h * 0.042);
    }
  }
`,
};
