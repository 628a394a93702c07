import { ANIMATION_VERSION } from "@swarm/protocol";
import { nodeIn, nodesIn, unwrapped, type Node } from "./ast.ts";
import { fold, isNamed, propertyName, wholeText } from "./fold.ts";
import type { Scope } from "./scope.ts";

export const HOOK_NAME = "__SWARM_ANIMATION_V1__";
const MEMBERS = ["version", "ready", "seek"] as const;

/** What is wrong with the value of the hook, as far as the text shows it; undefined when nothing is. */
export function hookTrouble(value: Node | undefined, scope: Scope, depth = 0): string | undefined {
  if (value === undefined || depth > 8) return undefined;
  const at = unwrapped(value);
  if (at.type === "Identifier") {
    const binding = scope.find(at["name"] as string);
    return binding?.init === undefined ? undefined : hookTrouble(binding.init, binding.scope, depth + 1);
  }
  if (at.type === "ObjectExpression") return "it is not frozen: wrap it in Object.freeze({ … })";
  if (at.type !== "CallExpression" || !isFreeze(at, scope)) return undefined;
  const object = objectOf(nodesIn(at, "arguments")[0], scope);
  if (object === undefined) return undefined;
  const properties = nodesIn(object, "properties");
  if (properties.some((p) => p.type === "SpreadElement")) return undefined;
  const byName = new Map(properties.map((p) => [keyName(p, scope), nodeIn(p, "value")]));
  const missing = MEMBERS.filter((name) => !byName.has(name));
  if (missing.length > 0) return `it has no ${missing.join(" and no ")}`;
  const version = wholeText(byName.get("version"), scope);
  return version !== undefined && version !== ANIMATION_VERSION ? `its version is "${version}", not "${ANIMATION_VERSION}"` : undefined;
}

/** The value given to the hook by a descriptor `{ value: … }` or `{ get() … }`. */
export function descriptorValue(descriptor: Node | undefined, scope: Scope): Node | undefined {
  const object = objectOf(descriptor, scope);
  const property = object === undefined ? undefined : nodesIn(object, "properties").find((p) => keyName(p, scope) === "value");
  return property === undefined ? undefined : nodeIn(property, "value");
}

export function keyName(property: Node, scope: Scope): string | undefined {
  const key = nodeIn(property, "key");
  if (key === undefined) return undefined;
  if (property["computed"] === true) return fold(key, scope)?.text;
  return key.type === "Identifier" ? (key["name"] as string) : wholeText(key, scope);
}

function objectOf(node: Node | undefined, scope: Scope): Node | undefined {
  if (node === undefined) return undefined;
  const at = unwrapped(node);
  if (at.type === "ObjectExpression") return at;
  if (at.type !== "Identifier") return undefined;
  const init = scope.find(at["name"] as string)?.init;
  return init?.type === "ObjectExpression" ? init : undefined;
}

function isFreeze(call: Node, scope: Scope): boolean {
  const callee = unwrapped(call["callee"] as Node);
  return callee.type === "MemberExpression" && propertyName(callee, scope) === "freeze" && isNamed(callee["object"] as Node, "Object", scope);
}
