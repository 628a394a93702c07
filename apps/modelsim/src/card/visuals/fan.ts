import { between, real, type Visual } from "../visual.ts";

export const fan: Visual = {
  name: "fan",
  legend: ["message", "sink", "late"],
  alt: "A source fanning out to its sinks",
  parameters: (random) => ({
    SINKS: between(random, 11, 16),
    REACH: real(random, 0.6, 0.8),
    RATE: real(random, 0.24, 0.42),
    EACH: between(random, 2, 3),
  }),
  code: String.raw`
  function sink(i, w, h) {
    const v = i / (SINKS - 1) - 0.5;
    return { x: w * (0.13 + REACH - 0.62 * v * v * 0.55), y: h * (0.5 + v * 0.92) };
  }

  // A curve from the source: leaves flat, arrives flat.
  function along(from, to, u) {
    const s = u * u * (3 - 2 * u);
    return { x: mix(from.x, to.x, u), y: mix(from.y, to.y, Math.pow(s, 0.9)) };
  }

  function draw(g, w, h, t, r) {
    const from = { x: w * 0.14, y: h * 0.5 };
    const size = Math.max(5, h * 0.034);
    for (let i = 0; i < SINKS; i++) {
      const to = sink(i, w, h);
      g.strokeStyle = ink(SECOND, 0.28);
      g.lineWidth = 1.2;
      g.beginPath();
      for (let k = 0; k <= 24; k++) {
        const p = along(from, to, k / 24);
        if (k === 0) g.moveTo(p.x, p.y);
        else g.lineTo(p.x, p.y);
      }
      g.stroke();
    }
    for (let i = 0; i < SINKS; i++) {
      const to = sink(i, w, h);
      const load = r.past((i * 4) % 60);
      const late = chance(i + 260) < 0.16 + 0.12 * load;
      let arrival = 0;
      for (let k = 0; k < EACH; k++) {
        const speed = RATE * (late ? 0.55 : 0.85 + 0.4 * chance(i + 300));
        const u = (t * speed + chance(i * 7 + k) + k / EACH) % 1;
        const p = along(from, to, u);
        for (let trail = 1; trail <= 3; trail++) {
          const q = along(from, to, Math.max(0, u - trail * 0.022));
          dot(g, q.x, q.y, size * 0.3, late ? MARK : MAIN, 0.32 - trail * 0.08);
        }
        dot(g, p.x, p.y, size * 0.42, late ? MARK : MAIN, 1);
        arrival = Math.max(arrival, u < 0.12 ? 1 - u / 0.12 : 0);
      }
      g.fillStyle = ink(late ? MARK : SECOND, 0.25 + 0.2 * load);
      g.fillRect(to.x - size / 2, to.y - size / 2, size, size);
      g.fillStyle = ink(late ? MARK : MAIN, 0.55 + 0.45 * arrival);
      g.fillRect(to.x - size * 0.36, to.y - size * 0.36, size * 0.72, size * 0.72);
      if (arrival > 0) {
        g.strokeStyle = ink(WHITE, arrival * 0.7);
        g.lineWidth = 1.2;
        g.strokeRect(to.x - size * (1 - arrival * 0.3), to.y - size * (1 - arrival * 0.3), size * (2 - arrival * 0.6), size * (2 - arrival * 0.6));
      }
      const room = w - to.x - size * 2 - 4;
      g.fillStyle = ink(GRID, 0.8);
      g.fillRect(to.x + size * 1.6, to.y - 1.5, room, 3);
      g.fillStyle = ink(late ? MARK : SECOND, 0.8);
      g.fillRect(to.x + size * 1.6, to.y - 1.5, room * clamp(0.1 + 0.8 * load + 0.1 * wave(t, 150 + i), 0, 1), 3);
    }
    for (let k = 0; k < 3; k++) {
      const beat = (t * 0.8 + k / 3) % 1;
      g.strokeStyle = ink(MAIN, 0.45 * (1 - beat));
      g.lineWidth = 1.5;
      g.beginPath();
      g.arc(from.x, from.y, h * (0.07 + 0.15 * beat), 0, TAU);
      g.stroke();
    }
    g.fillStyle = ink("11, 15, 26", 1);
    g.beginPath();
    g.arc(from.x, from.y, h * 0.075, 0, TAU);
    g.fill();
    neon(g, MAIN, Math.max(3, h * 0.018), (c) => c.arc(from.x, from.y, h * 0.075, 0, TAU));
    dot(g, from.x, from.y, h * (0.02 + 0.014 * r.now), WHITE, 1);
    label(g, "source", from.x, from.y + h * 0.16, "center", SOFT, h * 0.042);
  }
`,
};
