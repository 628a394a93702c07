import type { LiveText } from "@swarm/protocol";

/**
 * Streamed text by run, step and stream. Droppable on the way: a piece that does not continue what is here is
 * kept out (the record that follows holds the whole), offset 0 starts the stream anew.
 */
export type LiveTexts = ReadonlyMap<string, string>;

export function liveKey(run: string, step: number, stream: string): string {
  return `${run}/${step}/${stream}`;
}

/** Changes `texts` in place; true when something changed. */
export function applyLive(texts: Map<string, string>, live: LiveText): boolean {
  const key = liveKey(live.run, live.step, live.stream);
  const have = texts.get(key) ?? "";
  if (live.offset > have.length) return false;
  const next = have.slice(0, live.offset) + live.text;
  if (next === have) return false;
  texts.set(key, next);
  return true;
}

/** Calls being written in a step, by index, with the raw argument text so far. */
export function liveCalls(
  texts: LiveTexts,
  run: string,
  step: number,
): readonly { readonly index: number; readonly args: string }[] {
  const prefix = liveKey(run, step, "args:");
  const out: { index: number; args: string }[] = [];
  for (const [key, args] of texts)
    if (key.startsWith(prefix)) out.push({ index: Number(key.slice(prefix.length)), args });
  return out.sort((a, b) => a.index - b.index);
}
