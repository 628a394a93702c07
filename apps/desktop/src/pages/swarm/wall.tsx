import type { SessionSummary } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createEffect, createMemo, createSignal, For, Match, on, onCleanup, onMount, Show, Switch } from "solid-js";
import { count, money, plural } from "../../model/format.ts";
import { tally, type Group, type Tally } from "../../model/lists.ts";
import {
  CARD_GAP_PX,
  CARD_MIN_PX,
  CARD_TEXT_PX,
  cardGrid,
  chunk,
  layoutOf,
  rowAt,
  visibleRows,
  type Layout,
  type Row,
} from "../../model/window.ts";
import { nowMs } from "../../data/clock.ts";
import { useDaemon } from "../../data/daemon.ts";
import { sameList } from "../../shell/side.tsx";
import { Icon, Num, Progress } from "../../ui/parts.tsx";
import { SessionCard } from "./card.tsx";
import type { Span } from "./strip.tsx";
import { cursor, cursorSelector, folded, selected, size, toggleFold, view } from "./state.ts";
import { TableHead, TableRow } from "./table.tsx";

/** Drawn beyond the view, in pixels: a fast wheel does not show holes. */
const MARGIN_PX = 500;
const HEAD_PX = 36;
const TABLE_HEAD_PX = 32;
const TABLE_COLUMNS_PX = 26;
const SMALL_MIN_PX = 108;
const SMALL_TEXT_PX = 32;
const PHONE_PX = 768;

type Item =
  | { readonly type: "head"; readonly group: string }
  | { readonly type: "columns" }
  | { readonly type: "cards"; readonly ids: readonly string[]; readonly first: number }
  | { readonly type: "row"; readonly id: string; readonly index: number };

export interface WallHandle {
  /** Scrolls to a share of the list. */
  goTo(share: number): void;
  /** Makes a session visible and focuses it. */
  reveal(id: string): void;
  columns(): number;
}

/** Every session, of which only those near the view are in the document. */
export function Wall(props: {
  groups: readonly Group[];
  scroller: HTMLElement;
  onSpan: (span: Span) => void;
  handle: (handle: WallHandle) => void;
}): JSX.Element {
  let box!: HTMLDivElement;
  const [width, setWidth] = createSignal(0);
  const [area, setArea] = createSignal({ top: 0, height: 900 });
  const isCursor = cursorSelector();

  const inset = (): number => (width() < PHONE_PX ? 12 : 16);
  const grid = createMemo(() => {
    const phone = width() < PHONE_PX;
    const inner = width() - 2 * inset();
    if (phone) return { gap: 8, ...cardGrid(inner, (inner - 8) / 2, 8, CARD_TEXT_PX) };
    const small = size() === "S";
    return {
      gap: small ? 8 : CARD_GAP_PX,
      ...cardGrid(
        inner,
        small ? SMALL_MIN_PX : CARD_MIN_PX,
        small ? 8 : CARD_GAP_PX,
        small ? SMALL_TEXT_PX : CARD_TEXT_PX,
      ),
    };
  });
  // Ids decide the layout, states do not: a repaint of one card never lays out the list again.
  const ids = createMemo(() => props.groups.map((g) => ({ name: g.name, ids: g.sessions.map((s) => s.id) })), [], {
    equals: (a, b) => a.length === b.length && a.every((g, i) => g.name === b[i]?.name && sameList(g.ids, b[i].ids)),
  });
  const layout = createMemo((): Layout<Item> =>
    layoutOf(view() === "cards" ? cardRows(ids(), grid()) : tableRows(ids(), width() < PHONE_PX)),
  );
  const total = createMemo(() => ids().reduce((n, g) => n + g.ids.length, 0));
  const first = createMemo(() => ids().find((g) => !folded().has(g.name))?.ids[0]);
  const visible = createMemo(() => visibleRows(layout(), area().top, area().height, MARGIN_PX), undefined, {
    equals: (a, b) => a?.first === b?.first && a?.end === b?.end,
  });
  const range = createMemo(() =>
    Array.from({ length: visible().end - visible().first }, (_, i) => visible().first + i),
  );

  let offset = 0; // of the list in the scroller: changes with what stands above it, not with scrolling
  const scrolled = (): void => {
    const top = props.scroller.scrollTop - offset;
    setArea((now) => (now.top === top ? now : { ...now, top }));
  };
  const measure = (): void => {
    const { top, height } = props.scroller.getBoundingClientRect();
    offset = box.getBoundingClientRect().top - top + props.scroller.scrollTop;
    setWidth(box.clientWidth);
    setArea((now) => (now.height === height ? now : { ...now, height }));
    scrolled();
  };
  createEffect(() => props.onSpan(spanOf(layout(), area().top, area().height, total())));
  onMount(() => {
    measure();
    const watch = new ResizeObserver(measure);
    for (const element of [props.scroller, ...props.scroller.children]) watch.observe(element);
    props.scroller.addEventListener("scroll", scrolled, { passive: true });
    onCleanup(() => {
      watch.disconnect();
      props.scroller.removeEventListener("scroll", scrolled);
    });
  });
  createEffect(on(layout, measure, { defer: true }));

  const scrollTo = (top: number): void => {
    props.scroller.scrollTop += top - area().top;
  };
  props.handle({
    columns: () => (view() === "cards" ? grid().columns : 1),
    goTo(share) {
      const row = rowOfSession(layout(), Math.floor(share * total()));
      scrollTo((layout().tops[row] ?? 0) - HEAD_PX);
    },
    reveal(id) {
      const at = layout().rows.findIndex((r) =>
        r.item.type === "cards" ? r.item.ids.includes(id) : r.item.type === "row" && r.item.id === id,
      );
      if (at < 0) return;
      const top = layout().tops[at] ?? 0;
      const bottom = layout().tops[at + 1] ?? 0;
      if (top < area().top + HEAD_PX) scrollTo(top - HEAD_PX - 8);
      else if (bottom > area().top + area().height) scrollTo(bottom - area().height + 8);
      measure();
      requestAnimationFrame(() =>
        box.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true }),
      );
    },
  });

  return (
    <div
      ref={(element) => (box = element)}
      class="vlist"
      classList={{ S: size() === "S", table: view() === "table", picking: selected().size > 0 }}
      role={view() === "cards" ? "group" : "table"}
      aria-label="Sessions"
      aria-rowcount={view() === "table" ? total() + 1 : undefined}
      style={{ height: `${layout().tops.at(-1) ?? 0}px` }}
    >
      <For each={range()}>
        {(i) => (
          <VirtualRow item={layout().rows[i]?.item} top={layout().tops[i] ?? 0} height={layout().rows[i]?.height ?? 0}>
            {(item) => (
              <Switch>
                <Match when={item().type === "head" && (item() as Item & { type: "head" })}>
                  {(head) => (
                    <GroupHead
                      name={head().group}
                      sessions={props.groups.find((g) => g.name === head().group)?.sessions ?? []}
                    />
                  )}
                </Match>
                <Match when={item().type === "columns"}>
                  <TableHead />
                </Match>
                <Match when={item().type === "row" && (item() as Item & { type: "row" })}>
                  {(row) => (
                    <TableRow
                      id={row().id}
                      index={row().index}
                      isCursor={isCursor(row().id) || (cursor() === undefined && row().id === first())}
                    />
                  )}
                </Match>
                <Match when={item().type === "cards" && (item() as Item & { type: "cards" })}>
                  {(row) => (
                    <div
                      class="wrow"
                      role="list"
                      style={{
                        "grid-template-columns": `repeat(${grid().columns}, minmax(0, 1fr))`,
                        gap: `${grid().gap}px`,
                        padding: `0 ${inset()}px`,
                        "grid-auto-rows": `${grid().cardHeight}px`,
                      }}
                    >
                      <For each={row().ids}>
                        {(id, at) => (
                          <SessionCard
                            id={id}
                            index={row().first + at()}
                            total={total()}
                            isCursor={isCursor(id) || (cursor() === undefined && id === first())}
                          />
                        )}
                      </For>
                    </div>
                  )}
                </Match>
              </Switch>
            )}
          </VirtualRow>
        )}
      </For>
    </div>
  );
}

function VirtualRow(props: {
  item: Item | undefined;
  top: number;
  height: number;
  children: (item: () => Item) => JSX.Element;
}): JSX.Element {
  return (
    <Show when={props.item}>
      {(item) => (
        <div
          class="vrow"
          role={view() === "table" ? "rowgroup" : undefined}
          style={{ transform: `translateY(${props.top}px)`, height: `${props.height}px` }}
        >
          {props.children(item)}
        </div>
      )}
    </Show>
  );
}

function GroupHead(props: { name: string; sessions: readonly SessionSummary[] }): JSX.Element {
  const daemon = useDaemon();
  const t = createMemo((): Tally => tally(props.sessions, nowMs()));
  return (
    <div class="ghead" role={view() === "table" ? "row" : undefined}>
      <span class="gh" role={view() === "table" ? "cell" : undefined}>
        <button aria-expanded={!folded().has(props.name)} onClick={() => toggleFold(props.name)}>
          <Icon name={folded().has(props.name) ? "right" : "down"} />
          <h2>{props.name === "" ? "No group" : props.name}</h2>
        </button>
        <span class="mut lead">
          <Num value={plural(t().total, "session")} blank="" />
        </span>
        <Progress delivered={t().delivered} active={t().active} you={t().you} failed={t().failed} total={t().total} />
        <span class="mut">
          <Num value={`${count(t().delivered)} of ${count(t().total)} delivered`} />
        </span>
        <Show when={daemon.staleSince() === undefined}>
          <span class="mut">
            {money(t().totals.costNano)}
            {t().totals.simulated ? " sim" : ""}
          </span>
        </Show>
      </span>
    </div>
  );
}

interface GroupIds {
  readonly name: string;
  readonly ids: readonly string[];
}

function cardRows(
  groups: readonly GroupIds[],
  grid: { columns: number; cardHeight: number; gap: number },
): Row<Item>[] {
  const rows: Row<Item>[] = [];
  let first = 0;
  for (const group of groups) {
    rows.push({ height: HEAD_PX, item: { type: "head", group: group.name } });
    let at = first;
    if (!folded().has(group.name)) {
      for (const ids of chunk(group.ids, grid.columns)) {
        rows.push({ height: grid.cardHeight + grid.gap, item: { type: "cards", ids, first: at } });
        at += ids.length;
      }
    }
    first += group.ids.length;
  }
  return rows;
}

function tableRows(groups: readonly GroupIds[], phone: boolean): Row<Item>[] {
  const rows: Row<Item>[] = [{ height: TABLE_COLUMNS_PX, item: { type: "columns" } }];
  let index = 0;
  for (const group of groups) {
    rows.push({ height: TABLE_HEAD_PX, item: { type: "head", group: group.name } });
    for (const id of folded().has(group.name) ? [] : group.ids)
      rows.push({ height: phone ? 48 : 30, item: { type: "row", id, index: index++ } });
  }
  return rows;
}

function lastIndex(item: Item | undefined): number | undefined {
  if (item?.type === "cards") return item.first + item.ids.length;
  return item?.type === "row" ? item.index + 1 : undefined;
}

function rowOfSession(layout: Layout<Item>, index: number): number {
  const at = layout.rows.findIndex((r) => (lastIndex(r.item) ?? -1) > index);
  return at < 0 ? layout.rows.length - 1 : at;
}

function spanOf(layout: Layout<Item>, top: number, height: number, total: number): Span {
  if (total === 0) return { from: 0, to: 1 };
  let from: number | undefined;
  let to = 0;
  for (let i = rowAt(layout, Math.max(0, top)); i < layout.rows.length && (layout.tops[i] ?? 0) < top + height; i++) {
    const item = layout.rows[i]?.item;
    if (item?.type === "cards") from ??= item.first;
    if (item?.type === "row") from ??= item.index;
    to = Math.max(to, lastIndex(item) ?? 0);
  }
  return { from: (from ?? 0) / total, to: to / total };
}
