import { ANIMATION_VERSION } from "@swarm/protocol";
import type { Scope } from "./scope.ts";
import { nameOf, nodeAt, nodesAt, type Node } from "./syntax.ts";
import { fold, globalPath } from "./value.ts";

export const HOOK = "__SWARM_ANIMATION_V1__";
const MEMBERS = ["version", "ready", "seek"] as const;
const DEPTH = 8;

/** The object that a call installs as the hook; null: it installs none; undefined: one that cannot be read here. */
export function installedBy(path: string | undefined, args: readonly Node[], scope: Scope): Node | undefined | null {
  if (path === undefined || globalPath(args[0], scope) !== "") return null;
  if (path === "Object.defineProperty" || path === "Reflect.defineProperty")
    return fold(args[1], scope) === HOOK ? valueIn(args[2], scope) : null;
  if (path === "Reflect.set") return fold(args[1], scope) === HOOK ? args[2] : null;
  if (path !== "Object.assign" && path !== "Object.defineProperties") return null;
  for (const property of args.slice(1).flatMap((arg) => nodesAt(arg, "properties"))) {
    if (keyOf(property, scope) !== HOOK) continue;
    const value = nodeAt(property, "value");
    return path === "Object.assign" ? value : valueIn(value, scope);
  }
  return null;
}

/** What is wrong with the object, as far as the text shows it. */
export function hookTrouble(value: Node | undefined, scope: Scope, depth = DEPTH): string | undefined {
  if (value === undefined || depth === 0) return undefined;
  if (value.type === "ParenthesizedExpression") return hookTrouble(nodeAt(value, "expression"), scope, depth - 1);
  if (value.type === "Identifier") {
    const found = scope.find(String(value["name"]));
    return found === undefined ? undefined : hookTrouble(found.init, found.scope, depth - 1);
  }
  if (value.type === "ObjectExpression") return "is not frozen";
  if (value.type !== "CallExpression" || globalPath(nodeAt(value, "callee"), scope) !== "Object.freeze")
    return undefined;
  const object = objectAt(nodesAt(value, "arguments")[0], scope);
  const properties = object === undefined ? [] : nodesAt(object, "properties");
  if (object === undefined || properties.some((property) => property.type !== "Property")) return undefined;
  const members = new Map(properties.map((property) => [keyOf(property, scope), nodeAt(property, "value")]));
  const missing = MEMBERS.filter((name) => !members.has(name));
  if (missing.length > 0) return `has no ${missing.join(" and no ")}`;
  const version = fold(members.get("version"), scope);
  return version === undefined || version === ANIMATION_VERSION
    ? undefined
    : `has the version "${version.slice(0, 40)}"`;
}

export function keyOf(property: Node, scope: Scope): string | undefined {
  const key = nodeAt(property, "key");
  return property["computed"] === true ? fold(key, scope) : (nameOf(key) ?? fold(key, scope));
}

function valueIn(descriptor: Node | undefined, scope: Scope): Node | undefined {
  const object = objectAt(descriptor, scope);
  const property = object && nodesAt(object, "properties").find((entry) => keyOf(entry, scope) === "value");
  return property && nodeAt(property, "value");
}

function objectAt(node: Node | undefined, scope: Scope): Node | undefined {
  if (node?.type === "ObjectExpression") return node;
  const name = nameOf(node);
  const init = name === undefined ? undefined : scope.find(name)?.init;
  return init?.type === "ObjectExpression" ? init : undefined;
}
