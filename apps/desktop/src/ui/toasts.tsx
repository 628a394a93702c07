import type { JSX } from "solid-js";
import { createSignal, For, Show } from "solid-js";
import { Glyph, Icon } from "./parts.tsx";

/** At most three, six seconds; errors stay until closed. Never for what is visible on screen. */
const TOAST_MAX = 3;
const TOAST_MS = 6000;

interface Toast {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly bad: boolean;
}

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let next = 1;

export function toast(title: string, text = "", options: { bad?: boolean } = {}): void {
  const made: Toast = { id: next++, title, text, bad: options.bad ?? false };
  setToasts((now) => [...now, made].slice(-TOAST_MAX));
  if (!made.bad) setTimeout(() => close(made.id), TOAST_MS);
}

/** For promises of actions: what failed is said in the daemon's words. */
export function report(what: string): (error: unknown) => void {
  return (error) => {
    const fix = error instanceof Error && "fix" in error && typeof error.fix === "string" ? ` ${error.fix}` : "";
    toast(`${what} did not work.`, `${error instanceof Error ? error.message : String(error)}${fix}`, { bad: true });
  };
}

function close(id: number): void {
  setToasts((now) => now.filter((t) => t.id !== id));
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      <For each={toasts()}>
        {(t) => (
          <div class="toast">
            <Glyph state={t.bad ? "failed" : "delivered"} />
            <span>
              <b>{t.title}</b>
              <Show when={t.text}> {t.text}</Show>
            </span>
            <button class="b ic s" aria-label="Close message" onClick={() => close(t.id)}>
              <Icon name="x" />
            </button>
          </div>
        )}
      </For>
    </div>
  );
}
