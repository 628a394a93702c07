/**
 * Whether a value used as an address leaves the document. Only data, blobs, fragments and emptiness stay inside;
 * a relative path is outside too, because an artifact is one file.
 */
export function leavesDocument(address: string): boolean {
  const value = address.replace(/[\t\n\r ]+/gu, "");
  return value !== "" && !/^(?:data:|blob:|#|about:blank$|about:srcdoc$)/iu.test(value);
}

/** Addresses inside `url(…)` of a style value, for text that is not parsed as a style sheet. */
export function addressesInStyle(value: string): string[] {
  const found: string[] = [];
  for (const match of value.matchAll(/url\(\s*(?:"([^"]*)"|'([^']*)'|([^)\s]*))\s*\)/giu))
    found.push(match[1] ?? match[2] ?? match[3] ?? "");
  return found;
}

/** A short form for messages. */
export function shown(address: string): string {
  const flat = address.replace(/\s+/gu, " ").trim();
  return flat.length > 90 ? `${flat.slice(0, 90)}…` : flat;
}

/** Words by which an agent finds the reference in its own text. */
export function kindOfAddress(address: string, fallback: string): string {
  return /fonts?[./]|\.woff2?|\.[ot]tf/iu.test(address) ? "font" : fallback;
}
