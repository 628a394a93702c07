import type { StateName } from "../model/state.ts";

/** State glyphs. Ring: alive. Solid: ended. Diamond: you. Copied from the design as they are. */
export const GLYPHS: Readonly<
  Record<
    StateName,
    { readonly label: string; readonly hue: "mute" | "live" | "wait" | "you" | "ok" | "bad"; readonly markup: string }
  >
> = {
  queued: { label: "Queued", hue: "mute", markup: '<circle cx="8" cy="8" r="5.6" stroke-dasharray="1.6 2.8"/>' },
  leased: {
    label: "Leased",
    hue: "mute",
    markup: '<circle cx="8" cy="8" r="5.6"/><path d="M8 8V2.400A5.6 5.6 0 0 1 13.6 8z" class="f"/>',
  },
  running: {
    label: "Running",
    hue: "live",
    markup:
      '<g class="spin"><circle cx="8" cy="8" r="5.6" opacity=".32"/><path d="M8 2.400A5.6 5.6 0 0 1 13.6 8"/></g><circle cx="8" cy="8" r="2.1" class="f"/>',
  },
  wait_model: {
    label: "Waiting: model",
    hue: "wait",
    markup: '<circle cx="8" cy="8" r="5.6"/><path d="M5.3 8h.1M8 8h.1M10.7 8h.1" stroke-width="1.9"/>',
  },
  wait_tool: {
    label: "Waiting: tool",
    hue: "wait",
    markup: '<circle cx="8" cy="8" r="5.6"/><path d="m6.2 5.9 2.3 2.1-2.3 2.1"/>',
  },
  wait_child: {
    label: "Waiting: children",
    hue: "wait",
    markup:
      '<circle cx="8" cy="8" r="5.6"/><circle cx="8" cy="5.7" r="1.1" class="f"/><circle cx="6" cy="9.8" r="1.1" class="f"/><circle cx="10" cy="9.8" r="1.1" class="f"/>',
  },
  wait_rate: {
    label: "Waiting: rate limit",
    hue: "wait",
    markup: '<circle cx="8" cy="8" r="5.6"/><path d="M6.6 5.900v4.200M9.4 5.900v4.2"/>',
  },
  wait_perm: {
    label: "Waiting: permission",
    hue: "you",
    markup: '<path d="M8 1.3 14.7 8 8 14.7 1.3 8z" class="f s"/><path d="M8 5v3.600M8 10.800v.1" class="cut"/>',
  },
  wait_ask: {
    label: "Waiting: your answer",
    hue: "you",
    markup:
      '<path d="M8 1.3 14.7 8 8 14.7 1.3 8z" class="f s"/><path d="M6.5 6.500c0-2 3-2 3-.1 0 1.2-1.5 1.1-1.5 2.300M8 10.900v.1" class="cut"/>',
  },
  delivered: {
    label: "Delivered",
    hue: "ok",
    markup: '<circle cx="8" cy="8" r="6.3" class="f s"/><path d="m5.2 8.2 2 2 3.7-4" class="cut"/>',
  },
  blocked: {
    label: "Blocked",
    hue: "bad",
    markup:
      '<path d="M5.4 1.700h5.200l3.7 3.700v5.200l-3.7 3.700H5.400L1.7 10.600V5.400z" class="f s"/><path d="M5 8h6" class="cut"/>',
  },
  failed: {
    label: "Failed",
    hue: "bad",
    markup:
      '<rect x="2" y="2" width="12" height="12" rx="2.6" class="f s"/><path d="m5.7 5.7 4.6 4.600M10.3 5.700l-4.6 4.6" class="cut"/>',
  },
  cancelled: {
    label: "Cancelled",
    hue: "mute",
    markup: '<circle cx="8" cy="8" r="6.3" class="f s"/><path d="m5 11 6-6" class="cut"/>',
  },
  budget_exhausted: {
    label: "Out of budget",
    hue: "bad",
    markup:
      '<path d="M2.2 2.600h11.600v6.100c0 3.2-2.6 5.3-5.8 5.300s-5.8-2.1-5.8-5.300z" /><path d="M3.3 10.300h9.400c-.7 1.9-2.5 3-4.7 3s-4-1.1-4.7-3z" class="f"/>',
  },
  idle: { label: "Not started", hue: "mute", markup: '<circle cx="8" cy="8" r="5.6" stroke-dasharray="1.6 2.8"/>' },
};
