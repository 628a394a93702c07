import type { Usage } from "@swarm/protocol";
import { isObject } from "@swarm/std";
import { checkedUsage } from "../../usage.ts";

/**
 * `usage` of chat completions: prompt includes cached, completion includes reasoning. Two servers differ and are told
 * apart by their own totals: one counts reasoning outside of completion, one names cache hits `prompt_cache_hit_tokens`.
 */
export function chatUsage(raw: Record<string, unknown>): Usage {
  const prompt = member(raw, "prompt_tokens_details");
  const reasoning = member(raw, "completion_tokens_details")["reasoning_tokens"] ?? 0;
  let output = raw["completion_tokens"];
  const { prompt_tokens: input, total_tokens: total } = raw;
  if (
    typeof output === "number" &&
    typeof reasoning === "number" &&
    reasoning > 0 &&
    typeof input === "number" &&
    total === input + output + reasoning
  ) {
    output += reasoning;
  }
  return checkedUsage(
    {
      input,
      cached: prompt["cached_tokens"] ?? raw["prompt_cache_hit_tokens"] ?? 0,
      cacheWrite: prompt["cache_write_tokens"] ?? 0,
      output,
      reasoning,
    },
    raw,
  );
}

function member(raw: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = raw[key];
  return isObject(value) ? value : {};
}
