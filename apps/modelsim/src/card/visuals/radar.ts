import { between, real, type Visual } from "../visual.ts";

export const radar: Visual = {
  name: "radar",
  legend: ["sweep", "contact", "near limit"],
  alt: "A radar sweep over contacts",
  parameters: (random) => ({
    CONTACTS: between(random, 12, 22),
    TURN: real(random, 0.9, 1.5),
    RINGS: between(random, 4, 6),
  }),
  code: String.raw`
  function drawScreen(g, x, y, radius) {
    for (let i = 1; i <= RINGS; i++) {
      g.strokeStyle = ink(i === RINGS ? SECOND : GRID, i === RINGS ? 0.6 : 1);
      g.lineWidth = i === RINGS ? 1.6 : 1;
      g.beginPath();
      g.arc(x, y, (radius * i) / RINGS, 0, TAU);
      g.stroke();
    }
    for (let i = 0; i < 12; i++) {
      const a = (i / 12) * TAU;
      g.strokeStyle = ink(GRID, 0.8);
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(x + Math.cos(a) * radius, y + Math.sin(a) * radius);
      g.stroke();
    }
    for (let i = 0; i < 72; i++) {
      const a = (i / 72) * TAU;
      const inner = radius * (i % 6 === 0 ? 0.955 : 0.98);
      g.strokeStyle = ink(SECOND, 0.6);
      g.beginPath();
      g.moveTo(x + Math.cos(a) * inner, y + Math.sin(a) * inner);
      g.lineTo(x + Math.cos(a) * radius, y + Math.sin(a) * radius);
      g.stroke();
    }
  }

  // Contacts drift slowly; their distance follows a past reading.
  function contact(i, t, r) {
    const a = chance(i + 500) * TAU + (wave(t * 0.2, 40 + i) - 0.5) * 0.7;
    const far = clamp(0.14 + 0.55 * chance(i + 700) + 0.34 * (r.past((i * 3) % 60) - 0.3), 0.1, 0.97);
    return { a, far };
  }

  function draw(g, w, h, t, r) {
    const radius = h * 0.485;
    const x = w * 0.42;
    const y = h / 2;
    drawScreen(g, x, y, radius);
    const beam = (t * TURN) % TAU;
    for (let i = 0; i < 26; i++) {
      g.fillStyle = ink(MAIN, 0.3 * Math.pow(1 - i / 26, 1.6));
      g.beginPath();
      g.moveTo(x, y);
      g.arc(x, y, radius, beam - (i + 1) * 0.045, beam - i * 0.045);
      g.fill();
    }
    neon(g, MAIN, 2, (c) => {
      c.moveTo(x, y);
      c.lineTo(x + Math.cos(beam) * radius, y + Math.sin(beam) * radius);
    });
    const rows = [];
    for (let i = 0; i < CONTACTS; i++) {
      const { a, far } = contact(i, t, r);
      const behind = (((beam - a) % TAU) + TAU) % TAU;
      const fresh = Math.exp(-behind * 0.55);
      const near = far > 0.86;
      const px = x + Math.cos(a) * radius * far;
      const py = y + Math.sin(a) * radius * far;
      dot(g, px, py, radius * (0.018 + 0.022 * fresh), near ? MARK : fresh > 0.3 ? MAIN : SECOND, 0.45 + 0.55 * fresh);
      if (fresh > 0.55) {
        g.strokeStyle = ink(near ? MARK : MAIN, (fresh - 0.5) * 0.9);
        g.lineWidth = 1.2;
        g.beginPath();
        g.arc(px, py, radius * (0.05 + (1 - fresh) * 0.2), 0, TAU);
        g.stroke();
      }
      rows.push({ i, far, fresh, near });
    }
    dot(g, x, y, radius * 0.028, WHITE, 1);
    const listX = x + radius + Math.max(22, w * 0.05);
    const size = h * 0.045;
    const pitch = Math.max(17, h * 0.088);
    rows.slice(0, Math.floor(h / pitch)).forEach((row, k) => {
      const py = pitch * (k + 0.5);
      const rgb = row.near ? MARK : row.fresh > 0.5 ? MAIN : SOFT;
      label(g, "c" + String(row.i + 1).padStart(2, "0"), listX, py, "left", rgb, size);
      const barX = listX + Math.max(30, h * 0.13);
      const room = Math.max(20, w - barX - 6);
      g.fillStyle = ink(GRID, 0.7);
      g.fillRect(barX, py - 2, room, 4);
      g.fillStyle = ink(row.near ? MARK : SECOND, 0.45 + 0.55 * row.fresh);
      g.fillRect(barX, py - 2, room * row.far, 4);
    });
  }
`,
};
