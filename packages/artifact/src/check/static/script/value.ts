import type { Scope } from "./scope.ts";
import { nameOf, nodeAt, nodesAt, type Node } from "./syntax.ts";

/** Stands for a part of a text that is known only when the script runs. As an address it stays inside the page. */
export const UNKNOWN = "#";
/** The same while folding: no text of a card holds it. */
const HOLE = "\u{0}";
/** How far a value is followed through constants. */
const DEPTH = 8;

const GLOBAL_OBJECTS = new Set(["window", "self", "globalThis", "top", "parent", "frames"]);

/** The exact text of an expression, or undefined when it is not known before the script runs. */
export function fold(node: Node | undefined, scope: Scope, depth = DEPTH): string | undefined {
  const text = foldLoose(node, scope, depth);
  return text === undefined || text.includes(HOLE) ? undefined : text;
}

/** Its text with `UNKNOWN` for the parts that are not known; undefined when nothing is. */
export function foldParts(node: Node | undefined, scope: Scope): string | undefined {
  const text = foldLoose(node, scope, DEPTH);
  return text === undefined || text === HOLE ? undefined : text.replaceAll(HOLE, UNKNOWN);
}

function foldLoose(node: Node | undefined, scope: Scope, depth: number): string | undefined {
  if (node === undefined || depth === 0) return undefined;
  const inner = (part: Node | undefined) => foldLoose(part, scope, depth - 1) ?? HOLE;
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" || typeof node["value"] === "number" ? String(node["value"]) : undefined;
    case "TemplateLiteral": {
      const holes = nodesAt(node, "expressions");
      return nodesAt(node, "quasis")
        .map((quasi, index) => {
          const value = (quasi["value"] as { cooked?: string | null }).cooked ?? "";
          return index < holes.length ? value + inner(holes[index]) : value;
        })
        .join("");
    }
    case "BinaryExpression": {
      if (node["operator"] !== "+") return undefined;
      const text = inner(nodeAt(node, "left")) + inner(nodeAt(node, "right"));
      return text.replaceAll(HOLE, "") === "" && text !== "" ? undefined : text;
    }
    case "ParenthesizedExpression":
      return foldLoose(nodeAt(node, "expression"), scope, depth - 1);
    case "SequenceExpression":
      return foldLoose(nodesAt(node, "expressions").at(-1), scope, depth - 1);
    case "Identifier": {
      const found = scope.find(String(node["name"]));
      return found === undefined ? undefined : foldLoose(found.init, found.scope, depth - 1);
    }
    case "CallExpression":
      return foldCall(node, scope, depth);
    default:
      return undefined;
  }
}

/** The few calls by which a text is put together from pieces. */
function foldCall(node: Node, scope: Scope, depth: number): string | undefined {
  const callee = nodeAt(node, "callee");
  const args = nodesAt(node, "arguments");
  if (callee === undefined) return undefined;
  if (nameOf(callee) === "atob") {
    const text = fold(args[0], scope, depth - 1);
    return text === undefined ? undefined : Buffer.from(text, "base64").toString("latin1");
  }
  if (callee.type !== "MemberExpression") return undefined;
  const object = nodeAt(callee, "object");
  const method = nameOf(nodeAt(callee, "property"));
  const texts = (list: readonly Node[]) => list.map((part) => foldLoose(part, scope, depth - 1) ?? HOLE);
  if (method === "fromCharCode" && nameOf(object) === "String") {
    const codes = texts(args).map(Number);
    return codes.every(Number.isInteger) ? String.fromCharCode(...codes) : undefined;
  }
  if (object === undefined) return undefined;
  if (method === "join" && object.type === "ArrayExpression")
    return texts(nodesAt(object, "elements")).join(args.length === 0 ? "," : (fold(args[0], scope, depth - 1) ?? HOLE));
  const base = foldLoose(object, scope, depth - 1);
  if (base === undefined) return undefined;
  if (method === "concat") return base + texts(args).join("");
  if (method === "toLowerCase") return base.toLowerCase();
  if (method === "toString" || method === "trim") return base;
  return undefined;
}

/** The name of the member a member expression reads, when it is known. */
export function memberName(node: Node, scope: Scope): string | undefined {
  const property = nodeAt(node, "property");
  return node["computed"] === true ? fold(property, scope) : nameOf(property);
}

/**
 * What an expression denotes, as a path from the page's global object: `fetch`, `navigator.sendBeacon`,
 * `window` itself is "". Undefined when it is nothing global.
 */
export function globalPath(node: Node | undefined, scope: Scope, depth = DEPTH): string | undefined {
  if (node === undefined || depth === 0) return undefined;
  switch (node.type) {
    case "Identifier": {
      const name = String(node["name"]);
      const found = scope.find(name);
      if (found !== undefined) return globalPath(found.init, found.scope, depth - 1);
      return GLOBAL_OBJECTS.has(name) ? "" : name;
    }
    case "ThisExpression":
      return scope.ownsThis ? undefined : "";
    case "MemberExpression": {
      const base = globalPath(nodeAt(node, "object"), scope, depth - 1);
      const name = memberName(node, scope);
      return base === undefined || name === undefined ? undefined : join(base, name);
    }
    case "ChainExpression":
    case "ParenthesizedExpression":
      return globalPath(nodeAt(node, "expression"), scope, depth - 1);
    case "SequenceExpression":
      return globalPath(nodesAt(node, "expressions").at(-1), scope, depth - 1);
    case "LogicalExpression":
      return globalPath(nodeAt(node, "left"), scope, depth - 1) ?? globalPath(nodeAt(node, "right"), scope, depth - 1);
    default:
      return undefined;
  }
}

export function join(base: string, name: string): string {
  if (base === "") return GLOBAL_OBJECTS.has(name) ? "" : name;
  if (base === "document" && name === "defaultView") return "";
  if (base === "document" && name === "location") return "location";
  return `${base}.${name}`;
}
