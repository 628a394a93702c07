import type { JSX } from "solid-js";
import { Show } from "solid-js";
import { nowMs } from "../../data/clock.ts";
import { useDaemon } from "../../data/daemon.ts";
import { cachedPercent, compact, count, duration } from "../../model/format.ts";
import { endedBadly, isEnded, ranForMs, stateOf, waitsForYou } from "../../model/state.ts";
import { walk } from "../../shell/derived.ts";
import { hrefOf } from "../../shell/router.ts";
import { GLYPHS } from "../../ui/glyphs.ts";
import { Check, Glyph, Num } from "../../ui/parts.tsx";
import { Cost } from "./card.tsx";
import { selected, setCursor, toggleSelected } from "./state.ts";

const COLUMNS = ["State", "Session", "Now", "Agent", "Model", "Turns", "Tokens", "Cache %", "Cost", "Age"] as const;
const NUMBERS: ReadonlySet<string> = new Set(["Turns", "Tokens", "Cache %", "Cost", "Age"]);

export function TableHead(): JSX.Element {
  return (
    <div class="trow thead" role="row">
      {COLUMNS.map((name) => (
        <span role="columnheader" class={NUMBERS.has(name) ? "num" : ""}>
          {name}
        </span>
      ))}
    </div>
  );
}

export function TableRow(props: { id: string; index: number; isCursor: boolean }): JSX.Element {
  const daemon = useDaemon();
  return (
    <Show when={daemon.session(props.id)}>
      {(s) => {
        const state = () => stateOf(s());
        const cached = () => cachedPercent(s().totals);
        const doing = (): string => (daemon.staleSince() === undefined || isEnded(s()) ? s().now : "not known");
        const tokens = (): number => s().totals.input + s().totals.output;
        return (
          <div class="trow" role="row" aria-rowindex={props.index + 2} classList={{ sel: selected().has(s().id) }}>
            <span role="cell" class="c-state">
              <Check
                on={selected().has(s().id)}
                label={`Select ${s().title}`}
                tabindex={-1}
                onToggle={(range) => toggleSelected(s().id, range, walk())}
              />
              <span class="st" classList={{ you: waitsForYou(state()), bad: endedBadly(state()) }}>
                <Glyph state={state()} label />
                <span class="c-st" aria-hidden="true">
                  {GLYPHS[state()].label}
                </span>
              </span>
            </span>
            <span role="cell" class="c-title">
              <a
                href={hrefOf({ page: "session", id: s().id })}
                data-id={s().id}
                tabindex={props.isCursor ? 0 : -1}
                onFocus={() => setCursor(s().id)}
              >
                <Show when={s().label}>{(label) => <span class="mono mut">{label()}</span>}</Show>
                <span class="str ell">{s().title}</span>
                <Show when={s().unseen}>
                  <span class="new" title="Ended, not seen" />
                </Show>
              </a>
              <span class="tds ell" aria-hidden="true">
                {doing()}
              </span>
            </span>
            <span role="cell" class="ell sec c-now" title={doing()}>
              {doing()}
            </span>
            <span role="cell" class="ell mut">
              {s().profile}
            </span>
            <span role="cell" class="ell mut" title={s().model}>
              {s().model}
            </span>
            <span role="cell" class="num">
              <Num value={count(s().turns)} />
            </span>
            <span role="cell" class="num">
              <Num value={tokens() > 0 ? compact(tokens()) : undefined} />
            </span>
            <span role="cell" class="num">
              <Num value={cached()?.toFixed(1)} />
            </span>
            <span role="cell" class="num">
              <Show when={s().totals.requests > 0} fallback="–">
                <Cost nano={s().totals.costNano} simulated={s().totals.simulated} />
              </Show>
            </span>
            <span role="cell" class="num mut">
              <Num value={duration(ranForMs(s(), nowMs()))} />
            </span>
          </div>
        );
      }}
    </Show>
  );
}
