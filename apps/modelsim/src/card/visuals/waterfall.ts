import { between, real, type Visual } from "../visual.ts";

export const waterfall: Visual = {
  name: "waterfall",
  legend: ["strong", "weak", "peak"],
  alt: "A spectrogram running down",
  parameters: (random) => ({
    BANDS: between(random, 52, 72),
    LINES: between(random, 24, 30),
    RATE: real(random, 3, 5),
    TONES: between(random, 3, 6),
  }),
  code: String.raw`
  // Power of a band at a moment: a noise floor and a few wandering tones.
  function power(band, at, r, age) {
    const u = band / (BANDS - 1);
    let sum = 0.1 + 0.2 * wave(band * 0.8 + at * 0.2, 71) * wave(at * 0.5, 72 + (band % 7));
    for (let k = 0; k < TONES; k++) {
      const centre = (k + 0.5) / TONES + 0.13 * (wave(at * 0.14, 80 + k) - 0.5) + 0.05 * Math.sin(at * 0.31 + k * 2);
      const d = (u - centre) / (0.012 + 0.02 * chance(k + 300));
      sum += Math.exp(-d * d * 0.5) * (0.35 + 0.75 * r.past(age)) * (0.4 + 0.6 * wave(at * 0.35, 90 + k));
    }
    return clamp(sum, 0, 1);
  }

  function draw(g, w, h, t, r) {
    const top = h * 0.3;
    const axis = Math.max(17, h * 0.075);
    const pitch = w / BANDS;
    const rowH = (h - top - axis) / LINES;
    const position = t * RATE;
    const newest = Math.floor(position);
    const shift = (position - newest) * rowH;
    g.save();
    g.beginPath();
    g.rect(0, top, w, h - top - axis);
    g.clip();
    for (let line = -1; line < LINES; line++) {
      const at = newest - line;
      const y = top + line * rowH + shift;
      const fade = 1 - 0.62 * (Math.max(0, line) / LINES);
      for (let band = 0; band < BANDS; band++) {
        const p = power(band, at, r, Math.max(0, Math.min(60, line + 1)));
        if (p < 0.12) continue;
        g.fillStyle = p > 0.82 ? ink(MARK, fade) : p > 0.36 ? ink(MAIN, (p - 0.1) * fade) : ink(SECOND, p * 0.55 * fade);
        g.fillRect(band * pitch, y, pitch + 0.5, rowH + 0.5);
      }
    }
    g.restore();
    const spectrum = (c) => {
      for (let band = 0; band < BANDS; band++) {
        const p = mix(power(band, newest + 1, r, 0), power(band, newest + 2, r, 0), position - newest);
        const x = (band + 0.5) * pitch;
        const y = top - 4 - p * (top - 10);
        if (band === 0) c.moveTo(0, y);
        else c.lineTo(x, y);
      }
    };
    g.beginPath();
    spectrum(g);
    g.lineTo(w, top - 2);
    g.lineTo(0, top - 2);
    g.closePath();
    g.fillStyle = ink(MAIN, 0.12);
    g.fill();
    neon(g, MAIN, 1.8, spectrum);
    g.fillStyle = ink(WHITE, 0.5);
    g.fillRect(0, top - 1, w, 1.5);
    for (let k = 0; k < TONES; k++) {
      const at = position * 1;
      const u = (k + 0.5) / TONES + 0.13 * (wave(at * 0.14, 80 + k) - 0.5) + 0.05 * Math.sin(at * 0.31 + k * 2);
      const x = clamp(u, 0.01, 0.99) * w;
      g.fillStyle = ink(MARK, 1);
      g.beginPath();
      g.moveTo(x - 5, 0);
      g.lineTo(x + 5, 0);
      g.lineTo(x, 8);
      g.fill();
    }
    for (let k = 0; k <= 4; k++) label(g, k === 0 ? "low" : k === 4 ? "high" : "band " + k, clamp((w * k) / 4, 14, w - 18), h - axis / 2 + 2, "center", SOFT, h * 0.042);
  }
`,
};
