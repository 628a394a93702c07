/** Deterministic numbers from text: the only source of chance in the simulator. */

/** 32-bit hash of a text (FNV-1a with a final mix), the same in every process. */
export function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Uniform in [0, 1), fixed by the text. */
export function unit(text: string): number {
  return hash32(text) / 4294967296;
}

/** A generator of uniform numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Standard normal from two uniforms (Box–Muller). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Lower-case hex digits from a text, for ids and opaque signatures. */
export function hexFrom(text: string, digits: number): string {
  let out = "";
  for (let i = 0; out.length < digits; i++) out += hash32(`${i}:${text}`).toString(16).padStart(8, "0");
  return out.slice(0, digits);
}
