import type { JSX } from "solid-js";
import { createMemo, For, Show } from "solid-js";
import { useDaemon } from "../../data/daemon.ts";
import { clockTime, count } from "../../model/format.ts";
import type { Tally } from "../../model/lists.ts";
import { tickOf } from "../../model/state.ts";
import { sameList } from "../../shell/side.tsx";

/** Shown part of the list, as a share of it: 0 to 1. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One tick per session in the order shown. The bar below is what is on screen; click or drag to go there. */
export function Strip(props: {
  groups: readonly (readonly string[])[];
  tally: Tally;
  span: Span;
  onGo: (share: number) => void;
}): JSX.Element {
  const daemon = useDaemon();
  let box!: HTMLDivElement;
  const groups = createMemo(() => props.groups, [], {
    equals: (a, b) => a.length === b.length && a.every((g, i) => sameList(g, b[i] ?? [])),
  });
  const label = (): string => {
    const since = daemon.staleSince();
    if (since !== undefined) return `No data since ${clockTime(since)}`;
    const t = props.tally;
    return `${count(t.total)} sessions: ${count(t.delivered)} delivered, ${count(t.active)} active, ${count(t.you)} wait for you, ${count(t.failed)} ended badly, ${count(t.rest)} queued or cancelled`;
  };
  const goTo = (event: PointerEvent): void => {
    const rect = box.getBoundingClientRect();
    props.onGo(Math.min(1, Math.max(0, (event.clientX - rect.left) / rect.width)));
  };
  return (
    <div
      ref={(element) => (box = element)}
      class="strip"
      role="img"
      aria-label={label()}
      onPointerDown={(event) => {
        box.setPointerCapture(event.pointerId);
        goTo(event);
      }}
      onPointerMove={(event) => box.hasPointerCapture(event.pointerId) && goTo(event)}
    >
      <div class="ticks">
        <For each={groups()}>
          {(ids, i) => (
            <>
              <Show when={i() > 0}>
                <i class="gap" />
              </Show>
              <For each={ids}>{(id) => <Tick id={id} />}</For>
            </>
          )}
        </For>
      </div>
      <span
        class="win"
        style={{
          left: `${props.span.from * 100}%`,
          width: `${Math.max(0.4, (props.span.to - props.span.from) * 100)}%`,
        }}
      />
    </div>
  );
}

function Tick(props: { id: string }): JSX.Element {
  const daemon = useDaemon();
  const look = createMemo(() => {
    const session = daemon.session(props.id);
    return session ? tickOf(session) : "t-mute";
  });
  return <i class={look()} />;
}
