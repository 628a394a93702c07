import type { JSX } from "solid-js";
import { For, Show } from "solid-js";
import { useDaemon } from "../data/daemon.ts";
import { clockTime } from "../model/format.ts";
import type { StateName } from "../model/state.ts";
import { GLYPHS } from "./glyphs.ts";
import { ICONS, type IconName } from "./icons.ts";

export function Icon(props: { name: IconName; class?: string }): JSX.Element {
  return <svg class={`i ${props.class ?? ""}`} viewBox="0 0 16 16" aria-hidden="true" innerHTML={ICONS[props.name]} />;
}

/** A state's glyph. `label`: it stands without its word, so it says it to a screen reader. */
export function Glyph(props: { state: StateName; label?: boolean }): JSX.Element {
  const glyph = (): (typeof GLYPHS)[StateName] => GLYPHS[props.state];
  return (
    <svg
      class={`g g-${glyph().hue}`}
      viewBox="0 0 16 16"
      role={props.label ? "img" : undefined}
      aria-label={props.label ? glyph().label : undefined}
      aria-hidden={props.label ? undefined : "true"}
      innerHTML={glyph().markup}
      style={{ "animation-delay": props.state === "running" ? inPhase() : undefined }}
    />
  );
}

/** Length of a turn, as in the tokens. */
const TURN_MS = 1600;

/** All glyphs turn in phase, whenever each of them began. */
function inPhase(): string {
  return `${-Math.round(performance.now() % TURN_MS)}ms`;
}

export function Kbd(props: { keys: readonly string[]; class?: string }): JSX.Element {
  return <For each={props.keys}>{(key) => <kbd class={props.class}>{key}</kbd>}</For>;
}

/**
 * A number that is true only while the daemon speaks. Silent daemon: a dash; the page says since when.
 * `undefined` is a number that was never measured: nothing is shown in its place but the word given.
 */
export function Num(props: { value: string | undefined; blank?: string }): JSX.Element {
  const daemon = useDaemon();
  return <>{daemon.staleSince() === undefined ? (props.value ?? props.blank ?? "–") : "–"}</>;
}

/** Says since when the page knows nothing new; empty while it is true. */
export function NoData(): JSX.Element {
  const daemon = useDaemon();
  return (
    <Show when={daemon.staleSince()}>{(since) => <span class="nodata">no data since {clockTime(since())}</span>}</Show>
  );
}

export function Check(props: {
  on: boolean;
  label: string;
  onToggle: (range: boolean) => void;
  tabindex?: number;
}): JSX.Element {
  return (
    <span
      class={props.on ? "cb on" : "cb"}
      role="checkbox"
      aria-checked={props.on}
      aria-label={props.label}
      tabindex={props.tabindex ?? 0}
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        props.onToggle(event.shiftKey);
      }}
      onKeyDown={(event) => {
        if (event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        props.onToggle(event.shiftKey);
      }}
    >
      <Icon name="check" />
    </span>
  );
}

export function Empty(props: {
  icon: IconName;
  title: string;
  children: JSX.Element;
  actions?: JSX.Element;
}): JSX.Element {
  return (
    <div class="emp">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      <p>{props.children}</p>
      <Show when={props.actions}>
        <div class="ea">{props.actions}</div>
      </Show>
    </div>
  );
}

/** Progress of a group in four hues; widths in percent of all. */
export function Progress(props: {
  delivered: number;
  active: number;
  you: number;
  failed: number;
  total: number;
}): JSX.Element {
  const width = (n: number): { width: string } => ({ width: `${props.total === 0 ? 0 : (n / props.total) * 100}%` });
  return (
    <div class="pbar" aria-hidden="true">
      <i class="ok" style={width(props.delivered)} />
      <i class="live" style={width(props.active)} />
      <i class="you" style={width(props.you)} />
      <i class="bad" style={width(props.failed)} />
    </div>
  );
}
