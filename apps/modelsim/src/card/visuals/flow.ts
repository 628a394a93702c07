import { between, real, type Visual } from "../visual.ts";

export const flow: Visual = {
  name: "flow",
  legend: ["stream", "slow lane", "burst"],
  alt: "A flow field of particles",
  parameters: (random) => ({
    COUNT: between(random, 150, 210),
    LANES: between(random, 5, 9),
    BEND: real(random, 0.6, 1.5),
    SPEED: real(random, 0.07, 0.13),
  }),
  code: String.raw`
  // Height of a lane at u (0 left, 1 right): lanes squeeze together in the gate at the middle.
  function lineAt(u, lane, h, t) {
    const spread = (lane + 0.5) / LANES - 0.5;
    const gate = 1 - 0.72 * Math.exp(-Math.pow((u - 0.5) / 0.13, 2));
    const sway = Math.sin(u * TAU * BEND + t * 0.5 + lane * 0.8) * 0.055 + (wave(u * 3 + t * 0.24, 60 + lane) - 0.5) * 0.1;
    return h * (0.5 + spread * 0.92 * gate + sway * gate);
  }

  function drawLanes(g, w, h, t) {
    for (let lane = 0; lane < LANES; lane++) {
      g.strokeStyle = ink(SECOND, 0.17);
      g.lineWidth = 1;
      g.beginPath();
      for (let i = 0; i <= 60; i++) {
        const u = i / 60;
        if (i === 0) g.moveTo(0, lineAt(0, lane, h, t));
        else g.lineTo(u * w, lineAt(u, lane, h, t));
      }
      g.stroke();
    }
  }

  function draw(g, w, h, t, r) {
    drawLanes(g, w, h, t);
    const gateX = w * 0.5;
    const open = h * (0.13 + 0.1 * r.now);
    for (const side of [-1, 1]) {
      neon(g, MARK, 2, (c) => {
        c.moveTo(gateX - h * 0.1, h / 2 + side * (open + h * 0.24));
        c.quadraticCurveTo(gateX, h / 2 + side * open * 0.72, gateX + h * 0.1, h / 2 + side * (open + h * 0.24));
      });
    }
    const travelled = t * SPEED;
    g.globalCompositeOperation = "lighter";
    for (let i = 0; i < COUNT; i++) {
      const own = 0.55 + 0.9 * chance(i + 900);
      const u = (chance(i + 1300) + travelled * own * 2) % 1;
      const lane = Math.floor(chance(i + 1700) * LANES);
      const offset = (chance(i + 2100) - 0.5) * h * 0.05;
      const heat = r.past(Math.round((1 - u) * 50));
      const burst = chance(i + 2500) < 0.12 + heat * 0.1;
      const rgb = burst ? MARK : own > 0.95 ? MAIN : SECOND;
      const tail = 0.018 + 0.05 * own * (0.4 + heat);
      const fade = Math.min(1, u * 9, (1 - u) * 9);
      for (let k = 0; k < 4; k++) {
        const a = Math.max(0, u - (tail * k) / 4);
        const b = Math.max(0, u - (tail * (k + 1)) / 4);
        g.strokeStyle = ink(rgb, fade * (0.85 - k * 0.2));
        g.lineWidth = Math.max(1.2, h * 0.0072 * (1 - k * 0.17));
        g.beginPath();
        g.moveTo(a * w, lineAt(a, lane, h, t) + offset);
        g.lineTo(b * w, lineAt(b, lane, h, t) + offset);
        g.stroke();
      }
      if (burst || i % 5 === 0) dot(g, u * w, lineAt(u, lane, h, t) + offset, Math.max(1.6, h * 0.008), burst ? MARK : WHITE, fade);
    }
    g.globalCompositeOperation = "source-over";
    const beat = (t * 0.9) % 1;
    g.strokeStyle = ink(WHITE, 0.5 * (1 - beat));
    g.lineWidth = 1.5;
    g.beginPath();
    g.ellipse(gateX, h / 2, h * (0.02 + 0.12 * beat), h * (0.05 + 0.3 * beat), 0, 0, TAU);
    g.stroke();
    label(g, "in", 6, h - 10, "left", SOFT, h * 0.045);
    label(g, show(r.value) + (UNIT ? " " + UNIT : ""), gateX, h - 10, "center", MARK, h * 0.045);
    label(g, "out", w - 6, h - 10, "right", SOFT, h * 0.045);
  }
`,
};
