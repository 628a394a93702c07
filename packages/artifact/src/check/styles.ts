import * as csstree from "css-tree";
import { urlKind } from "./urls.ts";

export interface CssProblem {
  readonly kind: "syntax" | "reference";
  readonly message: string;
  /** Offset in the text given. */
  readonly offset: number;
}

/** Functions whose string arguments are addresses. */
const ADDRESS_FUNCTIONS = new Set(["image-set", "-webkit-image-set", "src", "image"]);

/** Syntax errors and outside references of a style sheet or of a declaration list. */
export function checkCss(text: string, context: "stylesheet" | "declarationList" | "value"): CssProblem[] {
  const problems: CssProblem[] = [];
  const refer = (url: string, node: csstree.CssNode): void => {
    if (urlKind(url) === "local") return;
    problems.push({ kind: "reference", message: url, offset: node.loc?.start.offset ?? 0 });
  };
  let tree: csstree.CssNode;
  try {
    tree = csstree.parse(text, {
      context,
      positions: true,
      parseCustomProperty: true,
      onParseError: (error) => problems.push({ kind: "syntax", message: error.message, offset: error.offset ?? 0 }),
    });
  } catch (error) {
    return [{ kind: "syntax", message: (error as Error).message, offset: (error as { offset?: number }).offset ?? 0 }];
  }
  csstree.walk(tree, function (node) {
    if (node.type === "Url" && this.atrule?.name.toLowerCase() !== "namespace") refer(node.value, node);
    else if (node.type === "Atrule" && node.name.toLowerCase() === "import") {
      problems.push({ kind: "reference", message: `@import ${node.prelude ? csstree.generate(node.prelude) : ""}`, offset: node.loc?.start.offset ?? 0 });
    } else if (node.type === "Function" && ADDRESS_FUNCTIONS.has(node.name.toLowerCase())) {
      node.children.forEach((child) => {
        if (child.type === "String") refer(child.value, child);
      });
    } else if (node.type === "Raw") rawUrls(node, refer);
  });
  return problems;
}

/** What the parser left unread is still read for addresses by the tokenizer. */
function rawUrls(node: csstree.Raw, refer: (url: string, node: csstree.CssNode) => void): void {
  if (!/url|@import/i.test(node.value)) return;
  csstree.tokenize(node.value, (type, start, end) => {
    const token = node.value.slice(start, end);
    if (type === csstree.tokenTypes.Url) refer(csstree.url.decode(token), node);
    if (type === csstree.tokenTypes.AtKeyword && token.toLowerCase() === "@import") refer("//@import", node);
  });
  for (const match of node.value.matchAll(/(?:url|src)\(\s*(["'])(.*?)\1/gi)) refer(match[2]!, node);
}
