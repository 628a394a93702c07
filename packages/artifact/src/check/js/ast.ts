/** An ESTree node as the parser gives it; offsets in UTF-16 units of the script. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** The node in a field, if there is one. */
export function nodeIn(node: Node, field: string): Node | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

export function nodesIn(node: Node, field: string): readonly Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const key in node) {
    const value = node[key];
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) children.push(item);
    } else if (isNode(value)) children.push(value);
  }
  return children;
}

export function identifierName(node: Node | undefined): string | undefined {
  return node?.type === "Identifier" ? (node["name"] as string) : undefined;
}

/** `(a)`, `a as T` and optional chains are looked through. */
export function unwrapped(node: Node): Node {
  let current = node;
  while (current.type === "ParenthesizedExpression" || current.type === "ChainExpression") current = current["expression"] as Node;
  return current;
}

export function isFunction(node: Node): boolean {
  return node.type === "FunctionExpression" || node.type === "FunctionDeclaration" || node.type === "ArrowFunctionExpression";
}
