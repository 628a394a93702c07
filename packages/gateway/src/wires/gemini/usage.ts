import type { Usage } from "@swarm/protocol";
import { checkedUsage } from "../../usage.ts";

/** `usageMetadata`: thoughts are outside the candidates, so output = candidates + thoughts; prompt includes cached. */
export function geminiUsage(raw: Record<string, unknown>): Usage {
  const thoughts = count(raw["thoughtsTokenCount"]);
  const tools = count(raw["toolUsePromptTokenCount"]);
  return checkedUsage(
    {
      input: count(raw["promptTokenCount"]) + tools,
      cached: raw["cachedContentTokenCount"],
      output: count(raw["candidatesTokenCount"]) + thoughts,
      reasoning: thoughts,
    },
    raw,
  );
}

/** Proto JSON leaves zero counts out. */
function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
