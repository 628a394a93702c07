import { between, real, type Visual } from "../visual.ts";

export const dag: Visual = {
  name: "dag",
  legend: ["running", "done", "waits"],
  alt: "Stages of a task graph",
  parameters: (random) => ({
    STAGES: between(random, 6, 8),
    WIDEST: between(random, 4, 5),
    RATE: real(random, 0.5, 0.8),
  }),
  code: String.raw`
  function countOf(stage) {
    if (stage === 0 || stage === STAGES - 1) return 1;
    return 2 + Math.floor(chance(stage + 340) * (WIDEST - 1));
  }

  function place(stage, k, w, h) {
    const n = countOf(stage);
    return { x: w * (0.06 + (0.88 * stage) / (STAGES - 1)), y: h * (0.47 + 0.8 * ((k + 0.5) / n - 0.5)) };
  }

  // Which share of a task is done: the wave of work runs through the stages and starts again.
  function progress(stage, k, t, r) {
    const lap = STAGES + 2.5;
    const front = (t * RATE + 2.2) % lap;
    const lag = 0.35 * chance(stage * 11 + k + 370) + 0.25 * r.past((stage * 7 + k * 3) % 60);
    return clamp(front - stage - lag, 0, 1);
  }

  function draw(g, w, h, t, r) {
    const radius = Math.max(7, Math.min(h * 0.05, w * 0.022));
    for (let stage = 0; stage < STAGES - 1; stage++) {
      const barrier = w * (0.06 + (0.88 * (stage + 0.5)) / (STAGES - 1));
      g.setLineDash([2, 6]);
      g.strokeStyle = ink(SOFT, 0.3);
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(barrier, 4);
      g.lineTo(barrier, h - Math.max(18, h * 0.08));
      g.stroke();
      g.setLineDash([]);
      for (let a = 0; a < countOf(stage); a++) {
        for (let b = 0; b < countOf(stage + 1); b++) {
          const needed = countOf(stage) === 1 || countOf(stage + 1) === 1 || (a + b + stage) % 2 === 0 || a === b;
          if (!needed) continue;
          const A = place(stage, a, w, h);
          const B = place(stage + 1, b, w, h);
          const u = progress(stage, a, t, r);
          const path = (c) => {
            c.moveTo(A.x + radius, A.y);
            c.bezierCurveTo(mix(A.x, B.x, 0.5), A.y, mix(A.x, B.x, 0.5), B.y, B.x - radius, B.y);
          };
          if (u >= 1) neon(g, SECOND, 1.3, path);
          else {
            g.strokeStyle = ink(SOFT, 0.24);
            g.lineWidth = 1.1;
            g.beginPath();
            path(g);
            g.stroke();
          }
          const next = progress(stage + 1, b, t, r);
          if (u >= 1 && next < 1) {
            const s = (t * 1.1 + chance(a * 5 + b + stage * 19)) % 1;
            const q = 1 - s;
            const x = q * q * q * (A.x + radius) + 3 * q * s * mix(A.x, B.x, 0.5) + s * s * s * (B.x - radius);
            const y = (q * q * q + 3 * q * q * s) * A.y + (3 * q * s * s + s * s * s) * B.y;
            dot(g, x, y, radius * 0.26, WHITE, 0.95);
          }
        }
      }
    }
    for (let stage = 0; stage < STAGES; stage++) {
      for (let k = 0; k < countOf(stage); k++) {
        const p = place(stage, k, w, h);
        const u = progress(stage, k, t, r);
        const waits = u > 0 && u < 1 && chance(stage * 23 + k + 410) > 0.8;
        g.fillStyle = ink("17, 24, 41", 1);
        g.beginPath();
        g.arc(p.x, p.y, radius, 0, TAU);
        g.fill();
        g.strokeStyle = ink(GRID, 1);
        g.lineWidth = 3;
        g.stroke();
        if (u > 0) neon(g, waits ? MARK : u >= 1 ? SECOND : MAIN, 2.4, (c) => c.arc(p.x, p.y, radius, -Math.PI / 2, -Math.PI / 2 + TAU * u));
        if (u >= 1) dot(g, p.x, p.y, radius * 0.36, SECOND, 0.95);
        else if (u > 0) dot(g, p.x, p.y, radius * (0.24 + 0.1 * Math.sin(t * 7)), waits ? MARK : WHITE, 0.95);
      }
      label(g, "S" + (stage + 1), w * (0.06 + (0.88 * stage) / (STAGES - 1)), h - Math.max(9, h * 0.035), "center", SOFT, h * 0.042);
    }
  }
`,
};
