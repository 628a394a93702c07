import { children, isFunction, nameOf, nodeAt, nodesAt, type Node } from "./syntax.ts";

/**
 * What a name stands for where it is used. A name no scope declares is a global of the page; that is what tells the
 * page's own `open` (a price of the day) from `window.open`.
 */
export class Scope {
  readonly #names = new Map<string, Node | undefined>();
  readonly parent: Scope | undefined;

  /** False where `this` is the page's global object: outside every function of a classic script. */
  readonly ownsThis: boolean;

  constructor(parent?: Scope, ownsThis = parent?.ownsThis ?? false) {
    this.parent = parent;
    this.ownsThis = ownsThis;
  }

  /** `init` is kept for names that never change, so that their value can be followed. */
  declare(name: string, init?: Node): void {
    this.#names.set(name, init);
  }

  find(name: string): { readonly init: Node | undefined; readonly scope: Scope } | undefined {
    if (this.#names.has(name)) return { init: this.#names.get(name), scope: this };
    return this.parent?.find(name);
  }
}

/**
 * The scope that `node` opens for its children, or `scope` itself when it opens none. `args`: what a function that is
 * called where it stands is given.
 */
export function scopeOf(node: Node, scope: Scope, args: readonly Node[] = []): Scope {
  if (isFunction(node)) {
    const inner = new Scope(scope, node.type === "ArrowFunctionExpression" ? scope.ownsThis : true);
    const own = node.type === "FunctionExpression" ? nameOf(nodeAt(node, "id")) : undefined;
    if (own !== undefined) inner.declare(own);
    for (const [index, param] of nodesAt(node, "params").entries()) {
      const name = nameOf(param);
      if (name !== undefined) inner.declare(name, args[index]);
      else declarePattern(param, inner);
    }
    const body = nodeAt(node, "body");
    if (body !== undefined) hoist(body, inner);
    return inner;
  }
  switch (node.type) {
    case "Program":
    case "StaticBlock": {
      const inner = new Scope(scope);
      hoist(node, inner);
      declareLexical(nodesAt(node, "body"), inner);
      return inner;
    }
    case "BlockStatement":
      return lexical(nodesAt(node, "body"), scope);
    case "SwitchStatement":
      return lexical(
        nodesAt(node, "cases").flatMap((entry) => nodesAt(entry, "consequent")),
        scope,
      );
    case "ForStatement":
      return lexical(
        [nodeAt(node, "init")].filter((entry) => entry !== undefined),
        scope,
      );
    case "ForOfStatement":
    case "ForInStatement":
      return lexical(
        [nodeAt(node, "left")].filter((entry) => entry !== undefined),
        scope,
      );
    case "CatchClause": {
      const inner = new Scope(scope);
      const param = nodeAt(node, "param");
      if (param !== undefined) declarePattern(param, inner);
      return inner;
    }
    default:
      return scope;
  }
}

function lexical(statements: readonly Node[], scope: Scope): Scope {
  const inner = new Scope(scope);
  declareLexical(statements, inner);
  return inner;
}

function declareLexical(statements: readonly Node[], scope: Scope): void {
  for (const entry of statements) {
    const statement = entry.type.startsWith("Export") ? (nodeAt(entry, "declaration") ?? entry) : entry;
    if (statement.type === "VariableDeclaration") declareVariables(statement, scope);
    else if (statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration") {
      const name = nameOf(nodeAt(statement, "id"));
      if (name !== undefined) scope.declare(name);
    } else if (statement.type === "ImportDeclaration")
      for (const specifier of nodesAt(statement, "specifiers"))
        declarePattern(nodeAt(specifier, "local") ?? specifier, scope);
  }
}

function declareVariables(declaration: Node, scope: Scope): void {
  for (const variable of nodesAt(declaration, "declarations")) {
    const id = nodeAt(variable, "id");
    const name = nameOf(id);
    if (name !== undefined) scope.declare(name, declaration["kind"] === "const" ? nodeAt(variable, "init") : undefined);
    else if (id !== undefined) declarePattern(id, scope);
  }
}

function declarePattern(pattern: Node, scope: Scope): void {
  const name = nameOf(pattern);
  if (name !== undefined) return scope.declare(name);
  if (pattern.type === "AssignmentPattern") return declareIn(nodeAt(pattern, "left"), scope);
  if (pattern.type === "RestElement") return declareIn(nodeAt(pattern, "argument"), scope);
  if (pattern.type === "Property") return declareIn(nodeAt(pattern, "value"), scope);
  for (const part of [...nodesAt(pattern, "properties"), ...nodesAt(pattern, "elements")]) declarePattern(part, scope);
}

function declareIn(pattern: Node | undefined, scope: Scope): void {
  if (pattern !== undefined) declarePattern(pattern, scope);
}

/** `var` belongs to the function, wherever in it it stands. */
function hoist(node: Node, scope: Scope): void {
  for (const child of children(node)) {
    if (isFunction(child)) continue;
    if (child.type === "VariableDeclaration" && child["kind"] === "var") declareVariables(child, scope);
    if (!child.type.endsWith("Expression") && !child.type.endsWith("Literal")) hoist(child, scope);
  }
}
