import { crc32, deflateSync } from "node:zlib";

export function seeded(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A small picture in the cards' colours: form by seed, phase by instant. */
export function picture(seed: number, phase: number): Uint8Array {
  const w = 320;
  const h = 180;
  const random = seeded(seed * 104_729 + 7);
  const kind = Math.floor(random() * 4);
  const f = 1.5 + random() * 3;
  const rows = Buffer.alloc((w * 3 + 1) * h);
  const put = (x: number, y: number, c: readonly number[], a: number): void => {
    const xi = Math.round(x);
    const yi = Math.round(y);
    if (xi < 0 || yi < 0 || xi >= w || yi >= h) return;
    const at = yi * (w * 3 + 1) + 1 + xi * 3;
    for (let k = 0; k < 3; k++) rows[at + k] = Math.round(rows[at + k]! * (1 - a) + c[k]! * a);
  };
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) put(x, y, [11, 15, 26], 1);
  const colours = [
    [0, 240, 255],
    [135, 206, 235],
    [251, 191, 36],
  ];
  const dot = (x: number, y: number, r: number, c: readonly number[]): void => {
    for (let dy = -r; dy <= r; dy++)
      for (let dx = -r; dx <= r; dx++) if (dx * dx + dy * dy <= r * r) put(x + dx, y + dy, c, 0.9);
  };
  if (kind === 0) {
    for (let j = 0; j < 3; j++)
      for (let x = 0; x < w; x++)
        dot(x, h * (0.5 + (0.22 - j * 0.06) * Math.sin((x / w) * f * 6.28 + j + phase * 0.6)), 1, colours[j]!);
  } else if (kind === 1) {
    for (let k = 0; k < 18; k++) {
      const v = Math.abs(Math.sin(k * 0.55 + phase * 0.4 + seed));
      for (let y = h * 0.85; y > h * 0.85 - h * 0.6 * v; y--)
        for (let x = 0; x < 8; x++) put(90 + k * 12 + x, y, colours[v > 0.8 ? 2 : 0]!, 0.85);
    }
  } else if (kind === 2) {
    for (let k = 0; k < 60; k++)
      dot(
        185 + (k / 60) * 100 * Math.cos((k / 60) * 16 + phase * 0.3),
        92 + (k / 60) * 74 * Math.sin((k / 60) * 16 + phase * 0.3),
        1 + Math.floor(k / 25),
        colours[k % 9 === 0 ? 2 : k % 2]!,
      );
  } else {
    for (let k = 0; k < 3; k++)
      for (let q = 0; q < 260; q++)
        dot(
          195 + (26 + k * 24) * Math.cos(q * 0.024 + phase * 0.5 * (k + 1)),
          92 + (26 + k * 24) * Math.sin(q * 0.024 + phase * 0.5 * (k + 1)),
          1,
          colours[k % 2]!,
        );
    dot(195, 92, 6, colours[2]!);
  }
  return png(w, h, rows);
}

function png(width: number, height: number, rows: Buffer): Uint8Array {
  const part = (type: string, data: Buffer): Buffer => {
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length, 0);
    out.write(type, 4, "latin1");
    data.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    part("IHDR", head),
    part("IDAT", deflateSync(rows)),
    part("IEND", Buffer.alloc(0)),
  ]);
}
