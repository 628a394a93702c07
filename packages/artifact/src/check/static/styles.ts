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
    if (node.type === "Url") add(node.value, node, this.atrule?.name === "import" ? "@import" : "url()");
    else if (node.type === "Atrule" && node.name.toLowerCase() === "import")
      importedBy(node).forEach((address) => add(address, node, "@import"));
    else if (node.type === "Function" && /^(?:-webkit-)?image-set$|^image$|^src$/iu.test(node.name))
      node.children.forEach((child) => child.type === "String" && add(child.value, node, `${node.name}()`));
    else if (node.type === "Raw" && node.value.includes("url("))
      for (const match of node.value.matchAll(/url\(\s*["']?([^"')]*)/giu)) add(match[1] ?? "", node, "url()");
  });
  return faults;
}

function importedBy(rule: Atrule): string[] {
  if (rule.prelude?.type !== "AtrulePrelude") return [];
  return rule.prelude.children.toArray().flatMap((child) => (child.type === "String" ? [child.value] : []));
}
