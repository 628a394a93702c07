import { between, real, type Visual } from "../visual.ts";

export const chain: Visual = {
  name: "chain",
  legend: ["verified", "link", "newest"],
  alt: "A chain of sealed records",
  parameters: (random) => ({
    COLUMNS: between(random, 9, 13),
    RATE: real(random, 0.5, 0.8),
    LANES: between(random, 2, 3),
  }),
  code: String.raw`
  const HEX = "0123456789abcdef";

  function seal(id) {
    let text = "";
    for (let k = 0; k < 4; k++) text += HEX[Math.floor(chance(id * 31 + k) * 16)];
    return text;
  }

  function block(g, x, y, size, id, age, t, r) {
    const fresh = clamp(1 - age * 2.2, 0, 1);
    const rgb = age < 0.06 ? MARK : MAIN;
    g.fillStyle = ink("17, 24, 41", 1);
    g.beginPath();
    g.roundRect(x - size / 2, y - size / 2, size, size, size * 0.12);
    g.fill();
    g.strokeStyle = ink(rgb, 0.35 + 0.6 * fresh);
    g.lineWidth = 1.4 + fresh;
    g.stroke();
    const cells = 4;
    const pad = size * 0.16;
    const cell = (size - 2 * pad) / cells;
    for (let i = 0; i < cells * cells; i++) {
      const on = chance(id * 17 + i);
      if (on < 0.42) continue;
      g.fillStyle = ink(on > 0.9 ? MARK : on > 0.68 ? MAIN : SECOND, (0.25 + 0.55 * on) * (0.45 + 0.55 * Math.max(fresh, r.past(Math.min(60, Math.round(age * 60))))));
      g.fillRect(x - size / 2 + pad + (i % cells) * cell + 1, y - size / 2 + pad + Math.floor(i / cells) * cell + 1, cell - 2, cell - 2);
    }
  }

  function draw(g, w, h, t, r) {
    const pitch = w / (COLUMNS - 1.2);
    const size = Math.min(pitch * 0.62, (h / LANES) * 0.46);
    const position = t * RATE;
    const newest = Math.floor(position);
    const shift = (position - newest) * pitch;
    const check = (t * 0.34) % 1;
    for (let lane = 0; lane < LANES; lane++) {
      const y = h * ((lane + 0.5) / LANES) - h * 0.03;
      const spots = [];
      for (let c = 0; c <= COLUMNS; c++) {
        const id = newest - c + 1000 + lane * 5003;
        const x = w - pitch * 0.5 - c * pitch - shift + pitch;
        spots.push({ x, y: y + Math.sin(id * 1.3 + t * 0.9) * h * 0.02 + (chance(id + 5) - 0.5) * h * 0.05, id, age: clamp((c + position - newest - 0.6) / COLUMNS, 0, 1) });
      }
      for (let c = 0; c + 1 < spots.length; c++) {
        const a = spots[c];
        const b = spots[c + 1];
        const at = 1 - (a.x + b.x) / 2 / w;
        const lit = Math.exp(-Math.pow((at - check) / 0.06, 2));
        g.strokeStyle = ink(lit > 0.4 ? WHITE : SECOND, 0.35 + 0.6 * lit);
        g.lineWidth = 2 + 2 * lit;
        g.beginPath();
        g.moveTo(a.x - size / 2, a.y);
        g.bezierCurveTo(a.x - pitch * 0.55, a.y, b.x + pitch * 0.55, b.y, b.x + size / 2, b.y);
        g.stroke();
        dot(g, a.x - size / 2, a.y, Math.max(2, size * 0.05), MAIN, 0.9);
        dot(g, b.x + size / 2, b.y, Math.max(2, size * 0.05), SECOND, 0.9);
      }
      for (const s of spots) {
        block(g, s.x, s.y, size, s.id, s.age, t, r);
        if (size > 40) label(g, seal(s.id), s.x, s.y + size * 0.5 + Math.max(11, size * 0.17), "center", s.age < 0.1 ? MARK : SOFT, size * 0.17);
        const hit = Math.exp(-Math.pow((1 - s.x / w - check) / 0.035, 2));
        if (hit > 0.2) {
          g.strokeStyle = ink(MAIN, hit * 0.9);
          g.lineWidth = 2;
          g.beginPath();
          g.roundRect(s.x - size * 0.6, s.y - size * 0.6, size * 1.2, size * 1.2, size * 0.16);
          g.stroke();
        }
      }
    }
    const x = w * (1 - check);
    g.fillStyle = ink(MAIN, 0.05);
    g.fillRect(x, 0, w * 0.06, h);
    g.fillStyle = ink(MAIN, 0.5);
    g.fillRect(x, 0, 1.5, h);
  }
`,
};
