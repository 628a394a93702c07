import { parseSync } from "oxc-parser";
import { addressesInStyle, kindOfAddress, leavesDocument, shown } from "../address.ts";
import type { Fault } from "../fault.ts";
import { outside, referencesInMarkup } from "../references.ts";
import { Scope, scopeOf } from "./scope.ts";
import { children, isNode, nameOf, nodeAt, nodesAt, type Node } from "./syntax.ts";
import { fold, foldParts, globalPath, join, memberName } from "./value.ts";

/** What the scripts of a document do, as far as reading them tells. */
export interface ScriptFacts {
  readonly faults: Fault[];
  hook: boolean;
  animation: boolean;
  context: boolean;
  canvas: boolean;
}

export const HOOK = "__SWARM_ANIMATION_V1__";

const NETWORK = new Set(
  "fetch fetchLater XMLHttpRequest WebSocket WebSocketStream EventSource WebTransport Worker SharedWorker importScripts RTCPeerConnection webkitRTCPeerConnection open navigator.sendBeacon navigator.serviceWorker".split(
    " ",
  ),
);
const STORAGE_AND_MEDIA = new Set(
  "localStorage sessionStorage indexedDB caches cookieStore document.cookie navigator.storage navigator.mediaDevices Audio AudioContext webkitAudioContext speechSynthesis navigator.geolocation Notification".split(
    " ",
  ),
);
const ADDRESS_MEMBERS = new Set("src href srcset poster".split(" "));
const MARKUP_MEMBERS = new Set("innerHTML outerHTML srcdoc".split(" "));
const MARKUP_CALLS = new Set(
  "write writeln insertAdjacentHTML setHTMLUnsafe createContextualFragment parseFromString".split(" "),
);
const STYLE_CALLS = new Set("setProperty insertRule replaceSync replace setAttribute".split(" "));
const EMBEDDERS = new Set("iframe frame object embed portal".split(" "));
const INLINE = "remove it; the document must work with no network";

/** `offset` is where `text` begins in the document. */
export function checkScript(text: string, module: boolean, offset: number, facts: ScriptFacts): void {
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
  if (isNode(program)) visit(program, undefined, new Scope(), { offset, facts });
}

interface Context {
  readonly offset: number;
  readonly facts: ScriptFacts;
}

function visit(node: Node, parent: Node | undefined, outer: Scope, context: Context): void {
  const scope = scopeOf(node, outer);
  look(node, parent, scope, context);
  for (const child of children(node)) visit(child, node, scope, context);
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
  else if (STORAGE_AND_MEDIA.has(path))
    context.facts.faults.push({
      check: "forbidden_api",
      message: `the script uses ${path}`,
      fix: "remove it; a card has no storage and no media",
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
  if (nameOf(id) === HOOK && init !== undefined) context.facts.hook = true;
  if (id?.type !== "ObjectPattern") return;
  const base = globalPath(init, scope);
  if (base === undefined) return;
  for (const property of nodesAt(id, "properties")) {
    const key = nodeAt(property, "key");
    const name = property["computed"] === true ? fold(key, scope) : (nameOf(key) ?? fold(key, scope));
    if (name !== undefined) lookAtGlobal(join(base, name), property, undefined, context);
  }
}

function lookAtAssignment(node: Node, scope: Scope, context: Context): void {
  const left = nodeAt(node, "left");
  const right = nodeAt(node, "right");
  if (left === undefined) return;
  const path = globalPath(left, scope);
  if (path === HOOK) context.facts.hook = true;
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
  if (installsHook(path, args, scope)) context.facts.hook = true;
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
  } else if (MARKUP_CALLS.has(method))
    for (const text of texts()) context.facts.faults.push(...referencesInMarkup(text, context.offset + node.start));
  else if (STYLE_CALLS.has(method)) {
    const [name = "", value = ""] = texts().slice(-2);
    if (method.startsWith("setAttribute") && ADDRESS_MEMBERS.has(name) && isClearAddress(value))
      report(context, node, kindOfAddress(value, "resource"), `${shown(value)} set as ${name}`);
    for (const text of texts()) lookAtStyle(text, node, context);
  }
}

function installsHook(path: string | undefined, args: readonly Node[], scope: Scope): boolean {
  if (path === undefined || globalPath(args[0], scope) !== "") return false;
  if (/^(?:Object|Reflect)\.(?:defineProperty|set)$/u.test(path)) return fold(args[1], scope) === HOOK;
  if (path !== "Object.assign" && path !== "Object.defineProperties") return false;
  return args.slice(1).some((arg) =>
    nodesAt(arg, "properties").some((property) => {
      const key = nodeAt(property, "key");
      return (property["computed"] === true ? fold(key, scope) : (nameOf(key) ?? fold(key, scope))) === HOOK;
    }),
  );
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
