import { between, real, type Visual } from "../visual.ts";

export const web: Visual = {
  name: "web",
  legend: ["now", "mean of window", "p95"],
  alt: "A radar chart that breathes with the reading",
  parameters: (random) => ({
    AXES: between(random, 6, 9),
    TURN: real(random, -0.12, 0.12),
    SWAY: real(random, 0.3, 0.7),
  }),
  code: String.raw`
  const NAMES = ["p50", "p75", "p90", "p95", "p99", "max", "mean", "now", "low"];

  function corner(x, y, radius, i, turn) {
    const a = -Math.PI / 2 + turn + (i / AXES) * TAU;
    return [x + Math.cos(a) * radius, y + Math.sin(a) * radius];
  }

  function polygon(x, y, radius, turn, sizeOf) {
    return (c) => {
      for (let i = 0; i <= AXES; i++) {
        const [px, py] = corner(x, y, radius * sizeOf(i % AXES), i % AXES, turn);
        if (i === 0) c.moveTo(px, py);
        else c.lineTo(px, py);
      }
      c.closePath();
    };
  }

  function drawBars(g, h, t, r) {
    const rows = 14;
    const pitch = h / rows;
    for (let i = 0; i < rows; i++) {
      const k = r.past(i * 4);
      g.fillStyle = ink(i === 0 ? MAIN : SECOND, i === 0 ? 1 : 0.65 - i * 0.03);
      g.fillRect(0, i * pitch + pitch * 0.3, h * (0.08 + 0.42 * k), Math.max(3, pitch * 0.3));
    }
  }

  function draw(g, w, h, t, r) {
    const x = w * 0.56;
    const y = h * 0.51;
    const radius = h * 0.44;
    const turn = t * TURN;
    drawBars(g, h, t, r);
    for (let ring = 1; ring <= 5; ring++) {
      g.strokeStyle = ink(ring === 5 ? SECOND : GRID, ring === 5 ? 0.45 : 1);
      g.lineWidth = 1;
      g.beginPath();
      polygon(x, y, (radius * ring) / 5, turn, () => 1)(g);
      g.stroke();
    }
    for (let i = 0; i < AXES; i++) {
      const [px, py] = corner(x, y, radius, i, turn);
      g.strokeStyle = ink(GRID, 1);
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(px, py);
      g.stroke();
      const [lx, ly] = corner(x, y, radius * 1.0 + Math.max(13, h * 0.05), i, turn);
      label(g, NAMES[i], lx, clamp(ly, 8, h - 8), lx > x + 5 ? "left" : lx < x - 5 ? "right" : "center", SOFT, h * 0.042);
    }
    const size = (i, lag, lift) => clamp(0.2 + 0.62 * r.past((i * 5 + lag) % 62) * lift + SWAY * 0.22 * Math.sin(t * (0.8 + i * 0.13) + i * 2.1 - lag * 0.2), 0.08, 1);
    for (let echo = 4; echo > 0; echo--) {
      g.strokeStyle = ink(MAIN, 0.22 - echo * 0.04);
      g.lineWidth = 1.2;
      g.beginPath();
      polygon(x, y, radius * (1 + echo * 0.03), turn - echo * 0.03, (i) => size(i, echo, 1))(g);
      g.stroke();
    }
    const now = polygon(x, y, radius, turn, (i) => size(i, 0, 1.06));
    g.fillStyle = ink(MAIN, 0.13);
    g.beginPath();
    now(g);
    g.fill();
    neon(g, SECOND, 1.6, polygon(x, y, radius * 0.72, turn, (i) => size(i, 12, 0.9)));
    neon(g, MARK, 1.6, polygon(x, y, radius * 0.42, -turn, (i) => size(i, 24, 1)));
    neon(g, MAIN, 2.2, now);
    for (let i = 0; i < AXES; i++) {
      const [px, py] = corner(x, y, radius * size(i, 0, 1.06), i, turn);
      dot(g, px, py, Math.max(2.5, h * 0.012), i % 4 === 3 ? MARK : WHITE, 1);
    }
  }
`,
};
