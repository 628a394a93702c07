import type { JSX } from "solid-js";
import { createSignal, For, onCleanup, onMount, Show } from "solid-js";
import type { DetailStore } from "../../data/detail-store.ts";
import { useDaemon } from "../../data/daemon.ts";
import { clockTime, count } from "../../model/format.ts";
import { Glyph, Icon } from "../../ui/parts.tsx";
import type { StateName } from "../../model/state.ts";
import { Flow } from "./turn.tsx";

/** This near to the end counts as at the end. */
const NEAR_PX = 40;

/** The flow of turns. At its end it follows what streams in; scrolled up, nothing moves it. */
export function Conversation(props: { session: string; state: StateName; store: DetailStore }): JSX.Element {
  const daemon = useDaemon();
  let flow!: HTMLDivElement;
  let inner!: HTMLDivElement;
  const [atEnd, setAtEnd] = createSignal(true);
  const toEnd = (): void => flow.scrollTo(0, flow.scrollHeight);
  onMount(() => {
    const watch = new ResizeObserver(() => atEnd() && toEnd());
    watch.observe(inner);
    watch.observe(flow);
    onCleanup(() => watch.disconnect());
  });
  return (
    <div class="flow-box">
      <div
        ref={(element) => (flow = element)}
        class="flow"
        tabindex="0"
        role="region"
        aria-label="Turns"
        onScroll={() => setAtEnd(flow.scrollHeight - flow.scrollTop - flow.clientHeight < NEAR_PX)}
      >
        <div ref={(element) => (inner = element)} class="flow-in">
          <For each={props.store.view.items}>
            {(item) => <Flow session={props.session} item={item} store={props.store} />}
          </For>
          <Show when={daemon.staleSince() === undefined ? props.store.view.waiting : undefined}>
            {(waiting) => (
              <p class="note-row">
                <Glyph state={props.state} />
                {waiting().detail}
              </p>
            )}
          </Show>
          <Show when={props.store.loaded() && props.store.view.items.length === 0}>
            <p class="note-row">In line. The first turn appears here.</p>
          </Show>
          <Show when={daemon.staleSince()}>
            {(since) => (
              <p class="note-row">
                <Icon name="warn" />
                No data since {clockTime(since())}.
                {props.store.view.items.length > 0 ? ` Above are the records up to seq ${count(daemon.seq())}.` : ""}
              </p>
            )}
          </Show>
        </div>
      </div>
      <Show when={!atEnd()}>
        <button class="b s line newest" onClick={toEnd}>
          <Icon name="down" /> Newest
        </button>
      </Show>
    </div>
  );
}
