import { parseSync } from "oxc-parser";
import { excerpt } from "../source.ts";
import type { StaticCheck } from "../findings.ts";
import { srcsetUrls, urlKind } from "../urls.ts";
import { childrenOf, identifierName, isFunction, nodeIn, nodesIn, unwrapped, type Node } from "./ast.ts";
import { fold, isGlobal, isNamed, propertyName, wholeText } from "./fold.ts";
import { descriptorValue, hookTrouble, HOOK_NAME, keyName } from "./hook.ts";
import {
  FORBIDDEN_CALLS,
  FORBIDDEN_DOCUMENT,
  FORBIDDEN_GLOBALS,
  FORBIDDEN_NAVIGATOR,
  FORBIDDEN_TO_MAKE,
  LEAVING,
  LOCATION_METHODS,
  MARKUP_METHODS,
  MARKUP_PROPERTIES,
  SHEET_METHODS,
  URL_PROPERTIES,
  type Rule,
} from "./rules.ts";
import { scopeInside, type Scope } from "./scope.ts";

/** Deeper nesting than any person writes; parsers recurse. */
const NESTING_MAX = 400;

/** Where findings of a script go; offsets are places in the script. */
export interface ScriptSink {
  fail(check: StaticCheck, message: string, offset: number, fix: string): void;
  /** Markup that the script puts into the page. */
  markup(html: string, offset: number): void;
  /** Style text that the script puts into the page. */
  css(text: string, context: "stylesheet" | "declarationList" | "value", offset: number): void;
}

export interface ScriptFacts {
  picture: boolean;
  frameLoop: boolean;
  hook: boolean;
}

/** Parses a script and reads what it would reach; nothing is run. */
export function checkScript(code: string, kind: "script" | "module", sink: ScriptSink, facts: ScriptFacts): void {
  if (nesting(code) > NESTING_MAX) {
    sink.fail("script_syntax", `brackets are nested deeper than ${NESTING_MAX}`, 0, "Write flatter code.");
    return;
  }
  const result = parseSync("card.js", code, { sourceType: kind, lang: "js" });
  for (const error of result.errors) {
    sink.fail("script_syntax", error.message, error.labels[0]?.start ?? 0, error.helpMessage ?? "Correct the syntax at this place.");
  }
  if (result.errors.length > 0) return;
  new ScriptReader(sink, facts).read(result.program as unknown as Node);
}

class ScriptReader {
  readonly #sink: ScriptSink;
  readonly #facts: ScriptFacts;
  /** Arguments of functions that are called where they stand. */
  readonly #given = new Map<Node, readonly Node[]>();

  constructor(sink: ScriptSink, facts: ScriptFacts) {
    this.#sink = sink;
    this.#facts = facts;
  }

  read(program: Node): void {
    const open: { node: Node; scope: Scope }[] = [];
    const enter = (node: Node, around: Scope | undefined, parent: Node | undefined): void => {
      const scope = scopeInside(node, around, this.#given.get(node));
      this.#look(node, around ?? scope, parent);
      for (const child of childrenOf(node).reverse()) open.push({ node: child, scope });
      this.#parents.set(node, parent);
    };
    enter(program, undefined, undefined);
    while (open.length > 0) {
      const { node, scope } = open.pop()!;
      enter(node, scope, this.#parentOf(node));
    }
  }

  readonly #parents = new Map<Node, Node | undefined>();
  #parentOf(_node: Node): Node | undefined {
    return undefined;
  }

  #look(_node: Node, _scope: Scope, _parent: Node | undefined): void {}
}
