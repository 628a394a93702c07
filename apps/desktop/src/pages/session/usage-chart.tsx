import type { JSX } from "solid-js";
import { createMemo, For, Show } from "solid-js";
import type { TurnItem } from "../../model/detail.ts";
import { compact } from "../../model/format.ts";

/** Bars that fit the pane; earlier turns are in the table. */
const BARS_MAX = 12;
const LEFT = 34;
const WIDTH = 340;
const TOP = 10;
const BASE = 74;

/** Input of each turn: cached below, fresh on top. Not every bar is scaled alike by hand: the axis says the unit. */
export function UsageChart(props: { turns: readonly TurnItem[] }): JSX.Element {
  const bars = createMemo(() => props.turns.filter((t) => t.usage !== undefined).slice(-BARS_MAX));
  const top = createMemo(() => niceTop(Math.max(1, ...bars().map((t) => t.usage?.input ?? 0))));
  const y = (tokens: number): number => (tokens / top()) * (BASE - TOP);
  const slot = (): number => (WIDTH - LEFT) / Math.max(4, bars().length);
  const label = (): string =>
    `Input tokens per turn, cached and fresh: ${bars()
      .map((t) => `turn ${t.ordinal} ${t.usage?.input ?? 0}, of these ${t.usage?.cached ?? 0} cached`)
      .join("; ")}`;
  return (
    <>
      <svg class="ub" viewBox="0 -8 340 100" role="img" aria-label={label()}>
        <For each={[0, 0.5, 1]}>
          {(share) => (
            <>
              <path class="gl" d={`M${LEFT} ${BASE - share * (BASE - TOP)}H${WIDTH}`} />
              <text x="28" y={BASE - share * (BASE - TOP) + 3} text-anchor="end">
                {compact(share * top())}
              </text>
            </>
          )}
        </For>
        <For each={bars()}>
          {(turn, i) => {
            const x = (): number => LEFT + slot() * (i() + 0.5);
            const w = (): number => Math.min(34, slot() * 0.7);
            const cached = (): number => y(turn.usage?.cached ?? 0);
            const fresh = (): number => y((turn.usage?.input ?? 0) - (turn.usage?.cached ?? 0));
            return (
              <>
                <rect class="c-cached" x={x() - w() / 2} y={BASE - cached()} width={w()} height={cached()} />
                <rect class="c-fresh" x={x() - w() / 2} y={BASE - cached() - fresh()} width={w()} height={fresh()} />
                <text x={x()} y="88" text-anchor="middle">
                  {turn.ordinal}
                </text>
                <Show when={turn.breakCause !== undefined && i() > 0}>
                  <text class="nt" x={x()} y={BASE - cached() - fresh() - 5} text-anchor="middle">
                    prefix broke
                  </text>
                </Show>
              </>
            );
          }}
        </For>
      </svg>
      <p class="leg">
        <i class="c-cached" />
        cached
        <i class="c-fresh" />
        fresh
      </p>
    </>
  );
}

/** The next of 1, 2, 4, 5, 8, 10 times a power of ten. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 5, 8, 10].find((step) => step * power >= value) ?? 10);
}
