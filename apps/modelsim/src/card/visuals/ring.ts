import { between, real, type Visual } from "../visual.ts";

export const ring: Visual = {
  name: "ring",
  legend: ["filled", "read", "head"],
  alt: "A ring buffer with its head and tail",
  parameters: (random) => ({
    SLOTS: between(random, 36, 60),
    LAPS: real(random, 0.09, 0.16),
    DEPTH: between(random, 3, 5),
  }),
  code: String.raw`
  function slot(g, x, y, inner, outer, i, fill, rgb, alpha) {
    const step = TAU / SLOTS;
    const a = -Math.PI / 2 + i * step + step * 0.1;
    const b = a + step * 0.8;
    const edge = mix(inner, outer, fill);
    g.fillStyle = ink(rgb, alpha);
    g.beginPath();
    g.arc(x, y, edge, a, b);
    g.arc(x, y, inner, b, a, true);
    g.closePath();
    g.fill();
  }

  function pointer(g, x, y, radius, turn, rgb, name, size) {
    const a = -Math.PI / 2 + turn * TAU;
    const c = Math.cos(a);
    const s = Math.sin(a);
    neon(g, rgb, 2.2, (p) => {
      p.moveTo(x + c * radius * 0.5, y + s * radius * 0.5);
      p.lineTo(x + c * radius * 1.0, y + s * radius * 1.0);
    });
    dot(g, x + c * radius * 0.5, y + s * radius * 0.5, size * 0.35, rgb, 1);
    label(g, name, x + c * radius * 0.37, y + s * radius * 0.37, "center", rgb, size);
  }

  function draw(g, w, h, t, r) {
    const x = w / 2;
    const y = h / 2;
    const radius = h * 0.485;
    const head = (t * LAPS) % 1;
    const gap = 0.16 + 0.56 * r.now;
    const tail = (head - gap + 2) % 1;
    for (let i = 0; i < SLOTS; i++) {
      const at = i / SLOTS;
      const behind = (head - at + 1) % 1;
      const held = behind < gap;
      slot(g, x, y, radius * 0.66, radius, i, 1, GRID, 0.75);
      const size = 0.3 + 0.7 * chance(i + 31 * Math.floor(t * LAPS - behind + 1));
      if (held) slot(g, x, y, radius * 0.66, radius, i, size, behind < 0.03 ? WHITE : MAIN, 0.3 + 0.7 * (1 - behind / gap));
      else slot(g, x, y, radius * 0.66, radius, i, 0.14, SECOND, 0.35);
    }
    for (let k = 0; k < DEPTH; k++) {
      g.strokeStyle = ink(SECOND, 0.5 - k * 0.1);
      g.lineWidth = 1.4;
      g.beginPath();
      const from = -Math.PI / 2 + tail * TAU;
      g.arc(x, y, radius * (0.6 - k * 0.035), from, from + gap * TAU * (1 - k * 0.17));
      g.stroke();
    }
    pointer(g, x, y, radius, tail, SECOND, "read", h * 0.042);
    pointer(g, x, y, radius, head, MARK, "head", h * 0.042);
    label(g, Math.round(gap * SLOTS) + " / " + SLOTS, x, y, "center", WHITE, h * 0.062);
    // Frames arrive from the left and leave to the right at the pace of the ring.
    const lanes = 5;
    for (let lane = 0; lane < lanes; lane++) {
      const py = y + (lane - 2) * h * 0.13;
      const reach = Math.sqrt(Math.max(0, radius * radius - (py - y) * (py - y))) * 1.04;
      for (let i = 0; i < 7; i++) {
        const u = (chance(lane * 40 + i) + t * (0.12 + 0.05 * lane * 0.6)) % 1;
        const width = h * (0.05 + 0.08 * chance(lane * 90 + i));
        const tall = Math.max(4, h * 0.022);
        const span = x - reach - 8;
        g.fillStyle = ink(MAIN, 0.18 + 0.6 * u);
        g.fillRect(clamp(u * span - width, 0, span), py - tall / 2, Math.min(width, u * span), tall);
        const out = x + reach + 8 + u * span;
        g.fillStyle = ink(i === 3 ? MARK : SECOND, 0.75 * (1 - u));
        g.fillRect(out, py - tall / 2, Math.max(0, Math.min(width, w - out)), tall);
      }
    }
  }
`,
};
