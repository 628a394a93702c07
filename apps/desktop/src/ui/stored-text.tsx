import { isBlobRef, type StoredText } from "@swarm/protocol";
import type { Accessor } from "solid-js";
import { createMemo, createResource, createSignal } from "solid-js";
import { useDaemon } from "../data/daemon.ts";

const KEEP = 64;
const kept = new Map<string, Promise<string>>();

/** A long text by hash, asked for once while it is remembered. */
export function textOf(api: { text(hash: string): Promise<string> }, hash: string): Promise<string> {
  const known = kept.get(hash);
  if (known) return known;
  const asked = api.text(hash);
  kept.set(hash, asked);
  asked.catch(() => kept.delete(hash));
  if (kept.size > KEEP) kept.delete(kept.keys().next().value ?? "");
  return asked;
}

export interface LoadedText {
  /** Undefined until it is here. */
  readonly text: Accessor<string | undefined>;
  readonly bytes: Accessor<number>;
  readonly failed: Accessor<boolean>;
  /** Asks for a text that is kept by hash; one kept in place is here at once. */
  open(): void;
}

export function useStoredText(source: Accessor<StoredText | undefined>, openAtOnce = false): LoadedText {
  const daemon = useDaemon();
  const [wanted, setWanted] = createSignal(openAtOnce);
  const hash = createMemo(() => {
    const value = source();
    return wanted() && isBlobRef(value) ? value.blob : undefined;
  });
  const [loaded] = createResource(hash, (blob) => textOf(daemon.api, blob).catch(() => null));
  return {
    text: () => {
      const value = source();
      if (value === undefined || !isBlobRef(value)) return value;
      return hash() === undefined ? undefined : (loaded() ?? undefined);
    },
    bytes: () => {
      const value = source();
      return isBlobRef(value) ? value.bytes : (value?.length ?? 0);
    },
    failed: () => loaded() === null,
    open: () => setWanted(true),
  };
}
