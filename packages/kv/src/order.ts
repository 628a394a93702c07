/**
 * Compares two well-formed strings by their UTF-8 bytes. JavaScript's own order goes by UTF-16 units, which
 * puts surrogates (U+10000 and up) before U+E000–U+FFFF; the bytes put them after.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** An upper bound (exclusive) of all keys that begin with `prefix`, for prefixes not followed by U+10FFFF. */
export function prefixEnd(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}
