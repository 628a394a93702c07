import type { ToolSpec } from "@swarm/protocol";
import { canonicalJson } from "@swarm/std";

/**
 * Text of a request's frozen prefix, made once: a hundred sessions of one profile share the same tools and system text.
 * Tools in order of name, keys sorted, repeated names dropped: equal input gives equal bytes, so the provider's prefix
 * cache hits.
 */
export class FrozenPrefix {
  readonly #write: (system: string, tools: readonly ToolSpec[]) => string;
  readonly #byTools = new WeakMap<readonly ToolSpec[], Map<string, string>>();

  constructor(write: (system: string, tools: readonly ToolSpec[]) => string) {
    this.#write = write;
  }

  text(system: string, tools: readonly ToolSpec[]): string {
    let bySystem = this.#byTools.get(tools);
    if (!bySystem) this.#byTools.set(tools, (bySystem = new Map()));
    let text = bySystem.get(system);
    if (text === undefined) {
      if (bySystem.size >= SYSTEMS_KEPT) bySystem.clear();
      bySystem.set(system, (text = this.#write(system, sorted(tools))));
    }
    return text;
  }
}

/** Profiles that share one tool list; beyond that the cache starts anew. */
const SYSTEMS_KEPT = 16;

function sorted(tools: readonly ToolSpec[]): ToolSpec[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** One tool with its members in a fixed order, its schema canonical. */
export function toolText(tool: ToolSpec, schemaKey: string): string {
  return `{"name":${JSON.stringify(tool.name)},"description":${JSON.stringify(tool.description)},"${schemaKey}":${canonicalJson(tool.parameters)}}`;
}
