import { parse, type DefaultTreeAdapterMap, type ParserError } from "parse5";

type Parent = DefaultTreeAdapterMap["parentNode"];
export type HtmlElement = DefaultTreeAdapterMap["element"];

/** Text between the tags of an element, as it stands in the document. */
export interface Source {
  readonly element: HtmlElement;
  readonly text: string;
  /** Offset of `text` in the document. */
  readonly offset: number;
}

export interface HtmlDocument {
  readonly html: string;
  /** In document order. */
  readonly elements: readonly HtmlElement[];
  readonly errors: readonly ParserError[];
  readonly scripts: readonly Source[];
  readonly styles: readonly Source[];
}

export function parseDocument(html: string): HtmlDocument {
  const errors: ParserError[] = [];
  const tree = parse(html, { sourceCodeLocationInfo: true, onParseError: (error) => errors.push(error) });
  const elements: HtmlElement[] = [];
  collectElements(tree, elements);
  return {
    html,
    elements,
    errors,
    scripts: elements.filter((element) => element.tagName === "script").map((element) => sourceOf(html, element)),
    styles: elements.filter((element) => element.tagName === "style").map((element) => sourceOf(html, element)),
  };
}

/** In document order, the contents of templates included; a stack of its own, for documents that are deep on purpose. */
export function collectElements(root: Parent, into: HtmlElement[]): void {
  const open: Parent["childNodes"] = root.childNodes.toReversed();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!("tagName" in node)) continue;
    into.push(node);
    const content = node.tagName === "template" && "content" in node ? node.content.childNodes : [];
    for (const child of [...node.childNodes, ...content].toReversed()) open.push(child);
  }
}

export function attribute(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

/** Where the element, or one attribute of it, begins. */
export function offsetOf(element: HtmlElement, attr?: { readonly name: string; readonly prefix?: string }): number {
  const location = element.sourceCodeLocation;
  if (location === null || location === undefined) return 0;
  if (attr === undefined) return location.startOffset;
  const full = attr.prefix === undefined || attr.prefix === "" ? attr.name : `${attr.prefix}:${attr.name}`;
  const { attrs } = (location.startTag ?? location) as { attrs?: Record<string, { startOffset: number }> };
  return attrs?.[full]?.startOffset ?? attrs?.[full.toLowerCase()]?.startOffset ?? location.startOffset;
}

function sourceOf(html: string, element: HtmlElement): Source {
  const location = element.sourceCodeLocation;
  const offset = location?.startTag?.endOffset ?? location?.endOffset ?? 0;
  const end = location?.endTag?.startOffset ?? location?.endOffset ?? offset;
  return { element, text: html.slice(offset, Math.max(offset, end)), offset };
}
