import type { SessionSummary } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show } from "solid-js";
import { nowMs } from "../../data/clock.ts";
import { useDaemon } from "../../data/daemon.ts";
import { cachedPercent, compact, count, duration, money, percent } from "../../model/format.ts";
import { filterCount, groupsOf, select, tally, type Tally } from "../../model/lists.ts";
import { FILTERS, isOpen, type FilterName } from "../../model/state.ts";
import { setWalk, type Derived } from "../../shell/derived.ts";
import { bindKeys } from "../../shell/keys.ts";
import { go, type Route } from "../../shell/router.ts";
import { FILTER_WORDS } from "../../shell/side.tsx";
import { Empty, Icon, Kbd, NoData, Num } from "../../ui/parts.tsx";
import { BulkBar } from "./bulk.tsx";
import { NeedBar } from "./need.tsx";
import {
  clearSelection,
  cursor,
  query,
  scrollMemory,
  selected,
  setCursor,
  setQuery,
  setSize,
  setView,
  size,
  toggleSelected,
  view,
} from "./state.ts";
import { Strip, type Span } from "./strip.tsx";
import { Wall, type WallHandle } from "./wall.tsx";

const STUCK_CHECK_MS = 5000;
const SKELETON_AFTER_MS = 200;

export function SwarmPage(props: {
  route: Route & { page: "swarm" };
  derived: Derived;
  onNewRun: () => void;
  onKeys: () => void;
}): JSX.Element {
  const daemon = useDaemon();
  const [scroller, setScroller] = createSignal<HTMLElement | undefined>(undefined);
  const [span, setSpan] = createSignal<Span>(
    { from: 0, to: 1 },
    { equals: (a, b) => a.from === b.from && a.to === b.to },
  );
  let wall: WallHandle | undefined;
  let filterBox: HTMLInputElement | undefined;

  const coarseNow = createMemo(() => Math.floor(nowMs() / STUCK_CHECK_MS) * STUCK_CHECK_MS);
  const scope = createMemo(() =>
    props.route.group === undefined
      ? daemon.sessions()
      : daemon.sessions().filter((s) => s.group === props.route.group),
  );
  const counts = createMemo(() =>
    props.route.group === undefined ? props.derived.tally() : tally(scope(), coarseNow()),
  );
  const shown = createMemo(() => select(scope(), props.route.filter, query(), coarseNow()));
  const groups = createMemo(() => groupsOf(shown()));
  const order = createMemo(() => groups().flatMap((g) => g.sessions.map((s) => s.id)));
  createEffect(() => setWalk(order()));

  const setFilter = (filter: FilterName): void => go({ ...props.route, filter });
  const move = (by: number): void => {
    const list = order();
    const at = list.indexOf(cursor() ?? "");
    const next = list[Math.min(list.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
    if (next === undefined) return;
    setCursor(next);
    wall?.reveal(next);
  };
  const mark = (range: boolean): void => {
    const id = cursor();
    if (id !== undefined) toggleSelected(id, range, order());
  };
  bindKeys("Swarm", [
    { keys: "j", label: "Next session", run: () => move(1) },
    { keys: "k", label: "Session before", run: () => move(-1) },
    { keys: "ArrowRight", label: "", run: () => move(1) },
    { keys: "ArrowLeft", label: "", run: () => move(-1) },
    { keys: "ArrowDown", label: "", run: () => move(wall?.columns() ?? 1) },
    { keys: "ArrowUp", label: "", run: () => move(-(wall?.columns() ?? 1)) },
    { keys: "x", label: "Select", run: () => mark(false) },
    { keys: "X", label: "Select a range", run: () => mark(true) },
    { keys: "/", label: "Filter", run: () => filterBox?.focus() },
    { keys: "v", label: "Cards or table", run: () => setView(view() === "cards" ? "table" : "cards") },
    {
      keys: "Escape",
      label: "Clear selection or filter",
      run: () => (selected().size > 0 ? clearSelection() : setQuery("")),
    },
  ]);
  onMount(() => requestAnimationFrame(() => scroller()?.scrollTo(0, scrollMemory.top)));
  onCleanup(() => (scrollMemory.top = scroller()?.scrollTop ?? 0));

  return (
    <>
      <header class="top">
        <h1>{props.route.group ?? "Swarm"}</h1>
        <Show when={daemon.status()?.totals.simulated}>
          <span class="tag sample m-only">simulated</span>
        </Show>
        <Sums tally={counts()} />
        <span class="sp" />
        <button class="b ic hide-s" aria-label="Keys" title="Keys  ?" onClick={() => props.onKeys()}>
          <Icon name="keyboard" />
        </button>
        <button class="b ink" onClick={() => props.onNewRun()}>
          <Icon name="plus" />
          New run<kbd class="hide-s">N</kbd>
        </button>
      </header>
      <main class="main swarm" id="main" ref={setScroller} tabindex={-1}>
        <Show when={daemon.loaded()} fallback={<Loading />}>
          <Show when={daemon.sessions().length > 0} fallback={<NoSessions onNewRun={props.onNewRun} />}>
            <div class="headings">
              <NeedBar waiting={props.derived.waiting()} />
              <Strip
                groups={groups().map((g) => g.sessions.map((s) => s.id))}
                tally={counts()}
                span={span()}
                onGo={(share) => wall?.goTo(share)}
              />
            </div>
            <div class="frow">
              <div class="chips" role="group" aria-label="Show">
                <For each={FILTERS}>
                  {(name) => (
                    <button
                      class="b"
                      classList={{ y: name === "you" && counts().you > 0 }}
                      aria-pressed={props.route.filter === name}
                      onClick={() => setFilter(name)}
                    >
                      {FILTER_WORDS[name]}{" "}
                      <span class="n">
                        <Num value={count(filterCount(counts(), name))} />
                      </span>
                    </button>
                  )}
                </For>
                <Show when={props.route.group}>
                  <button
                    class="b"
                    onClick={() => go({ page: "swarm", filter: props.route.filter })}
                    aria-label={`Show all groups, not only ${props.route.group}`}
                  >
                    {props.route.group}
                    <Icon name="x" />
                  </button>
                </Show>
              </div>
              <label class="ff hide-s">
                <Icon name="filter" />
                <input
                  ref={(el) => (filterBox = el)}
                  aria-label="Filter sessions"
                  placeholder="Filter"
                  value={query()}
                  onInput={(event) => setQuery(event.currentTarget.value)}
                  onKeyDown={(event) => {
                    if (event.key !== "Escape") return;
                    event.stopPropagation();
                    setQuery("");
                    event.currentTarget.blur();
                  }}
                />
                <kbd>/</kbd>
              </label>
              <Show when={view() === "cards"}>
                <span class="seg hide-s" role="group" aria-label="Card size">
                  <button class="b" aria-pressed={size() === "S"} aria-label="Small cards" onClick={() => setSize("S")}>
                    S
                  </button>
                  <button
                    class="b"
                    aria-pressed={size() === "M"}
                    aria-label="Medium cards"
                    onClick={() => setSize("M")}
                  >
                    M
                  </button>
                </span>
              </Show>
              <span class="seg" role="group" aria-label="View">
                <button
                  class="b ic"
                  aria-pressed={view() === "cards"}
                  aria-label="Cards"
                  onClick={() => setView("cards")}
                >
                  <Icon name="grid" />
                </button>
                <button
                  class="b ic"
                  aria-pressed={view() === "table"}
                  aria-label="Table"
                  onClick={() => setView("table")}
                >
                  <Icon name="table" />
                </button>
              </span>
            </div>
            <Show when={scroller()}>
              {(element) => (
                <Show
                  when={shown().length > 0}
                  fallback={
                    <NothingFound filter={props.route.filter} sessions={scope()} counts={counts()} onShow={setFilter} />
                  }
                >
                  <Wall groups={groups()} scroller={element()} onSpan={setSpan} handle={(h) => (wall = h)} />
                </Show>
              )}
            </Show>
            <BulkBar />
          </Show>
        </Show>
      </main>
    </>
  );
}

function Sums(props: { tally: Tally }): JSX.Element {
  const daemon = useDaemon();
  const totals = () => props.tally.totals;
  return (
    <div class="sums">
      <Show when={daemon.loaded()}>
        <Show when={daemon.staleSince() === undefined} fallback={<NoData />}>
          <span
            title={
              totals().simulated
                ? "Simulated: list prices, nobody paid them"
                : "Spent by the sessions shown, at list price"
            }
          >
            <b>{money(totals().costNano)}</b> {totals().simulated ? "simulated" : "spent"}
          </span>
          <span title="Input and output tokens">
            <b>{compact(totals().input + totals().output)}</b> tokens
          </span>
          <Show when={cachedPercent(totals())}>
            {(share) => (
              <span title="Share of the input tokens that were read from a cache">
                <b>{percent(share())}</b> cached
              </span>
            )}
          </Show>
          <span>
            <b>{count(props.tally.delivered)}</b> of {count(props.tally.total)} delivered
          </span>
        </Show>
      </Show>
    </div>
  );
}

function NothingFound(props: {
  filter: FilterName;
  sessions: readonly SessionSummary[];
  counts: Tally;
  onShow: (filter: FilterName) => void;
}): JSX.Element {
  const open = (): readonly SessionSummary[] => props.sessions.filter(isOpen);
  const slowest = (): number => open().reduce((least, s) => Math.min(least, s.updatedAt), nowMs());
  const title = (): string => {
    if (query() !== "") return `Nothing here is named “${query()}”.`;
    const words: Record<FilterName, string> = {
      all: "No sessions here.",
      active: "None is active.",
      you: "Nothing waits for you.",
      stuck: "None is stuck.",
      unseen: "Nothing new has been delivered.",
      failed: "None has failed.",
    };
    return words[props.filter];
  };
  return (
    <div class="empties">
      <Empty
        icon="filter"
        title={title()}
        actions={
          <Show
            when={query() !== ""}
            fallback={
              <button
                class="b line"
                onClick={() => props.onShow(props.counts.active > 0 && props.filter !== "active" ? "active" : "all")}
              >
                {props.counts.active > 0 && props.filter !== "active" ? "Show active" : "Show all"}
              </button>
            }
          >
            <button class="b line" onClick={() => setQuery("")}>
              Clear filter
            </button>
          </Show>
        }
      >
        <Num
          value={`${count(props.counts.active)} are active${open().length > 0 ? `, the slowest had progress ${duration(nowMs() - slowest())} ago` : ""}.`}
        />
      </Empty>
    </div>
  );
}

function NoSessions(props: { onNewRun: () => void }): JSX.Element {
  return (
    <div class="empties">
      <Empty
        icon="swarm"
        title="No sessions yet."
        actions={
          <button class="b ink" onClick={() => props.onNewRun()}>
            New run <Kbd keys={["N"]} />
          </button>
        }
      >
        Give one agent one task. It appears here as soon as the daemon has it.
      </Empty>
    </div>
  );
}

/** Nothing for 200 ms, then the page's own shape. */
function Loading(): JSX.Element {
  const [late, setLate] = createSignal(false);
  const timer = setTimeout(() => setLate(true), SKELETON_AFTER_MS);
  onCleanup(() => clearTimeout(timer));
  return (
    <Show when={late()}>
      <p class="loading">Loading sessions</p>
      <div class="sk-wall" aria-hidden="true">
        <For each={Array.from({ length: 18 })}>{() => <i />}</For>
      </div>
    </Show>
  );
}
