import { inflateSync } from "node:zlib";

const SIGNATURE_BYTES = 8;
const FEW = 64;

/** How many colours a PNG of the browser (8 bits, RGB or RGBA, not interlaced) shows, counted up to a few. */
export function colours(png: Buffer): number {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const size = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at + 12 <= png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * size;
  const seen = new Set<number>();
  let above = new Uint8Array(stride);
  for (let y = 0; y < height && seen.size < FEW; y++) {
    const start = y * (stride + 1);
    const row = Uint8Array.from(raw.subarray(start + 1, start + 1 + stride));
    unfilter(raw[start] ?? 0, row, above, size);
    for (let x = 0; x + 2 < stride; x += size)
      seen.add(((row[x] ?? 0) << 16) | ((row[x + 1] ?? 0) << 8) | (row[x + 2] ?? 0));
    above = row;
  }
  return seen.size;
}

function unfilter(filter: number, row: Uint8Array, above: Uint8Array, size: number): void {
  for (let x = 0; x < row.length; x++) {
    const left = x < size ? 0 : (row[x - size] ?? 0);
    const up = above[x] ?? 0;
    const corner = x < size ? 0 : (above[x - size] ?? 0);
    row[x] = (row[x] ?? 0) + predict(filter, left, up, corner);
  }
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
