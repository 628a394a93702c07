import { between, real, type Visual } from "../visual.ts";

export const timeline: Visual = {
  name: "timeline",
  legend: ["running", "done", "waits"],
  alt: "A timeline of spans in lanes",
  parameters: (random) => ({
    LANES: between(random, 8, 12),
    RATE: real(random, 0.055, 0.09),
    DENSITY: real(random, 0.66, 0.85),
  }),
  code: String.raw`
  // Spans of one lane, cut from a fixed tape: span k starts where the one before it ended.
  function spans(lane, from, to) {
    const unit = 0.16 + 0.1 * chance(lane + 400);
    const out = [];
    for (let k = Math.floor(from / unit) - 1; k * unit < to; k++) {
      const start = k * unit + unit * 0.35 * chance(lane * 977 + k);
      const length = unit * (0.3 + 0.62 * chance(lane * 631 + k + 50));
      if (chance(lane * 389 + k + 90) < DENSITY) out.push({ start, end: start + length, kind: chance(lane * 211 + k + 130) });
    }
    return out;
  }

  function bar(g, x, y, width, tall, rgb, alpha) {
    const radius = Math.min(tall / 2, Math.max(0, width / 2));
    g.fillStyle = ink(rgb, alpha);
    g.beginPath();
    g.roundRect(x, y, Math.max(1.5, width), tall, radius);
    g.fill();
  }

  function draw(g, w, h, t, r) {
    const left = Math.max(34, h * 0.13);
    const axis = Math.max(18, h * 0.08);
    const room = w - left;
    const pitch = (h - axis) / LANES;
    const nowX = left + room * 0.8;
    const now = 40 + t * RATE;
    const scale = room * 0.95;
    g.save();
    g.beginPath();
    g.rect(left, 0, room, h);
    g.clip();
    for (let lane = 0; lane < LANES; lane++) {
      const y = lane * pitch;
      g.fillStyle = ink(GRID, lane % 2 === 0 ? 0.32 : 0.14);
      g.fillRect(left, y + 1, room, pitch - 2);
      const tall = Math.max(6, pitch * 0.46);
      for (const s of spans(lane, now - 1, now + 0.3)) {
        const x1 = nowX + (s.start - now) * scale;
        const x2 = nowX + (s.end - now) * scale;
        if (x2 < left || x1 > w) continue;
        const waits = s.kind > 0.86;
        const done = x2 <= nowX;
        const top = y + (pitch - tall) / 2;
        if (x1 > nowX) bar(g, x1, top, x2 - x1, tall, SOFT, 0.16);
        else {
          bar(g, x1, top, Math.min(x2, nowX) - x1, tall, waits ? MARK : done ? SECOND : MAIN, waits ? 0.85 : done ? 0.3 + 0.25 * r.past(Math.round((nowX - x2) / room * 40)) : 0.95);
          if (!done) {
            bar(g, nowX, top, x2 - nowX, tall, SOFT, 0.16);
            dot(g, nowX, y + pitch / 2, Math.max(2.4, tall * 0.26), WHITE, 0.95);
          }
        }
      }
    }
    const second = 0.0625 * 1.6;
    for (let k = Math.ceil((now - 0.9) / second); k * second < now + 0.25; k++) {
      const x = Math.round(nowX + (k * second - now) * scale) + 0.5;
      g.strokeStyle = ink(GRID, 0.9);
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x, 0);
      g.lineTo(x, h - axis);
      g.stroke();
    }
    g.restore();
    neon(g, WHITE, 1.5, (c) => {
      c.moveTo(nowX, 0);
      c.lineTo(nowX, h - axis + 4);
    });
    for (let lane = 0; lane < LANES; lane++) label(g, "L" + String(lane + 1).padStart(2, "0"), left - 8, (lane + 0.5) * pitch, "right", SOFT, Math.min(h * 0.042, pitch * 0.62));
    label(g, "now", nowX, h - axis / 2 + 2, "center", WHITE, h * 0.042);
    label(g, "-8 s", mix(left, nowX, 0.1), h - axis / 2 + 2, "center", SOFT, h * 0.042);
    label(g, "-4 s", mix(left, nowX, 0.55), h - axis / 2 + 2, "center", SOFT, h * 0.042);
  }
`,
};
