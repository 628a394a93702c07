import { parse, walk, type Atrule, type CssNode } from "css-tree";
import { kindOfAddress, leavesDocument, shown } from "./address.ts";
import type { Fault } from "./fault.ts";
import { outside } from "./references.ts";

const SENTENCE = "remove it; use system fonts, inline styles and data: addresses";

/** Parses one style sheet or style attribute: its faults, and every reference that leaves the document. */
export function checkStyle(text: string, offset: number, context: "stylesheet" | "declarationList"): Fault[] {
  const faults: Fault[] = [];
  const place = (node: { loc?: { start: { offset: number } } | null | undefined }) =>
    offset + (node.loc?.start.offset ?? 0);
  const tree = parse(text, {
    context,
    positions: true,
    parseCustomProperty: true,
    // conditions of @supports, @container and what comes next grow faster than a grammar of them
    parseAtrulePrelude: false,
    onParseError: (error) =>
      faults.push({
        check: "css_parse",
        message: `CSS parse error: ${error.message}`,
        fix: "correct the style rule there",
        offset: offset + ((error as { offset?: number }).offset ?? 0),
      }),
  });
  const add = (address: string, node: CssNode, where: string) => {
    if (leavesDocument(address))
      faults.push(outside(kindOfAddress(address, "resource"), `${shown(address)} in ${where}`, place(node), SENTENCE));
  };
  walk(tree, function (node: CssNode) {
    const rule = this.atrule?.name.toLowerCase();
    if (node.type === "Url") add(node.value, node, "url()");
    else if (node.type === "Atrule" && node.name.toLowerCase() === "import") add(importedBy(node), node, "@import");
    else if (node.type === "Function" && /^(?:-webkit-)?image-set$|^image$|^src$/iu.test(node.name))
      node.children.forEach((child) => child.type === "String" && add(child.value, node, `${node.name}()`));
    else if (node.type === "Raw" && rule !== "import" && rule !== "namespace" && node.value.includes("url("))
      for (const match of node.value.matchAll(/url\(\s*["']?([^"')]*)/giu)) add(match[1] ?? "", node, "url()");
  });
  return faults;
}

/** The address, or all that stands there: an import that cannot be read is one all the same. */
function importedBy(rule: Atrule): string {
  const text = rule.prelude?.type === "Raw" ? rule.prelude.value.trim() : "";
  return /^(?:url\(\s*)?["']?([^"')\s]+)/iu.exec(text)?.[1] ?? `an import ${text}`;
}
