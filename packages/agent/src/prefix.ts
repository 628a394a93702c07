import { createHash } from "node:crypto";
import type { ToolSpec } from "@swarm/protocol";
import { canonicalJson } from "@swarm/std";

/** The part of a request that is byte-identical for all sessions of a profile: instructions and tool list. */
export interface FrozenPrefix {
  readonly system: string;
  /** In order of name, keys sorted. */
  readonly tools: readonly ToolSpec[];
  /** `<instructions>.<tools>`, each 16 hex digits of the SHA-256 of its canonical form: equal when the prefix is equal. */
  readonly hash: string;
  /** Of the canonical form. */
  readonly bytes: number;
}

const known = new WeakMap<readonly ToolSpec[], Map<string, FrozenPrefix>>();

/** Made once for each list of tools and prompt: a hundred sessions share the same objects. */
export function frozenPrefix(prompt: string, tools: readonly ToolSpec[]): FrozenPrefix {
  let byPrompt = known.get(tools);
  if (byPrompt === undefined) known.set(tools, (byPrompt = new Map()));
  let prefix = byPrompt.get(prompt);
  if (prefix === undefined) byPrompt.set(prompt, (prefix = makePrefix(prompt, tools)));
  return prefix;
}

function makePrefix(system: string, list: readonly ToolSpec[]): FrozenPrefix {
  const specs = list
    .map(({ name, description, parameters }) => ({ name, description, parameters }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const canonical = canonicalJson(specs);
  const tools = JSON.parse(canonical) as readonly ToolSpec[];
  return {
    system,
    tools,
    hash: `${digest(system)}.${digest(canonical)}`,
    bytes: Buffer.byteLength(system) + Buffer.byteLength(canonical),
  };
}

/** Why a provider's cache does not hold what came before; undefined when it does. */
export function breakCause(
  before: { readonly prefixHash: string | undefined; readonly model: string | undefined },
  now: { readonly hash: string; readonly model: string },
): string | undefined {
  if (before.prefixHash === undefined) return undefined;
  const [system, tools] = before.prefixHash.split(".");
  const [newSystem, newTools] = now.hash.split(".");
  const causes = [
    ...(before.model !== undefined && before.model !== now.model
      ? [`model switched from ${before.model} to ${now.model}`]
      : []),
    ...(system === newSystem ? [] : ["instructions changed"]),
    ...(tools === newTools ? [] : ["tool list changed"]),
  ];
  return causes.length === 0 ? undefined : causes.join(", ");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
