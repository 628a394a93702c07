import { createSignal } from "solid-js";
import { recall, remember } from "../data/remember.ts";

export type Theme = "dark" | "light";

const kept = recall("theme");
const [theme, set] = createSignal<Theme>(
  kept === "light" || kept === "dark" ? kept : matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark",
);
apply(theme());

export { theme };

export function toggleTheme(): void {
  set(theme() === "dark" ? "light" : "dark");
  remember("theme", theme());
  apply(theme());
}

function apply(name: Theme): void {
  document.documentElement.dataset["theme"] = name;
}
