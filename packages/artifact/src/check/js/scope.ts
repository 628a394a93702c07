import { childrenOf, identifierName, isFunction, nodeIn, nodesIn, type Node } from "./ast.ts";

/** A name declared in a scope; `init` only where the name can hold nothing else. */
export interface Binding {
  readonly init?: Node;
  readonly scope: Scope;
}

export class Scope {
  readonly parent: Scope | undefined;
  /** True outside every function: `this` is the global object there in a classic script. */
  readonly top: boolean;
  readonly #names = new Map<string, Binding>();

  constructor(parent: Scope | undefined, top: boolean) {
    this.parent = parent;
    this.top = top;
  }

  declare(name: string, init?: Node): void {
    this.#names.set(name, { scope: this, ...(init === undefined || this.#names.has(name) ? {} : { init }) });
  }

  find(name: string): Binding | undefined {
    let scope: Scope | undefined = this as Scope;
    while (scope !== undefined) {
      const found = scope.#names.get(name);
      if (found !== undefined) return found;
      scope = scope.parent;
    }
    return undefined;
  }
}

/** The scope that a node opens for its children, with all its names, or the one around it. */
export function scopeInside(node: Node, around: Scope | undefined, args: readonly Node[] | undefined): Scope {
  if (around === undefined || isFunction(node)) {
    const scope = new Scope(around, around === undefined);
    if (isFunction(node)) declareFunction(node, scope, args);
    else declareBody(nodesIn(node, "body"), scope);
    return scope;
  }
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
      return blockScope(nodesIn(node, "body"), around);
    case "SwitchStatement":
      return blockScope(nodesIn(node, "cases").flatMap((c) => nodesIn(c, "consequent")), around);
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement": {
      const head = nodeIn(node, "init") ?? nodeIn(node, "left");
      return head === undefined ? around : blockScope([head], around);
    }
    case "CatchClause": {
      const scope = new Scope(around, around.top);
      const parameter = nodeIn(node, "param");
      if (parameter !== undefined) declarePattern(parameter, scope);
      return scope;
    }
    case "ClassExpression": {
      const name = identifierName(nodeIn(node, "id"));
      if (name === undefined) return around;
      const scope = new Scope(around, around.top);
      scope.declare(name);
      return scope;
    }
    default:
      return around;
  }
}

function blockScope(statements: readonly Node[], around: Scope): Scope {
  const lexical = statements.filter((s) => (s.type === "VariableDeclaration" && s["kind"] !== "var") || s.type === "ClassDeclaration" || s.type === "FunctionDeclaration");
  if (lexical.length === 0) return around;
  const scope = new Scope(around, around.top);
  for (const statement of lexical) declareStatement(statement, scope);
  return scope;
}

function declareFunction(node: Node, scope: Scope, args: readonly Node[] | undefined): void {
  const own = node.type === "FunctionExpression" ? identifierName(nodeIn(node, "id")) : undefined;
  if (own !== undefined) scope.declare(own);
  if (node.type !== "ArrowFunctionExpression") scope.declare("arguments");
  for (const [i, parameter] of nodesIn(node, "params").entries()) {
    const name = identifierName(parameter);
    if (name !== undefined && args !== undefined && args[i] !== undefined) scope.declare(name, args[i]);
    else declarePattern(parameter, scope);
  }
  const body = nodeIn(node, "body");
  if (body?.type === "BlockStatement") declareBody(nodesIn(body, "body"), scope);
}

/** Lexical names of the statements and every `var` below them, functions left out. */
function declareBody(statements: readonly Node[], scope: Scope): void {
  for (const statement of statements) declareStatement(statement, scope);
  const open: Node[] = [...statements];
  while (open.length > 0) {
    const node = open.pop()!;
    if (node.type === "VariableDeclaration" && node["kind"] === "var") declareStatement(node, scope);
    if (!isFunction(node) && !node.type.startsWith("Class")) open.push(...childrenOf(node));
  }
}

function declareStatement(statement: Node, scope: Scope): void {
  const inner = statement.type.startsWith("Export") ? nodeIn(statement, "declaration") : statement;
  if (inner === undefined) return;
  if (inner.type === "VariableDeclaration") {
    for (const declarator of nodesIn(inner, "declarations")) {
      const id = nodeIn(declarator, "id");
      const name = identifierName(id);
      if (name !== undefined) scope.declare(name, inner["kind"] === "const" ? nodeIn(declarator, "init") : undefined);
      else if (id !== undefined) declarePattern(id, scope);
    }
  } else if (inner.type === "FunctionDeclaration" || inner.type === "ClassDeclaration") {
    const name = identifierName(nodeIn(inner, "id"));
    if (name !== undefined) scope.declare(name);
  } else if (inner.type === "ImportDeclaration") {
    for (const specifier of nodesIn(inner, "specifiers")) declarePattern(specifier["local"] as Node, scope);
  }
}

function declarePattern(pattern: Node, scope: Scope): void {
  switch (pattern.type) {
    case "Identifier":
      scope.declare(pattern["name"] as string);
      return;
    case "ObjectPattern":
      for (const property of nodesIn(pattern, "properties")) declarePattern((nodeIn(property, "value") ?? nodeIn(property, "argument"))!, scope);
      return;
    case "ArrayPattern":
      for (const element of nodesIn(pattern, "elements")) declarePattern(element, scope);
      return;
    case "AssignmentPattern":
      declarePattern(pattern["left"] as Node, scope);
      return;
    case "RestElement":
      declarePattern(pattern["argument"] as Node, scope);
      return;
    default:
  }
}
