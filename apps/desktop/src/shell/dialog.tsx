import type { JSX } from "solid-js";
import { onCleanup, onMount } from "solid-js";

/** A modal: scrim, focus kept inside, Escape closes, focus goes back where it was. */
export function Dialog(props: {
  label: string;
  class: string;
  onClose: () => void;
  children: JSX.Element;
}): JSX.Element {
  let box!: HTMLDivElement;
  const before = document.activeElement;
  onMount(() => (box.querySelector<HTMLElement>("[data-autofocus]") ?? box).focus());
  onCleanup(() => {
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  });
  const keep = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      props.onClose();
    }
    if (event.key !== "Tab") return;
    const inside = [
      ...box.querySelectorAll<HTMLElement>("a[href],button:not([disabled]),input,select,textarea,[tabindex='0']"),
    ];
    const edge = event.shiftKey ? inside[0] : inside.at(-1);
    if (document.activeElement !== edge && box.contains(document.activeElement)) return;
    event.preventDefault();
    (event.shiftKey ? inside.at(-1) : inside[0])?.focus();
  };
  return (
    <div class="scrim on" onPointerDown={(event) => event.target === event.currentTarget && props.onClose()}>
      <div
        ref={(element) => (box = element)}
        class={props.class}
        role="dialog"
        aria-modal="true"
        aria-label={props.label}
        tabindex={-1}
        onKeyDown={keep}
      >
        {props.children}
      </div>
    </div>
  );
}
