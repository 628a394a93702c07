import { onCleanup } from "solid-js";

/**
 * Keys: one table of what is bound now, one listener. A page binds its keys while it is on screen; the newest
 * binding of a key wins. Single letters are off while a text field has focus (WCAG 2.1.4: they can be switched off).
 */
export interface Binding {
  /** As pressed: `t`, `?`, `Ctrl k`, `Escape`, or a sequence `g s`. */
  readonly keys: string;
  readonly label: string;
  readonly scope: string;
  run(event: KeyboardEvent): void;
}

const SEQUENCE_MS = 900;
const bindings: Binding[] = [];
let lead: { key: string; at: number } | undefined;

/** Binds for the life of the component that calls it. */
export function bindKeys(scope: string, list: readonly Omit<Binding, "scope">[]): void {
  const made = list.map((b) => ({ ...b, scope }));
  bindings.push(...made);
  onCleanup(() => {
    for (const b of made) bindings.splice(bindings.indexOf(b), 1);
  });
}

/** Everything bound now, for the sheet of keys: one entry per scope and key. */
export function boundKeys(): readonly Binding[] {
  const seen = new Map<string, Binding>();
  for (const b of bindings) seen.set(`${b.scope} ${b.keys}`, b);
  return [...seen.values()];
}

export function nameOf(event: KeyboardEvent): string {
  const mods = `${event.ctrlKey || event.metaKey ? "Ctrl " : ""}${event.altKey ? "Alt " : ""}`;
  const shifted = event.shiftKey && event.key.length > 1 ? "Shift " : "";
  return mods + shifted + (event.key.length === 1 && mods !== "" ? event.key.toLowerCase() : event.key);
}

function inText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function find(keys: string): Binding | undefined {
  return bindings.findLast((b) => b.keys === keys);
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const name = nameOf(event);
  const plain = !name.startsWith("Ctrl ") && !name.startsWith("Alt ");
  const modal = document.querySelector("[aria-modal=true]") !== null;
  if (plain && (inText(event.target) || modal) && name !== "Escape") return;
  if (modal && name !== "Escape" && name !== "Ctrl k") return;
  if (name === "Enter" || name === " ")
    if (event.target instanceof HTMLElement && event.target.closest("button,[role=checkbox],summary")) return;
  const sequence =
    lead !== undefined && event.timeStamp - lead.at < SEQUENCE_MS ? find(`${lead.key} ${name}`) : undefined;
  lead = undefined;
  const binding = sequence ?? find(name);
  if (binding) {
    event.preventDefault();
    binding.run(event);
  } else if (
    bindings.some((b) => b.keys.startsWith(`${name} `) && b.keys.length > name.length + 1 && !b.keys.startsWith("Ctrl"))
  ) {
    lead = { key: name, at: event.timeStamp };
  }
});
