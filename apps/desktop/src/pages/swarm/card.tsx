import type { JSX } from "solid-js";
import { createSignal, onCleanup, Show } from "solid-js";
import { nowMs } from "../../data/clock.ts";
import { useDaemon } from "../../data/daemon.ts";
import { cachedPercent, compact, duration, modelAlias, money, shortAge } from "../../model/format.ts";
import { endedBadly, isEnded, isStuck, ranForMs, stateOf, waitsForYou } from "../../model/state.ts";
import { walk } from "../../shell/derived.ts";
import { hrefOf } from "../../shell/router.ts";
import { Check, Glyph, Icon, Num } from "../../ui/parts.tsx";
import { Preview } from "../../ui/preview.tsx";
import { selected, setCursor, toggleSelected } from "./state.ts";
import { clockTime } from "../../model/format.ts";

/** Hovered this long, a card runs. */
const LIVE_AFTER_MS = 300;

export function SessionCard(props: { id: string; index: number; total: number; isCursor: boolean }): JSX.Element {
  const daemon = useDaemon();
  const [live, setLive] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wake = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => setLive(daemon.staleSince() === undefined), LIVE_AFTER_MS);
  };
  const rest = (): void => {
    clearTimeout(timer);
    setLive(false);
  };
  onCleanup(() => clearTimeout(timer));
  return (
    <Show when={daemon.session(props.id)}>
      {(s) => (
        <div
          class="cell"
          role="listitem"
          aria-posinset={props.index + 1}
          aria-setsize={props.total}
          onPointerEnter={wake}
          onPointerLeave={rest}
        >
          <a
            class="card"
            classList={{
              "need-me": waitsForYou(stateOf(s())),
              sel: selected().has(s().id),
            }}
            href={hrefOf({ page: "session", id: s().id })}
            data-id={s().id}
            tabindex={props.isCursor ? 0 : -1}
            onFocus={() => {
              setCursor(s().id);
              wake();
            }}
            onBlur={rest}
            onClick={(event) => {
              if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
              event.preventDefault();
              toggleSelected(s().id, event.shiftKey, walk());
            }}
          >
            <Preview session={s()} live={live()} onEvict={() => setLive(false)} />
            <CardText id={props.id} />
          </a>
          <Check
            on={selected().has(s().id)}
            label={`Select ${s().title}`}
            tabindex={-1}
            onToggle={(range) => toggleSelected(s().id, range, walk())}
          />
        </div>
      )}
    </Show>
  );
}

function CardText(props: { id: string }): JSX.Element {
  const daemon = useDaemon();
  return (
    <Show when={daemon.session(props.id)}>
      {(s) => {
        const state = () => stateOf(s());
        const cached = () => cachedPercent(s().totals);
        // What an unfinished run does now is not known while the daemon is silent; why one ended stays true.
        const doing = (): string => (daemon.staleSince() === undefined || isEnded(s()) ? s().now : "not known");
        const stuck = (): boolean => isStuck(s(), nowMs());
        return (
          <div class="cm">
            <div class="r">
              <Glyph state={state()} label />
              <span class="ti ell" title={s().title}>
                {s().title}
              </span>
              <Show when={s().unseen}>
                <span class="new" title="Ended, not seen" />
              </Show>
            </div>
            <div class="r r2">
              <span class="ell now" classList={{ you: waitsForYou(state()), bad: endedBadly(state()) }} title={doing()}>
                {doing()}
              </span>
              <Show when={daemon.staleSince() === undefined}>
                <Show when={stuck()}>
                  <span class="stuck" title="No progress">
                    <Icon name="clock" />
                    {shortAge(nowMs() - s().updatedAt)}
                  </span>
                </Show>
                <span title={s().endedAt === undefined ? "Since its start" : "From start to end"}>
                  {shortAge(ranForMs(s(), nowMs()))}
                </span>
              </Show>
            </div>
            <div class="r r2">
              <Show
                when={daemon.staleSince()}
                fallback={
                  <>
                    <span class="ell" title={`${s().profile} on ${s().model}, ${duration(ranForMs(s(), nowMs()))}`}>
                      {s().totals.simulated ? s().profile : `${s().profile} · ${modelAlias(s().model)}`}
                    </span>
                    <Show when={s().totals.requests > 0} fallback={<span>no tokens yet</span>}>
                      <Cost nano={s().totals.costNano} simulated={s().totals.simulated} />
                      <span class="tk">{compact(s().totals.input + s().totals.output)}</span>
                    </Show>
                    <Show when={cached()}>
                      {(share) => <span title="Share of the input read from a cache">{Math.round(share())}%</span>}
                    </Show>
                  </>
                }
              >
                {(since) => <span class="nodata">no data since {clockTime(since())}</span>}
              </Show>
            </div>
          </div>
        );
      }}
    </Show>
  );
}

/** A simulator's cost is a list price that nobody paid: it says so wherever it stands. */
export function Cost(props: { nano: number; simulated: boolean }): JSX.Element {
  return (
    <b class="cost">
      <Num value={money(props.nano)} />
      <Show when={props.simulated}>
        <span class="sim" title="Simulated: list price of the model it stands for, nobody paid it">
          sim
        </span>
      </Show>
    </b>
  );
}
