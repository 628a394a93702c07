/** Elements whose id names a part of the document. */
const REGIONS = new Set(["main", "section", "header", "footer", "aside", "nav", "article", "figure"]);
/** Elements whose content is text, whatever it looks like. */
const TEXT_ELEMENTS = new Set(["script", "style", "textarea", "title", "noscript", "iframe", "xmp"]);
const PARTS_MAX = 256;
const NAME = /[a-z][^\s/>]*/iy;
const ATTRIBUTE = /[\s/]*([^\s=>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/y;

/**
 * Regions of a document by their ids, in order. A scan in one pass, not a parse: the gate's parser judges. Its time is
 * linear in the length, whatever the text is, because the daemon runs it.
 */
export function findParts(html: string): string[] {
  const parts = new Set<string>();
  let lower: string | undefined;
  for (let at = html.indexOf("<"); at >= 0 && parts.size < PARTS_MAX; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      const end = html.indexOf("-->", at + 4);
      if (end < 0) break;
      at = end + 3;
      continue;
    }
    NAME.lastIndex = at + 1;
    const name = NAME.exec(html)?.[0].toLowerCase();
    if (name === undefined) {
      at++;
      continue;
    }
    const end = tagEnd(html, at);
    if (end < 0) break;
    if (REGIONS.has(name)) {
      const id = idIn(html.slice(at + 1 + name.length, end));
      if (id !== undefined && id.trim() !== "") parts.add(id);
    }
    at = end + 1;
    if (!TEXT_ELEMENTS.has(name)) continue;
    lower ??= html.toLowerCase();
    const close = lower.indexOf(`</${name}`, at);
    if (close < 0) break;
    at = close + 2;
  }
  return [...parts];
}

/** Place of the `>` that ends a tag, quoted values looked over; -1 when there is none. */
function tagEnd(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const sign = html[at];
    if (sign === ">") return at;
    if ((sign === '"' || sign === "'") && html[at - 1] === "=") {
      const close = html.indexOf(sign, at + 1);
      if (close < 0) return -1;
      at = close;
    }
  }
  return -1;
}

function idIn(attributes: string): string | undefined {
  ATTRIBUTE.lastIndex = 0;
  for (let match = ATTRIBUTE.exec(attributes); match !== null; match = ATTRIBUTE.exec(attributes)) {
    if (match[1]!.toLowerCase() === "id") return match[2] ?? match[3] ?? match[4];
  }
  return undefined;
}
