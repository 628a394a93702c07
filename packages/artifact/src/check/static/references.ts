import { parseFragment } from "parse5";
import { addressesInStyle, kindOfAddress, leavesDocument, shown } from "./address.ts";
import { collectElements, offsetOf, type HtmlElement } from "./document.ts";
import type { Fault } from "./fault.ts";
import { EMBEDDERS, MEDIA } from "./script/rules.ts";

const ADDRESS_ATTRIBUTES = new Set(
  "src href poster data action formaction ping background manifest cite longdesc usemap classid codebase profile archive".split(
    " ",
  ),
);
/** Not followed by any browser: mere annotations. */
const ANNOTATIONS = new Set(["cite", "longdesc", "profile"]);

/** References out of the document in the attributes of its elements. `offsetFor` places them. */
export function referencesIn(elements: readonly HtmlElement[], at?: number): Fault[] {
  const faults: Fault[] = [];
  for (const element of elements) {
    const place = (name?: string, prefix?: string) =>
      at ?? offsetOf(element, name === undefined ? undefined : { name, ...(prefix === undefined ? {} : { prefix }) });
    if (EMBEDDERS.has(element.tagName))
      faults.push(outside("embedded document", `<${element.tagName}>`, place(), `remove the <${element.tagName}>`));
    if (MEDIA.has(element.tagName))
      faults.push({
        check: "forbidden_api",
        message: `<${element.tagName}>`,
        fix: `remove the <${element.tagName}>; a card has no storage and no media`,
        offset: place(),
      });
    if (element.tagName === "base") faults.push(outside("address", "<base>", place(), "remove the <base>"));
    if (element.tagName === "script") faults.push(...scriptReferences(element, place));
    const meta = metaRefresh(element);
    if (meta !== undefined) faults.push(outside("navigation", meta, place(), "remove the meta refresh"));
    for (const { name, prefix, value } of element.attrs)
      for (const address of addressesOf(element, name, value))
        faults.push(
          outside(
            kindOfAddress(address, kindOf(element)),
            `${shown(address)} in ${prefix === undefined || prefix === "" ? "" : `${prefix}:`}${name} of <${element.tagName}>`,
            place(name, prefix),
            fixFor(element),
          ),
        );
  }
  return faults;
}

/** The same for a piece of markup that a script writes into the page. */
export function referencesInMarkup(markup: string, at: number): Fault[] {
  if (!markup.includes("<")) return [];
  const elements: HtmlElement[] = [];
  collectElements(parseFragment(markup), elements);
  return referencesIn(elements, at);
}

export function outside(kind: string, what: string, offset: number, fix: string): Fault {
  return { check: "external_reference", message: `external reference to a ${kind}: ${what}`, fix, offset };
}

function addressesOf(element: HtmlElement, name: string, value: string): string[] {
  if (name === "srcset" || name === "imagesrcset")
    return value
      .split(/,\s+/u)
      .map((candidate) => candidate.trim().split(/\s+/u)[0] ?? "")
      .filter(leavesDocument);
  if (ADDRESS_ATTRIBUTES.has(name)) return !ANNOTATIONS.has(name) && leavesDocument(value) ? [value] : [];
  if (name === "to" || name === "from" || name === "values")
    return animatesAddress(element) ? value.split(";").filter(leavesDocument) : [];
  if (name === "style") return [];
  return value.includes("url(") ? addressesInStyle(value).filter(leavesDocument) : [];
}

/** A script element may hold code, and nothing else: not an address of any sort, not rules for loading. */
function scriptReferences(element: HtmlElement, place: (name?: string) => number): Fault[] {
  const src = element.attrs.find((attr) => attr.name === "src" || attr.name === "href");
  if (src !== undefined && !leavesDocument(src.value))
    return [outside("script", `${src.name} of <script>`, place(src.name), fixFor(element))];
  const type = element.attrs
    .find((attr) => attr.name === "type")
    ?.value.trim()
    .toLowerCase();
  if (type !== "importmap" && type !== "speculationrules") return [];
  return [outside("script", `<script type="${type}">`, place(), "remove it; nothing is loaded")];
}

function animatesAddress(element: HtmlElement): boolean {
  return element.attrs.some((attr) => attr.name === "attributeName" && /href$/iu.test(attr.value));
}

function metaRefresh(element: HtmlElement): string | undefined {
  if (element.tagName !== "meta") return undefined;
  const refresh = element.attrs.some((attr) => attr.name === "http-equiv" && attr.value.toLowerCase() === "refresh");
  return refresh
    ? `meta refresh ${shown(element.attrs.find((attr) => attr.name === "content")?.value ?? "")}`
    : undefined;
}

function kindOf(element: HtmlElement): string {
  switch (element.tagName) {
    case "script":
      return "script";
    case "link":
      return "stylesheet or resource";
    case "img":
    case "image":
    case "picture":
      return "picture";
    case "a":
    case "form":
      return "page";
    default:
      return "resource";
  }
}

function fixFor(element: HtmlElement): string {
  if (element.tagName === "link") return "remove this <link>; use system fonts and inline styles";
  if (element.tagName === "script") return "remove the attribute and write the code inline";
  return "remove it or use a data: address";
}
