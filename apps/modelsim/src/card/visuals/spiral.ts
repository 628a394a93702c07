import { between, real, type Visual } from "../visual.ts";

export const spiral: Visual = {
  name: "spiral",
  legend: ["event", "older", "peak"],
  alt: "Events on a spiral, newest outside",
  parameters: (random) => ({
    TURNS: real(random, 3.4, 5.2),
    COUNT: between(random, 120, 170),
    SPIN: real(random, 0.22, 0.4),
    ARMS: between(random, 2, 3),
  }),
  code: String.raw`
  function spot(u, arm, x, y, rx, ry, turn) {
    const a = turn + u * TURNS * TAU + (arm / ARMS) * TAU;
    const k = Math.pow(u, 0.72);
    return [x + Math.cos(a) * rx * k, y + Math.sin(a) * ry * k];
  }

  function draw(g, w, h, t, r) {
    const x = w * 0.5;
    const y = h * 0.5;
    const ry = h * 0.46;
    const rx = Math.min(w * 0.44, ry * 2);
    const turn = -t * SPIN;
    for (let ring = 1; ring <= 4; ring++) {
      g.strokeStyle = ink(GRID, 0.9);
      g.lineWidth = 1;
      g.beginPath();
      g.ellipse(x, y, (rx * ring) / 4, (ry * ring) / 4, 0, 0, TAU);
      g.stroke();
    }
    for (let arm = 0; arm < ARMS; arm++) {
      g.strokeStyle = ink(SECOND, arm === 0 ? 0.3 : 0.13);
      g.lineWidth = 1.2;
      g.beginPath();
      for (let i = 0; i <= 200; i++) {
        const [px, py] = spot(i / 200, arm, x, y, rx, ry, turn);
        if (i === 0) g.moveTo(px, py);
        else g.lineTo(px, py);
      }
      g.stroke();
    }
    // Events are born at the core and drift outward; their size is the reading at their age.
    const born = t * 6;
    for (let i = 0; i < COUNT; i++) {
      const u = ((i + (born % 1)) / COUNT) % 1;
      const id = Math.floor(born) - i;
      const arm = ((id % ARMS) + ARMS) % ARMS;
      const k = r.past(Math.min(62, Math.floor(u * 62)));
      const peak = k > 0.8;
      const [px, py] = spot(u, arm, x, y, rx, ry, turn);
      const size = h * (0.006 + 0.016 * k * (0.4 + 0.6 * chance(id))) * (0.5 + u * 0.7);
      dot(g, px, py, Math.max(1.4, size), peak ? MARK : u > 0.45 ? MAIN : SECOND, 0.35 + 0.6 * Math.min(1, (1 - u) * 3));
    }
    const sweep = turn * 2;
    neon(g, MAIN, 1.6, (c) => c.ellipse(x, y, rx * 1.03, ry * 1.03, 0, sweep, sweep + 0.9));
    neon(g, MARK, 1.6, (c) => c.ellipse(x, y, rx * 1.03, ry * 1.03, 0, sweep + Math.PI, sweep + Math.PI + 0.35));
    const beat = 0.5 + 0.5 * Math.sin(t * 4.2);
    dot(g, x, y, h * (0.022 + 0.02 * r.now + 0.008 * beat), MAIN, 0.95);
    dot(g, x, y, h * 0.014, WHITE, 1);
    const edge = Math.max(40, x - rx);
    for (let i = 0; i < 12; i++) {
      const k = r.past(i * 5);
      const wide = (edge - 14) * (0.2 + 0.75 * k);
      const py = h * (0.08 + 0.84 * (i / 11));
      g.fillStyle = ink(k > 0.8 ? MARK : SECOND, 0.25 + 0.5 * (1 - i / 12));
      g.fillRect(0, py - 1.5, Math.max(2, wide * 0.55), 3);
      g.fillRect(w - Math.max(2, wide * 0.55), py - 1.5, Math.max(2, wide * 0.55), 3);
    }
  }
`,
};
