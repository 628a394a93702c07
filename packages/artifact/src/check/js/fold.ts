import { identifierName, nodeIn, nodesIn, unwrapped, type Node } from "./ast.ts";
import type { Scope } from "./scope.ts";

/** How far constants are followed: hiding a name deeper than this is left to the browser stage. */
const DEPTH_MAX = 24;

export interface Folded {
  readonly text: string;
  /** False: more follows that is not known; `text` is how it begins. */
  readonly whole: boolean;
}

/** The string an expression gives, as far as it is fixed by the text of the script. */
export function fold(node: Node | undefined, scope: Scope, depth = 0): Folded | undefined {
  if (node === undefined || depth > DEPTH_MAX) return undefined;
  const at = unwrapped(node);
  switch (at.type) {
    case "Literal": {
      const value = at["value"];
      return typeof value === "string" || typeof value === "number" ? { text: String(value), whole: true } : undefined;
    }
    case "TemplateLiteral":
      return joined(interleaved(at).map((part) => (typeof part === "string" ? { text: part, whole: true } : fold(part, scope, depth + 1))));
    case "BinaryExpression":
      return at["operator"] === "+" ? joined([fold(nodeIn(at, "left"), scope, depth + 1), fold(nodeIn(at, "right"), scope, depth + 1)]) : undefined;
    case "Identifier": {
      const binding = scope.find(at["name"] as string);
      return binding?.init === undefined ? undefined : fold(binding.init, binding.scope, depth + 1);
    }
    case "CallExpression":
      return foldCall(at, scope, depth);
    default:
      return undefined;
  }
}

function foldCall(call: Node, scope: Scope, depth: number): Folded | undefined {
  const callee = unwrapped(call["callee"] as Node);
  const args = nodesIn(call, "arguments");
  if (identifierName(callee) === "atob") {
    const coded = wholeText(args[0], scope, depth + 1);
    return coded === undefined || !/^[A-Za-z0-9+/=\s]*$/.test(coded) ? undefined : { text: Buffer.from(coded, "base64").toString("latin1"), whole: true };
  }
  if (callee.type !== "MemberExpression") return undefined;
  const name = propertyName(callee, scope, depth + 1);
  const object = unwrapped(callee["object"] as Node);
  if (name === "join" && object.type === "ArrayExpression") {
    const separator = args.length === 0 ? "," : wholeText(args[0], scope, depth + 1);
    const parts = nodesIn(object, "elements").map((e) => wholeText(e, scope, depth + 1));
    return separator === undefined || parts.includes(undefined) ? undefined : { text: parts.join(separator), whole: true };
  }
  if (name === "concat") return joined([object, ...args].map((part) => fold(part, scope, depth + 1)));
  if (name === "fromCharCode" && identifierName(object) === "String") {
    const codes = args.map((a) => Number(wholeText(a, scope, depth + 1)));
    return codes.some((c) => Number.isNaN(c)) ? undefined : { text: String.fromCharCode(...codes), whole: true };
  }
  return undefined;
}

export function wholeText(node: Node | undefined, scope: Scope, depth = 0): string | undefined {
  const folded = fold(node, scope, depth);
  return folded?.whole === true ? folded.text : undefined;
}

function joined(parts: readonly (Folded | undefined)[]): Folded | undefined {
  let text = "";
  for (const part of parts) {
    if (part === undefined) return text === "" ? undefined : { text, whole: false };
    text += part.text;
    if (!part.whole) return { text, whole: false };
  }
  return { text, whole: true };
}

function interleaved(template: Node): (string | Node)[] {
  const expressions = nodesIn(template, "expressions");
  return nodesIn(template, "quasis").flatMap((quasi, i) => {
    const text = (quasi["value"] as { cooked?: string | null }).cooked ?? "";
    return expressions[i] === undefined ? [text] : [text, expressions[i]];
  });
}

/** Name of the property a member expression reads, computed names folded. */
export function propertyName(member: Node, scope: Scope, depth = 0): string | undefined {
  const property = nodeIn(member, "property");
  if (property === undefined) return undefined;
  return member["computed"] === true ? wholeText(property, scope, depth) : identifierName(property);
}

const GLOBAL_NAMES = new Set(["window", "globalThis", "self", "top", "parent", "frames"]);

/** Whether an expression is surely the global object: its names, constants that hold it, `this` outside functions. */
export function isGlobal(node: Node | undefined, scope: Scope, depth = 0): boolean {
  if (node === undefined || depth > DEPTH_MAX) return false;
  const at = unwrapped(node);
  if (at.type === "ThisExpression") return scope.top;
  if (at.type === "Identifier") {
    const name = at["name"] as string;
    const binding = scope.find(name);
    if (binding === undefined) return GLOBAL_NAMES.has(name);
    return binding.init !== undefined && isGlobal(binding.init, binding.scope, depth + 1);
  }
  if (at.type === "MemberExpression") {
    const name = propertyName(at, scope, depth + 1);
    const object = at["object"] as Node;
    if (name === "defaultView") return isNamed(object, "document", scope);
    return name !== undefined && GLOBAL_NAMES.has(name) && isGlobal(object, scope, depth + 1);
  }
  return false;
}

/** Whether an expression is the global of that name: bare, as a member of the global object, or held by a constant. */
export function isNamed(node: Node | undefined, wanted: string, scope: Scope, depth = 0): boolean {
  if (node === undefined || depth > DEPTH_MAX) return false;
  const at = unwrapped(node);
  if (at.type === "Identifier") {
    const binding = scope.find(at["name"] as string);
    if (binding === undefined) return at["name"] === wanted;
    return binding.init !== undefined && isNamed(binding.init, wanted, binding.scope, depth + 1);
  }
  return at.type === "MemberExpression" && propertyName(at, scope, depth + 1) === wanted && isGlobal(at["object"] as Node, scope, depth + 1);
}
