/** The ESTree nodes as the walk sees them: what a field holds is asked for where it is needed. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

export function nodeAt(node: Node, field: string): Node | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

export function nodesAt(node: Node, field: string): readonly Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The children in source order; names that are no expressions (keys, members, labels) are left out. */
export function children(node: Node): Node[] {
  const found: Node[] = [];
  const fixed = node["computed"] !== true;
  for (const field in node) {
    if (
      fixed &&
      ((field === "property" && node.type === "MemberExpression") ||
        (field === "key" && node.type !== "PrivateIdentifier"))
    )
      continue;
    if (field === "label" || field === "imported" || field === "exported") continue;
    const value = node[field];
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) found.push(item);
    } else if (isNode(value)) found.push(value);
  }
  return found;
}

export function nameOf(node: Node | undefined): string | undefined {
  return node?.type === "Identifier" ? String(node["name"]) : undefined;
}

export function isFunction(node: Node): boolean {
  return (
    node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression"
  );
}
