import { createSelector, createSignal } from "solid-js";
import { recall, remember } from "../../data/remember.ts";

/** What a person chose on the Swarm page; it stays while they look at a session and come back. */
export type View = "cards" | "table";
export type CardSize = "S" | "M";

const [view, setViewSignal] = createSignal<View>(recall("view") === "table" ? "table" : "cards");
const [size, setSizeSignal] = createSignal<CardSize>(recall("size") === "S" ? "S" : "M");
const [query, setQuery] = createSignal("");
const [cursor, setCursor] = createSignal<string | undefined>(undefined);
const [selected, setSelected] = createSignal<ReadonlySet<string>>(new Set());
const [folded, setFolded] = createSignal<ReadonlySet<string>>(new Set());
const [confirming, setConfirming] = createSignal(false);

export { confirming, cursor, folded, query, selected, setConfirming, setCursor, setQuery, size, view };
export const scrollMemory = { top: 0 };

export function setView(next: View): void {
  setViewSignal(next);
  remember("view", next);
}
export function setSize(next: CardSize): void {
  setSizeSignal(next);
  remember("size", next);
}

export function toggleFold(group: string): void {
  setFolded((now) => toggled(now, group));
}

/** `range`: everything between the cursor and this one, in the order shown. */
export function toggleSelected(id: string, range: boolean, order: readonly string[]): void {
  const from = range ? order.indexOf(cursor() ?? id) : -1;
  const to = order.indexOf(id);
  if (from >= 0 && to >= 0) {
    const between = order.slice(Math.min(from, to), Math.max(from, to) + 1);
    setSelected((now) => new Set([...now, ...between]));
  } else setSelected((now) => toggled(now, id));
  setCursor(id);
  setConfirming(false);
}

export function clearSelection(): void {
  setSelected(new Set<string>());
  setConfirming(false);
}

function toggled(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

/** Made inside a component: many rows ask "is it me?" and only two repaint. */
export function cursorSelector(): (id: string | undefined) => boolean {
  return createSelector(cursor);
}
