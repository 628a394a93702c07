import { between, real, type Visual } from "../visual.ts";

export const ridge: Visual = {
  name: "ridge",
  legend: ["newest", "older", "crest"],
  alt: "Ridges of the reading, one behind the other",
  parameters: (random) => ({ ROWS: between(random, 11, 15), RATE: real(random, 0.5, 0.9), ROUGH: real(random, 6, 11) }),
  code: String.raw`
  // One ridge: a fixed profile for each row number, lifted in the middle by the reading of its time.
  function profile(row, u, r, age) {
    const middle = Math.exp(-Math.pow((u - 0.5 - 0.14 * (wave(row * 0.37, 140) - 0.5)) / 0.2, 2));
    const fine = wave(u * ROUGH + row * 13.7, 141) * 0.62 + wave(u * ROUGH * 2.7 + row * 7.1, 142) * 0.38;
    return middle * fine * (0.3 + 0.9 * r.past(age)) + 0.02 * wave(u * 40 + row * 3, 143);
  }

  function draw(g, w, h, t, r) {
    const position = t * RATE;
    const first = Math.floor(position);
    const part = position - first;
    const near = h * 0.93;
    const far = h * 0.2;
    const points = Math.max(70, Math.min(170, Math.round(w / 6)));
    for (let k = ROWS; k >= 0; k--) {
      const depth = clamp((k + part) / ROWS, 0, 1);
      const row = first - k;
      const base = mix(near, far, Math.pow(depth, 0.82));
      const inset = w * 0.1 * depth;
      const wide = w - 2 * inset;
      const lift = h * mix(0.52, 0.26, depth);
      const age = Math.min(60, Math.round(depth * 46));
      const fade = Math.min(1, (1 - depth) * 4) * (k === 0 ? part : 1);
      const path = (c) => {
        for (let i = 0; i <= points; i++) {
          const u = i / points;
          const y = base - profile(row, u, r, age) * lift;
          if (i === 0) c.moveTo(inset, y);
          else c.lineTo(inset + u * wide, y);
        }
      };
      g.beginPath();
      path(g);
      g.lineTo(inset + wide, base + 4);
      g.lineTo(inset, base + 4);
      g.closePath();
      g.fillStyle = ink("11, 15, 26", 0.94 * Math.max(fade, 0.4));
      g.fill();
      g.beginPath();
      path(g);
      const crest = r.past(age) > 0.8;
      g.strokeStyle = ink(crest ? MARK : depth < 0.3 ? MAIN : SECOND, (0.95 - 0.6 * depth) * fade);
      g.lineWidth = mix(2.4, 1, depth);
      g.stroke();
      if (k <= 2) {
        g.strokeStyle = ink(MAIN, 0.12 * fade);
        g.lineWidth = 8;
        g.stroke();
      }
    }
    const sweep = (t * 0.16) % 1;
    for (let k = 0; k <= 10; k++) {
      const x = (w * k) / 10;
      g.fillStyle = ink(SOFT, 0.5);
      g.fillRect(clamp(x, 0, w - 1), h - 8, 1, k % 5 === 0 ? 8 : 4);
    }
    g.fillStyle = ink(MARK, 0.9);
    g.fillRect(sweep * w, h - 8, Math.max(3, h * 0.012), 8);
    label(g, "newest in front", 4, 10, "left", SOFT, h * 0.042);
    label(g, "crest " + show(r.peak), w - 4, 10, "right", MARK, h * 0.042);
  }
`,
};
