import { parseSync } from "oxc-parser";
import { addressesInStyle, kindOfAddress, leavesDocument, shown } from "../address.ts";
import type { Fault } from "../fault.ts";
import { outside, referencesInMarkup } from "../references.ts";
import { tooDeep } from "./depth.ts";
import { HOOK, hookTrouble, installedBy, keyOf } from "./hook.ts";
import {
  ADDRESS_MEMBERS,
  DIALOGS,
  EMBEDDERS,
  LOADERS,
  MARKUP_CALLS,
  MARKUP_MEMBERS,
  MEDIA,
  NETWORK,
  STORAGE_AND_MEDIA,
  STYLE_CALLS,
  TIMERS,
} from "./rules.ts";
import { Scope, scopeOf } from "./scope.ts";
import { children, isFunction, isNode, nameOf, nodeAt, nodesAt, type Node } from "./syntax.ts";
import { fold, foldParts, globalPath, join, memberName } from "./value.ts";

/** What the scripts of a document do, as far as reading them tells. */
export interface ScriptFacts {
  readonly faults: Fault[];
  hook: boolean;
  animation: boolean;
  context: boolean;
  canvas: boolean;
}

const INLINE = "remove it; the document must work with no network";
const NO_STRINGS = "write the code itself in the script";

/** `offset` is where `text` begins in the document. */
export function checkScript(text: string, module: boolean, offset: number, facts: ScriptFacts): void {
  const deep = tooDeep(text);
  if (deep !== undefined) {
    facts.faults.push({
      check: "scripts_parse",
      message: `the script is too deep: ${deep}`,
      fix: "write flatter code",
      offset,
    });
    return;
  }
  const parsed = parseSync(module ? "card.mjs" : "card.cjs", text, {
    sourceType: module ? "module" : "script",
    lang: "js",
  });
  for (const error of parsed.errors)
    facts.faults.push({
      check: "scripts_parse",
      message: `JavaScript syntax error: ${error.message}`,
      fix: "correct the syntax there",
      offset: offset + (error.labels[0]?.start ?? 0),
    });
  if (parsed.errors.length > 0) return;
  const program: unknown = parsed.program;
  if (isNode(program)) walk(program, { offset, facts });
}

interface Context {
  readonly offset: number;
  readonly facts: ScriptFacts;
}

/** Visits every node with the names around it. The stack is our own: depth costs no call stack. */
function walk(program: Node, context: Context): void {
  /** Arguments of functions that are called where they stand. */
  const given = new Map<Node, readonly Node[]>();
  const open: { node: Node; parent: Node | undefined; outer: Scope }[] = [
    { node: program, parent: undefined, outer: new Scope() },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, parent, outer } = next;
    const scope = scopeOf(node, outer, given.get(node));
    look(node, parent, scope, context);
    if (node.type === "CallExpression") {
      const callee = nodeAt(node, "callee");
      const called = callee?.type === "ParenthesizedExpression" ? nodeAt(callee, "expression") : callee;
      if (called !== undefined && isFunction(called)) given.set(called, nodesAt(node, "arguments"));
    }
    for (const child of children(node).reverse()) open.push({ node: child, parent: node, outer: scope });
  }
}

function look(node: Node, parent: Node | undefined, scope: Scope, context: Context): void {
  switch (node.type) {
    case "Identifier":
      if (
        scope.find(String(node["name"])) === undefined &&
        !(parent?.type === "MemberExpression" && isGlobalName(node))
      )
        lookAtGlobal(String(node["name"]), node, parent, context);
      return;
    case "MemberExpression":
      return lookAtMember(node, parent, scope, context);
    case "VariableDeclarator":
      return lookAtDeclarator(node, scope, context);
    case "AssignmentExpression":
      return lookAtAssignment(node, scope, context);
    case "CallExpression":
    case "NewExpression":
      return lookAtCall(node, scope, context);
    case "ImportExpression":
      return report(context, node, "script", `import(${shown(foldParts(nodeAt(node, "source"), scope) ?? "")})`);
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration": {
      const source = nodeAt(node, "source");
      if (source !== undefined) report(context, node, "script", `import from ${shown(fold(source, scope) ?? "")}`);
      return;
    }
    default:
  }
}

function isGlobalName(node: Node): boolean {
  return ["window", "self", "globalThis"].includes(String(node["name"]));
}

/** A global is reached by `path`; only asking for its type is free. */
function lookAtGlobal(path: string, node: Node, parent: Node | undefined, context: Context): void {
  if (path === "requestAnimationFrame" || path === "KeyframeEffect") context.facts.animation = true;
  if (parent?.type === "UnaryExpression" && parent["operator"] === "typeof") return;
  if (NETWORK.has(path))
    report(context, node, path === "open" ? "window" : "network", path === "open" ? "window.open" : path);
  else if (STORAGE_AND_MEDIA.has(path)) forbid(context, node, path, "remove it; a card has no storage and no media");
  else if (path === "eval") forbid(context, node, path, NO_STRINGS);
}

function forbid(context: Context, node: Node, what: string, fix: string): void {
  context.facts.faults.push({
    check: "forbidden_api",
    message: `the script uses ${what}`,
    fix,
    offset: context.offset + node.start,
  });
}

function lookAtMember(node: Node, parent: Node | undefined, scope: Scope, context: Context): void {
  const path = globalPath(node, scope);
  if (path !== undefined) lookAtGlobal(path, node, parent, context);
}

/** `const { fetch: f } = window` reaches the same as `window.fetch`. */
function lookAtDeclarator(node: Node, scope: Scope, context: Context): void {
  const id = nodeAt(node, "id");
  const init = nodeAt(node, "init");
  if (nameOf(id) === HOOK && init !== undefined) install(init, node, scope, context);
  if (id?.type === "ObjectPattern") lookAtPattern(id, init, scope, context);
}

function lookAtPattern(pattern: Node, from: Node | undefined, scope: Scope, context: Context): void {
  const base = globalPath(from, scope);
  if (base === undefined) return;
  for (const property of nodesAt(pattern, "properties")) {
    const name = keyOf(property, scope);
    if (name !== undefined) lookAtGlobal(join(base, name), property, undefined, context);
  }
}

function lookAtAssignment(node: Node, scope: Scope, context: Context): void {
  const left = nodeAt(node, "left");
  const right = nodeAt(node, "right");
  if (left === undefined) return;
  if (left.type === "ObjectPattern") return lookAtPattern(left, right, scope, context);
  const path = globalPath(left, scope);
  if (path === HOOK) install(right, node, scope, context);
  const text = foldParts(right, scope);
  if (path === "location" || path?.startsWith("location.") === true)
    return report(context, node, "page", `navigation by ${path}${text === undefined ? "" : ` = ${shown(text)}`}`);
  if (left.type !== "MemberExpression" || text === undefined) return;
  const member = memberName(left, scope);
  if (member === undefined) return;
  if (ADDRESS_MEMBERS.has(member) && isClearAddress(text))
    report(context, node, kindOfAddress(text, "resource"), `${shown(text)} assigned to ${member}`);
  else if (MARKUP_MEMBERS.has(member))
    context.facts.faults.push(...referencesInMarkup(text, context.offset + node.start));
  else lookAtStyle(text, node, context);
}

function lookAtCall(node: Node, scope: Scope, context: Context): void {
  const callee = nodeAt(node, "callee");
  const args = nodesAt(node, "arguments");
  const path = globalPath(callee, scope);
  const method = callee?.type === "MemberExpression" ? memberName(callee, scope) : undefined;
  if (path === "Reflect.get") {
    const base = globalPath(args[0], scope);
    const name = fold(args[1], scope);
    if (base !== undefined && name !== undefined) lookAtGlobal(join(base, name), node, undefined, context);
  }
  if (path !== undefined && /^location\.(?:assign|replace|reload)$/u.test(path))
    report(context, node, "page", `navigation by ${path}()`);
  if (path === "FontFace") for (const arg of args) lookAtStyle(foldParts(arg, scope) ?? "", node, context);
  const hook = installedBy(path, args, scope);
  if (hook !== null) install(hook, node, scope, context);
  lookAtStringCode(path, method, args, node, scope, context);
  if (path !== undefined && DIALOGS.has(path)) forbid(context, node, `${path}()`, "remove it; a card opens no dialog");
  if (method === undefined) return;
  const texts = () => args.map((arg) => foldParts(arg, scope) ?? "");
  if (method === "animate") context.facts.animation = true;
  else if (method === "getContext" || method === "transferControlToOffscreen") context.facts.context = true;
  else if (method === "createElement" || method === "createElementNS") {
    const tag =
      texts()
        .at(method === "createElement" ? 0 : 1)
        ?.toLowerCase() ?? "";
    if (tag === "canvas" || tag === "svg") context.facts.canvas = true;
    if (EMBEDDERS.has(tag)) report(context, node, "embedded document", `<${tag}> made by the script`);
    if (MEDIA.has(tag)) forbid(context, node, `a <${tag}>`, "remove it; a card has no storage and no media");
    if (LOADERS.has(tag)) report(context, node, "script", `<${tag}> made by the script`);
  } else if (MARKUP_CALLS.has(method))
    for (const text of texts()) context.facts.faults.push(...referencesInMarkup(text, context.offset + node.start));
  else if (STYLE_CALLS.has(method)) {
    const [name = "", value = ""] = texts().slice(-2);
    if (method.startsWith("setAttribute") && ADDRESS_MEMBERS.has(name) && isClearAddress(value))
      report(context, node, kindOfAddress(value, "resource"), `${shown(value)} set as ${name}`);
    for (const text of texts()) lookAtStyle(text, node, context);
    if (
      method !== "setProperty" &&
      !method.startsWith("setAttribute") &&
      texts().some((text) => /@import/iu.test(text))
    )
      report(context, node, "stylesheet", "@import in a style set by the script");
  }
}

/** Code made from strings hides from every check; the page's policy refuses most of it anyway. */
function lookAtStringCode(
  path: string | undefined,
  method: string | undefined,
  args: readonly Node[],
  node: Node,
  scope: Scope,
  context: Context,
): void {
  if (path === "Function") forbid(context, node, "Function()", NO_STRINGS);
  else if (path !== undefined && TIMERS.has(path) && isText(args[0], scope))
    forbid(context, node, `${path} with a string`, NO_STRINGS);
  else if (method === "constructor" && isText(args[0], scope))
    forbid(context, node, "a function made from a string", NO_STRINGS);
}

function isText(node: Node | undefined, scope: Scope): boolean {
  return typeof node?.["value"] !== "number" && foldParts(node, scope) !== undefined;
}

function install(value: Node | undefined, node: Node, scope: Scope, context: Context): void {
  context.facts.hook = true;
  const trouble = hookTrouble(value, scope);
  if (trouble === undefined) return;
  context.facts.faults.push({
    check: "hook",
    message: `the hook ${HOOK} ${trouble}`,
    fix: `let it be Object.freeze({ version: "swarm.animation/v1", ready, seek })`,
    offset: context.offset + node.start,
  });
}

function lookAtStyle(text: string, node: Node, context: Context): void {
  if (!text.includes("url(")) return;
  for (const address of addressesInStyle(text))
    if (leavesDocument(address))
      report(context, node, kindOfAddress(address, "resource"), `${shown(address)} in a style set by the script`);
}

/** A member called `src` may also be the end of an edge: only what reads as an address is one. */
function isClearAddress(text: string): boolean {
  return leavesDocument(text) && /^\s*(?:[a-z][a-z0-9+.-]*:|\/|\.\.?\/)|\.[a-z0-9]{2,5}(?:[?#]|$)/iu.test(text);
}

function report(context: Context, node: Node, kind: string, what: string): void {
  context.facts.faults.push(outside(kind, what, context.offset + node.start, INLINE));
}
