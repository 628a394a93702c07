import { between, real, type Visual } from "../visual.ts";

export const graph: Visual = {
  name: "graph",
  legend: ["link", "node", "hot path"],
  alt: "A topology graph with packets on its links",
  parameters: (random) => ({
    NODES: between(random, 14, 20),
    RANGE: real(random, 0.26, 0.33),
    FLOAT: real(random, 0.015, 0.035),
  }),
  code: String.raw`
  // Places are spread by a golden-ratio walk so that no two nodes meet; each floats a little.
  function place(i, w, h, t) {
    const u = (0.07 + i * 0.618034 + 0.05 * chance(i + 60)) % 1;
    const v = (i + 0.5) / NODES;
    const sway = TAU * chance(i + 80);
    return { x: w * (0.05 + 0.9 * u) + Math.sin(t * 0.7 + sway) * h * FLOAT, y: h * (0.09 + 0.82 * v) + Math.cos(t * 0.6 + sway) * h * FLOAT };
  }

  function links(w, h) {
    const still = Array.from({ length: NODES }, (_, i) => place(i, w, h, 0));
    const found = [];
    for (let a = 0; a < NODES; a++) {
      const near = [];
      for (let b = 0; b < NODES; b++) {
        if (b === a) continue;
        const far = Math.hypot((still[a].x - still[b].x) / w, ((still[a].y - still[b].y) / h) * 0.6);
        near.push({ b, far });
      }
      near.sort((p, q) => p.far - q.far);
      near.slice(0, 3).forEach(({ b, far }, rank) => {
        if (far < RANGE + 0.1 && (a < b || rank > 0) && !found.some((l) => (l.a === b && l.b === a) || (l.a === a && l.b === b))) found.push({ a, b });
      });
    }
    return found;
  }

  function draw(g, w, h, t, r) {
    const spots = Array.from({ length: NODES }, (_, i) => place(i, w, h, t));
    const lines = links(w, h);
    lines.forEach((l, k) => {
      const load = r.past((k * 3) % 60);
      const hot = load > 0.78;
      const A = spots[l.a];
      const B = spots[l.b];
      const bend = (chance(k + 140) - 0.5) * h * 0.18;
      const mx = (A.x + B.x) / 2 + bend * 0.4;
      const my = (A.y + B.y) / 2 + bend;
      g.strokeStyle = ink(hot ? MARK : SECOND, hot ? 0.5 : 0.2 + 0.2 * load);
      g.lineWidth = hot ? 1.8 : 1.1;
      g.beginPath();
      g.moveTo(A.x, A.y);
      g.quadraticCurveTo(mx, my, B.x, B.y);
      g.stroke();
      const packets = 1 + Math.floor(load * 3);
      for (let p = 0; p < packets; p++) {
        const raw = (t * (0.22 + 0.3 * chance(k + 190)) + p / packets + chance(k + 240)) % 1;
        const u = k % 2 === 0 ? raw : 1 - raw;
        const q = 1 - u;
        dot(g, q * q * A.x + 2 * q * u * mx + u * u * B.x, q * q * A.y + 2 * q * u * my + u * u * B.y, Math.max(2, h * 0.0095), hot ? MARK : MAIN, 0.95);
      }
    });
    spots.forEach((s, i) => {
      const load = r.past((i * 4) % 60);
      const hub = i % 6 === 1;
      const radius = h * (hub ? 0.042 : 0.022 + 0.012 * load);
      const beat = 0.5 + 0.5 * Math.sin(t * 2.4 + i * 1.7);
      g.fillStyle = ink("11, 15, 26", 1);
      g.beginPath();
      g.arc(s.x, s.y, radius * 1.25, 0, TAU);
      g.fill();
      neon(g, hub ? MAIN : SECOND, hub ? 2.4 : 1.6, (c) => c.arc(s.x, s.y, radius, 0, TAU));
      g.fillStyle = ink(hub ? WHITE : MAIN, 0.3 + 0.65 * beat * load);
      g.beginPath();
      g.arc(s.x, s.y, radius * 0.5, 0, TAU);
      g.fill();
      if (hub) {
        g.strokeStyle = ink(MAIN, 0.4 * (1 - ((t * 0.7 + i * 0.21) % 1)));
        g.lineWidth = 1.2;
        g.beginPath();
        g.arc(s.x, s.y, radius * (1.3 + 1.8 * ((t * 0.7 + i * 0.21) % 1)), 0, TAU);
        g.stroke();
        label(g, "n" + String(i).padStart(2, "0"), s.x + radius * 1.8, s.y - radius * 1.6, "left", SOFT, h * 0.042);
      }
    });
  }
`,
};
