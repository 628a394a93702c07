import { createHash } from "node:crypto";
import type { ToolSpec } from "@swarm/protocol";
import { canonicalJson } from "@swarm/std";

/** The part of a request that is byte-identical for all sessions of a profile: instructions and tool list. */
export interface FrozenPrefix {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** SHA-256 of the canonical form, first 16 hex digits. */
  readonly hash: string;
  readonly bytes: number;
}

const known = new Map<string, FrozenPrefix>();
/** Profiles × tool lists of one daemon: a handful. Beyond that the oldest is forgotten. */
const KNOWN_MAX = 64;

export function frozenPrefix(prompt: string, tools: readonly ToolSpec[]): FrozenPrefix {
  const key = `${prompt}\0${tools.map((t) => t.name).join(",")}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const specs = tools.map(({ name, description, parameters }) => ({ name, description, parameters })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const canonical = canonicalJson({ system: prompt, tools: specs });
  const prefix: FrozenPrefix = { system: prompt, tools: specs, hash: createHash("sha256").update(canonical).digest("hex").slice(0, 16), bytes: Buffer.byteLength(canonical) };
  if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!);
  known.set(key, prefix);
  return prefix;
}
