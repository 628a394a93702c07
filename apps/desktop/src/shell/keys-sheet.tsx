import type { JSX } from "solid-js";
import { createMemo, For } from "solid-js";
import { Icon, Kbd } from "../ui/parts.tsx";
import { Dialog } from "./dialog.tsx";
import { boundKeys } from "./keys.ts";

const WORDS: Readonly<Record<string, string>> = {
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
};

/** As they are on the keyboard: `X` is Shift and X. */
function wordsOf(keys: string): readonly string[] {
  if (keys === " ") return ["Space"];
  return keys.split(" ").flatMap((key) => {
    if (key.length > 1) return WORDS[key] ?? key;
    return /[A-Z]/.test(key) ? ["Shift", key] : key.toUpperCase();
  });
}

/** The keys that work on this page now, read from what is bound. */
export function KeysSheet(props: { onClose: () => void }): JSX.Element {
  const scopes = createMemo(() => {
    const by = new Map<string, { keys: string; label: string }[]>();
    for (const b of boundKeys()) {
      if (b.label === "") continue;
      const list = by.get(b.scope) ?? [];
      by.set(b.scope, list);
      list.push(b);
    }
    return [...by];
  });
  return (
    <Dialog label="Keys" class="sheet keys" onClose={props.onClose}>
      <header>
        <h2>Keys</h2>
        <span class="sp" />
        <button class="b ic s" data-autofocus aria-label="Close" onClick={() => props.onClose()}>
          <Icon name="x" />
        </button>
      </header>
      <div class="cols2">
        <For each={scopes()}>
          {([scope, keys]) => (
            <section>
              <h3>{scope}</h3>
              <dl>
                <For each={keys}>
                  {(b) => (
                    <>
                      <dt>{b.label}</dt>
                      <dd>
                        <Kbd keys={wordsOf(b.keys)} />
                      </dd>
                    </>
                  )}
                </For>
              </dl>
            </section>
          )}
        </For>
      </div>
    </Dialog>
  );
}
