import { between, real, type Visual } from "../visual.ts";

export const orbit: Visual = {
  name: "orbit",
  legend: ["beat", "lease", "overdue"],
  alt: "Leases on their orbits around the core",
  parameters: (random) => ({
    ORBITS: between(random, 4, 6),
    EACH: between(random, 4, 7),
    DRIFT: real(random, 0.14, 0.3),
  }),
  code: String.raw`
  function draw(g, w, h, t, r) {
    const x = w / 2;
    const y = h / 2;
    const ry = h * 0.47;
    const rx = Math.min(w * 0.46, ry * 2.1);
    const beat = (t * 1.15) % 1;
    for (let orbit = 1; orbit <= ORBITS; orbit++) {
      const k = orbit / ORBITS;
      g.strokeStyle = ink(orbit % 2 === 0 ? GRID : SECOND, orbit % 2 === 0 ? 1 : 0.22);
      g.lineWidth = 1.2;
      g.beginPath();
      g.ellipse(x, y, rx * k, ry * k, 0, 0, TAU);
      g.stroke();
      const from = t * DRIFT * (orbit % 2 === 0 ? -1.4 : 1) * (1.5 - k * 0.7) + orbit * 1.7;
      const length = 0.5 + 2.6 * r.past(orbit * 7);
      neon(g, orbit === ORBITS ? MAIN : SECOND, orbit === ORBITS ? 2.6 : 1.8, (c) => c.ellipse(x, y, rx * k, ry * k, 0, from, from + length));
      for (let i = 0; i < EACH + orbit; i++) {
        const id = orbit * 40 + i;
        const a = (i / (EACH + orbit)) * TAU + t * DRIFT * (orbit % 2 === 0 ? 1 : -1) * (1.8 - k) + chance(id) * 0.5;
        const px = x + Math.cos(a) * rx * k;
        const py = y + Math.sin(a) * ry * k;
        const life = (t * 0.3 + chance(id + 600)) % 1;
        const overdue = life > 0.9 || chance(id + 640) > 0.94;
        const rgb = overdue ? MARK : life < 0.15 ? WHITE : MAIN;
        dot(g, px, py, Math.max(2.2, h * (0.009 + 0.009 * r.past((id * 3) % 60))), rgb, 0.95);
        g.strokeStyle = ink(overdue ? MARK : SECOND, 0.8);
        g.lineWidth = 1.4;
        g.beginPath();
        g.arc(px, py, Math.max(5, h * 0.025), -Math.PI / 2, -Math.PI / 2 + TAU * (1 - life));
        g.stroke();
        // A fresh beat reaches the core along a short ray.
        if (life < 0.14) {
          const u = life / 0.14;
          g.strokeStyle = ink(MAIN, 0.5 * (1 - u));
          g.lineWidth = 1.2;
          g.beginPath();
          g.moveTo(px, py);
          g.lineTo(mix(px, x, u), mix(py, y, u));
          g.stroke();
        }
      }
    }
    for (let k = 0; k < 3; k++) {
      const u = (beat + k / 3) % 1;
      g.strokeStyle = ink(MAIN, 0.3 * (1 - u) * (1 - u));
      g.lineWidth = 2;
      g.beginPath();
      g.ellipse(x, y, rx * u, ry * u, 0, 0, TAU);
      g.stroke();
    }
    const core = h * (0.035 + 0.03 * r.now + 0.012 * Math.exp(-beat * 5));
    dot(g, x, y, core, MARK, 0.95);
    dot(g, x, y, core * 0.5, WHITE, 1);
    const pulse = (c) => {
      const left = w * 0.02;
      const wide = w * 0.16;
      for (let i = 0; i <= 40; i++) {
        const u = i / 40;
        const phase = (u * 2 - t * 1.15) % 1;
        const p = phase < 0 ? phase + 1 : phase;
        const spike = Math.exp(-Math.pow((p - 0.5) / 0.035, 2)) - 0.45 * Math.exp(-Math.pow((p - 0.57) / 0.04, 2));
        if (i === 0) c.moveTo(left, h * 0.9 - spike * h * 0.08);
        else c.lineTo(left + u * wide, h * 0.9 - spike * h * 0.08);
      }
    };
    neon(g, SECOND, 1.6, pulse);
  }
`,
};
