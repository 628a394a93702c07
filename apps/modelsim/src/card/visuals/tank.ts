import { between, real, type Visual } from "../visual.ts";

export const tank: Visual = {
  name: "tank",
  legend: ["used", "committed", "high mark"],
  alt: "Vessels filled to the reading",
  parameters: (random) => ({
    TANKS: between(random, 4, 6),
    SLOSH: real(random, 0.7, 1.3),
    BUBBLES: between(random, 9, 15),
  }),
  code: String.raw`
  function levelOf(i, t, r) {
    return clamp(0.2 + 0.6 * r.past(i * 10) + 0.06 * (wave(t * 0.5 + i * 4, 160 + i) - 0.5), 0.06, 0.95);
  }

  function surface(x, width, y, t, i, swing) {
    return (c) => {
      for (let k = 0; k <= 24; k++) {
        const u = k / 24;
        const dy = Math.sin(u * TAU * 1.1 + t * 2.1 * SLOSH + i) * swing + Math.sin(u * TAU * 2.3 - t * 1.4 + i * 2) * swing * 0.45;
        if (k === 0) c.moveTo(x, y + dy);
        else c.lineTo(x + u * width, y + dy);
      }
    };
  }

  function draw(g, w, h, t, r) {
    const pitch = w / TANKS;
    const foot = Math.max(18, h * 0.09);
    const tall = h - foot - 4;
    for (let i = 0; i < TANKS; i++) {
      const width = pitch * 0.76;
      const x = i * pitch + (pitch - width) / 2;
      const level = i === 0 ? mix(levelOf(0, t, r), 0.12 + 0.8 * r.now, 0.6) : levelOf(i, t, r);
      const y = 4 + tall * (1 - level);
      const round = Math.min(14, width * 0.1);
      g.save();
      g.beginPath();
      g.roundRect(x, 4, width, tall, round);
      g.fillStyle = ink("17, 24, 41", 0.8);
      g.fill();
      g.clip();
      const back = surface(x, width, y - h * 0.014, t * 0.8 + 2, i + 3, h * 0.016);
      g.beginPath();
      back(g);
      g.lineTo(x + width, h);
      g.lineTo(x, h);
      g.closePath();
      g.fillStyle = ink(SECOND, 0.22);
      g.fill();
      const front = surface(x, width, y, t, i, h * 0.014);
      g.beginPath();
      front(g);
      g.lineTo(x + width, h);
      g.lineTo(x, h);
      g.closePath();
      g.fillStyle = ink(MAIN, 0.3);
      g.fill();
      for (let band = 1; band <= 5; band++) {
        g.fillStyle = ink(MAIN, 0.05);
        g.fillRect(x, y + (tall * level * band) / 6, width, h);
      }
      for (let b = 0; b < BUBBLES; b++) {
        const rise = (chance(i * 50 + b) + t * (0.1 + 0.14 * chance(i * 70 + b))) % 1;
        const by = mix(4 + tall, y + 6, rise);
        const bx = x + width * (0.1 + 0.8 * chance(i * 90 + b)) + Math.sin(t * 2 + b * 2) * width * 0.025;
        g.strokeStyle = ink(WHITE, 0.55 * (1 - rise * 0.5));
        g.lineWidth = 1.1;
        g.beginPath();
        g.arc(bx, by, Math.max(1.5, h * (0.004 + 0.009 * chance(i * 110 + b))), 0, TAU);
        g.stroke();
      }
      neon(g, MAIN, 2, front);
      g.restore();
      g.strokeStyle = ink(SECOND, 0.5);
      g.lineWidth = 1.4;
      g.beginPath();
      g.roundRect(x, 4, width, tall, round);
      g.stroke();
      const high = 4 + tall * (1 - clamp(0.3 + 0.62 * r.norm(r.p95) + 0.05 * Math.sin(i * 2), 0.1, 0.96));
      g.setLineDash([4, 4]);
      g.strokeStyle = ink(MARK, 0.9);
      g.beginPath();
      g.moveTo(x + 3, high);
      g.lineTo(x + width - 3, high);
      g.stroke();
      g.setLineDash([]);
      for (let k = 1; k < 10; k++) {
        g.fillStyle = ink(SOFT, 0.45);
        g.fillRect(x + width - (k % 5 === 0 ? 12 : 7), 4 + (tall * k) / 10, k % 5 === 0 ? 9 : 4, 1);
      }
      label(g, Math.round(level * 100) + " %", x + width / 2, Math.min(y + Math.max(18, h * 0.08), tall - 8), "center", WHITE, h * 0.05);
      label(g, i === 0 ? "now" : "-" + (i * 2.5).toFixed(1) + " s", x + width / 2, h - foot / 2 + 2, "center", SOFT, h * 0.042);
    }
  }
`,
};
