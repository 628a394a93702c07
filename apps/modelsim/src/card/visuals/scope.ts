import { real, type Visual } from "../visual.ts";

export const scope: Visual = {
  name: "scope",
  legend: ["channel A", "channel B", "trigger"],
  alt: "An oscilloscope with three traces",
  parameters: (random) => ({
    FREQ_A: real(random, 2.4, 4.4),
    FREQ_B: real(random, 1.6, 3.2),
    FREQ_C: real(random, 5, 8),
    SPEED: real(random, 0.9, 1.8),
    DETUNE: real(random, 0.03, 0.2),
  }),
  code: String.raw`
  function drawGraticule(g, w, h) {
    g.lineWidth = 1;
    for (let i = 0; i <= 12; i++) {
      const x = Math.round((w * i) / 12) + 0.5;
      g.strokeStyle = ink(GRID, i === 6 ? 1 : 0.6);
      g.beginPath();
      g.moveTo(x, 0);
      g.lineTo(x, h);
      g.stroke();
    }
    for (let i = 0; i <= 6; i++) {
      const y = Math.round((h * i) / 6) + 0.5;
      g.strokeStyle = ink(GRID, i === 3 ? 1 : 0.6);
      g.beginPath();
      g.moveTo(0, y);
      g.lineTo(w, y);
      g.stroke();
    }
    for (let i = 0; i <= 60; i++) {
      g.fillStyle = ink(SOFT, 0.35);
      g.fillRect((w * i) / 60, h / 2 - (i % 5 === 0 ? 4 : 2), 1, i % 5 === 0 ? 8 : 4);
    }
  }

  // One channel: a carrier whose height is the reading at that age, with fine noise on top.
  function channel(w, h, t, r, lane, frequency, height) {
    return (c) => {
      const steps = Math.max(80, Math.min(260, Math.round(w / 4)));
      for (let i = 0; i <= steps; i++) {
        const u = i / steps;
        const age = Math.round((1 - u) * 40);
        const size = 0.3 + 0.7 * r.past(age);
        const phase = u * frequency * TAU - t * SPEED * (1 + lane * DETUNE) * 3 + lane * 1.9;
        const grain = (wave(u * 60 + t * 9, 20 + lane) - 0.5) * 0.1;
        const y = h / 2 - (Math.sin(phase) * 0.82 + Math.sin(phase * 2.03 + lane) * 0.18 + grain) * size * height * h * 0.46;
        if (i === 0) c.moveTo(0, y);
        else c.lineTo(u * w, y);
      }
    };
  }

  function draw(g, w, h, t, r) {
    drawGraticule(g, w, h);
    g.globalCompositeOperation = "lighter";
    neon(g, MARK, 1.3, channel(w, h, t, r, 2, FREQ_C, 0.34));
    neon(g, SECOND, 1.8, channel(w, h, t, r, 1, FREQ_B, 0.68));
    for (let echo = 3; echo > 0; echo--) {
      g.beginPath();
      channel(w, h, t - echo * 0.045, r, 0, FREQ_A, 0.94)(g);
      g.strokeStyle = ink(MAIN, 0.12);
      g.lineWidth = 2;
      g.stroke();
    }
    neon(g, MAIN, 2.4, channel(w, h, t, r, 0, FREQ_A, 0.94));
    g.globalCompositeOperation = "source-over";
    const level = h / 2 - (r.norm(r.p95) - 0.5) * h * 0.8;
    g.setLineDash([3, 6]);
    g.strokeStyle = ink(MARK, 0.75);
    g.lineWidth = 1.2;
    g.beginPath();
    g.moveTo(0, level);
    g.lineTo(w, level);
    g.stroke();
    g.setLineDash([]);
    g.fillStyle = ink(MARK, 1);
    g.beginPath();
    g.moveTo(w, level - 6);
    g.lineTo(w - 9, level);
    g.lineTo(w, level + 6);
    g.fill();
    const sweep = ((t * 0.22) % 1) * w;
    g.fillStyle = ink(WHITE, 0.1);
    g.fillRect(sweep, 0, 2, h);
    label(g, "A " + show(r.value), 8, 12, "left", MAIN, h * 0.045);
    label(g, "B p50 " + show(r.p50), 8, 12 + Math.max(15, h * 0.065), "left", SECOND, h * 0.045);
    label(g, "trig " + show(r.p95), w - 14, clamp(level - Math.max(12, h * 0.04), 10, h - 10), "right", MARK, h * 0.04);
  }
`,
};
