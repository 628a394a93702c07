import type { JSX } from "solid-js";
import { createMemo, For, Show } from "solid-js";
import { useDaemon } from "../data/daemon.ts";
import { count } from "../model/format.ts";
import type { FilterName, StateName } from "../model/state.ts";
import type { IconName } from "../ui/icons.ts";
import { Glyph, Icon, Num, Progress } from "../ui/parts.tsx";
import { artifactCount, type Derived } from "./derived.ts";
import { hrefOf, route, type Route } from "./router.ts";
import { toggleTheme } from "./theme.ts";

export const FILTER_WORDS: Readonly<Record<FilterName, string>> = {
  all: "All",
  active: "Active",
  you: "Waits for me",
  stuck: "Stuck",
  unseen: "Done, not seen",
  failed: "Failed",
};
const VIEWS: readonly { readonly filter: FilterName; readonly glyph: StateName | undefined; readonly word: string }[] =
  [
    { filter: "active", glyph: "running", word: "Active" },
    { filter: "you", glyph: "wait_perm", word: "Waits for me" },
    { filter: "stuck", glyph: undefined, word: "Stuck over 3 min" },
    { filter: "unseen", glyph: "delivered", word: "Done, not seen" },
    { filter: "failed", glyph: "failed", word: "Failed" },
  ];

export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="10" cy="10" r="2.6" />
      <circle class="q" cx="10" cy="3.2" r="1.7" />
      <circle class="q" cx="15.9" cy="6.6" r="1.7" />
      <circle cx="15.9" cy="13.4" r="1.7" />
      <circle class="q" cx="10" cy="16.8" r="1.7" />
      <circle class="q" cx="4.1" cy="13.4" r="1.7" />
      <circle class="q" cx="4.1" cy="6.6" r="1.7" />
    </svg>
  );
}

export function Side(props: { derived: Derived; onPalette: () => void; onFold: () => void }): JSX.Element {
  const daemon = useDaemon();
  const artifacts = createMemo(() => artifactCount(daemon.sessions()));
  const here = (page: Route["page"]): "page" | undefined => (route().page === page ? "page" : undefined);
  const view = (): FilterName | undefined => {
    const r = route();
    return r.page === "swarm" && r.filter !== "all" ? r.filter : undefined;
  };
  return (
    <aside class="side" aria-label="Main">
      <header>
        <Mark />
        <b>Swarm</b>
        <span class="ell">on {location.hostname}</span>
        <button
          class="b ic s"
          aria-label="Fold the side bar"
          title="Fold the side bar  ["
          onClick={() => props.onFold()}
        >
          <Icon name="side" />
        </button>
      </header>
      <button class="find" onClick={() => props.onPalette()} title="Search or run  Ctrl K">
        <Icon name="search" />
        <span>Search or run</span>
        <span class="sp" />
        <kbd>Ctrl</kbd>
        <kbd>K</kbd>
      </button>
      <nav aria-label="Pages">
        <ul class="nav">
          <PageLink
            icon="swarm"
            word="Swarm"
            href={hrefOf({ page: "swarm", filter: "all" })}
            current={route().page === "session" ? "page" : here("swarm")}
          >
            <span class="n">
              <Num value={count(props.derived.tally().total)} />
            </span>
          </PageLink>
          <PageLink icon="inbox" word="Inbox" href="#/inbox" current={here("inbox")}>
            <Show when={props.derived.waiting().length > 0}>
              <span class="n y">
                <Glyph state="wait_ask" />
                <Num value={count(props.derived.waiting().length)} />
              </span>
            </Show>
          </PageLink>
          <PageLink icon="artifacts" word="Artifacts" href="#/artifacts" current={here("artifacts")}>
            <span class="n">
              <Num value={count(artifacts())} />
            </span>
          </PageLink>
        </ul>
        <h4>Views</h4>
        <ul class="nav">
          <For each={VIEWS}>
            {(v) => (
              <li>
                <a
                  class="sub"
                  href={hrefOf({ page: "swarm", filter: v.filter })}
                  aria-current={view() === v.filter ? "true" : undefined}
                >
                  <Show when={v.glyph} fallback={<Icon name="clock" />}>
                    {(glyph) => <Glyph state={glyph()} />}
                  </Show>
                  <span>{v.word}</span>
                  <span class="n">
                    <Num value={count(v.filter === "all" ? 0 : props.derived.tally()[v.filter])} />
                  </span>
                </a>
              </li>
            )}
          </For>
        </ul>
        <GroupLinks derived={props.derived} />
      </nav>
      <ul class="nav foot">
        <li>
          <button onClick={toggleTheme} title="Dark or light  T">
            <Icon name="sun" />
            <span>Theme</span>
            <span class="n">
              <kbd>T</kbd>
            </span>
          </button>
        </li>
      </ul>
    </aside>
  );
}

function PageLink(props: {
  icon: IconName;
  word: string;
  href: string;
  current: "page" | undefined;
  children: JSX.Element;
}): JSX.Element {
  return (
    <li>
      <a href={props.href} aria-current={props.current} title={props.word}>
        <Icon name={props.icon} />
        <span>{props.word}</span>
        {props.children}
      </a>
    </li>
  );
}

function GroupLinks(props: { derived: Derived }): JSX.Element {
  const names = createMemo(
    () =>
      props.derived
        .groups()
        .map((g) => g.name)
        .filter((name) => name !== ""),
    [],
    { equals: sameList },
  );
  return (
    <Show when={names().length > 0}>
      <h4>Groups</h4>
      <For each={names()}>
        {(name) => {
          const t = () => props.derived.groupTallies().get(name);
          return (
            <a class="prog" href={hrefOf({ page: "swarm", filter: "all", group: name })}>
              <div>
                <span class="ell">{name}</span>
                <span class="mut">
                  <Num value={`${t()?.delivered ?? 0}/${t()?.total ?? 0}`} />
                </span>
              </div>
              <Progress
                delivered={t()?.delivered ?? 0}
                active={t()?.active ?? 0}
                you={t()?.you ?? 0}
                failed={t()?.failed ?? 0}
                total={t()?.total ?? 0}
              />
            </a>
          );
        }}
      </For>
    </Show>
  );
}

export function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((v, i) => v === b[i]);
}

export function Tabs(props: { derived: Derived; onPalette: () => void }): JSX.Element {
  const swarmIsHere = (): boolean => route().page === "swarm" || route().page === "session";
  return (
    <nav class="tabs" aria-label="Pages">
      <a href={hrefOf({ page: "swarm", filter: "all" })} aria-current={swarmIsHere() ? "page" : undefined}>
        <Icon name="swarm" />
        Swarm
      </a>
      <a href="#/inbox" aria-current={route().page === "inbox" ? "page" : undefined}>
        <Icon name="inbox" />
        Inbox
        <Show when={props.derived.waiting().length > 0}>
          <span class="bd">
            <Num value={count(props.derived.waiting().length)} />
          </span>
        </Show>
      </a>
      <a href="#/artifacts" aria-current={route().page === "artifacts" ? "page" : undefined}>
        <Icon name="artifacts" />
        Artifacts
      </a>
      <button onClick={() => props.onPalette()}>
        <Icon name="more" />
        More
      </button>
    </nav>
  );
}
