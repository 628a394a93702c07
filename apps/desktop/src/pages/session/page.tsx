import type { SessionSummary } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show } from "solid-js";
import { nowMs } from "../../data/clock.ts";
import { useDaemon } from "../../data/daemon.ts";
import { followSession, type DetailStore } from "../../data/detail-store.ts";
import { remember, recall } from "../../data/remember.ts";
import { cachedPercent, compact, count, money, percent, seconds } from "../../model/format.ts";
import { isOpen, ranForMs, stateOf } from "../../model/state.ts";
import { bindKeys } from "../../shell/keys.ts";
import { go, hrefOf } from "../../shell/router.ts";
import { sameList } from "../../shell/side.tsx";
import { Empty, Glyph, Icon, NoData, Num } from "../../ui/parts.tsx";
import { report, toast } from "../../ui/toasts.tsx";
import { Composer } from "./composer.tsx";
import { Conversation } from "./conversation.tsx";
import { InspectorBody, planCount, type InspectorTab } from "./inspector.tsx";

/** A phone shows one pane: the conversation is a tab there. */
type Tab = "talk" | InspectorTab;

export function SessionPage(props: { id: string }): JSX.Element {
  const daemon = useDaemon();
  const session = (): SessionSummary | undefined => daemon.session(props.id);
  const peers = createMemo(
    () => {
      const group = session()?.group;
      return daemon
        .sessions()
        .filter((s) => s.group === group)
        .map((s) => s.id);
    },
    [],
    { equals: sameList },
  );
  const [tab, setTab] = createSignal<Tab>("artifact");
  const [phoneTab, setPhoneTab] = createSignal<Tab>("talk");
  const [listOpen, setListOpen] = createSignal(recall("session-list") !== "closed");

  const step = (by: number): void => {
    const next = peers()[peers().indexOf(props.id) + by];
    if (next !== undefined) go({ page: "session", id: next });
  };
  const pick = (name: InspectorTab): void => {
    setTab(name);
    setPhoneTab(name);
  };
  bindKeys("Session", [
    { keys: "j", label: "Next session", run: () => step(1) },
    { keys: "k", label: "Session before", run: () => step(-1) },
    { keys: "1", label: "Artifact", run: () => pick("artifact") },
    { keys: "2", label: "Plan", run: () => pick("plan") },
    { keys: "3", label: "Usage", run: () => pick("usage") },
    { keys: "4", label: "Events", run: () => pick("events") },
    { keys: "o", label: "Open or fold all tools", run: foldTools },
    {
      keys: "\\",
      label: "Fold the list",
      run: () => {
        setListOpen(!listOpen());
        remember("session-list", listOpen() ? "open" : "closed");
      },
    },
    { keys: "Escape", label: "Back to the swarm", run: () => go({ page: "swarm", filter: "all" }) },
  ]);

  // Opening a session is seeing it, also when it ends while it is open.
  createEffect(
    on(
      () =>
        session()?.unseen === true && daemon.staleSince() === undefined
          ? `${props.id} ${session()?.rev ?? 0}`
          : undefined,
      (due) => {
        if (due !== undefined) daemon.api.seen(props.id).catch(() => undefined); // tried again with the next change
      },
    ),
  );

  return (
    <Show
      when={session()}
      fallback={
        <>
          <header class="top">
            <h1>Session</h1>
          </header>
          <main class="main" id="main">
            <Show when={daemon.loaded()}>
              <div class="empties">
                <Empty
                  icon="search"
                  title="This session is not here."
                  actions={
                    <a class="b line" href={hrefOf({ page: "swarm", filter: "all" })}>
                      All sessions
                    </a>
                  }
                >
                  Nothing is known by the id {props.id}.
                </Empty>
              </div>
            </Show>
          </main>
        </>
      }
    >
      {(s) => (
        <>
          <SessionTop session={s()} onStep={step} />
          <main class="main" id="main">
            <div class="panes sess" classList={{ nolist: !listOpen() }} data-tab={phoneTab()}>
              <section class="pane lst hide-s" aria-label="Sessions">
                <div class="ph">
                  <span class="str ell">{s().group ?? "No group"}</span>
                  <span class="mut">
                    <Num value={count(peers().length)} />
                  </span>
                </div>
                <nav aria-label="Sessions of the group">
                  <For each={peers()}>{(id) => <ListRow id={id} current={id === props.id} />}</For>
                </nav>
              </section>
              <Show when={props.id} keyed>
                {(id) => (
                  <Followed
                    id={id}
                    session={s()}
                    tab={tab()}
                    setTab={setTab}
                    phoneTab={phoneTab()}
                    setPhoneTab={setPhoneTab}
                  />
                )}
              </Show>
            </div>
          </main>
        </>
      )}
    </Show>
  );
}

function Followed(props: {
  id: string;
  session: SessionSummary;
  tab: Tab;
  setTab: (tab: Tab) => void;
  phoneTab: Tab;
  setPhoneTab: (tab: Tab) => void;
}): JSX.Element {
  const daemon = useDaemon();
  const store = followSession(daemon, props.id);
  onCleanup(() => store.close());
  const shown = (): InspectorTab => (props.tab === "talk" ? "artifact" : props.tab);
  return (
    <>
      <section class="pane conv" aria-label="Conversation">
        <div class="ph only-n">
          <TabList
            store={store}
            tabs={["talk", "artifact", "plan", "usage", "events"]}
            current={props.phoneTab}
            onPick={(t) => (props.setPhoneTab(t), props.setTab(t))}
            label="Parts"
          />
        </div>
        <Conversation session={props.id} state={stateOf(props.session)} store={store} />
        <Composer session={props.id} agent={props.session.profile} open={isOpen(props.session)} />
      </section>
      <section class="pane insp" aria-label="Inspector">
        <div class="ph">
          <span class="only-n">
            <TabList
              store={store}
              tabs={["talk", "artifact", "plan", "usage", "events"]}
              current={props.phoneTab}
              onPick={(t) => (props.setPhoneTab(t), props.setTab(t))}
              label="Parts"
            />
          </span>
          <span class="hide-n tl-box">
            <TabList
              store={store}
              tabs={["artifact", "plan", "usage", "events"]}
              current={shown()}
              onPick={props.setTab}
              label="Inspector"
            />
          </span>
          <span class="sp" />
          <Show when={store.view.artifact}>
            {(artifact) => (
              <a
                class="b ic s"
                aria-label="Open the artifact"
                title="Open the artifact"
                href={hrefOf({ page: "artifacts", id: artifact().id })}
              >
                <Icon name="open" />
              </a>
            )}
          </Show>
        </div>
        <InspectorBody tab={shown()} session={props.session} store={store} />
      </section>
    </>
  );
}

const TAB_WORDS: Readonly<Record<Tab, string>> = {
  talk: "Talk",
  artifact: "Artifact",
  plan: "Plan",
  usage: "Usage",
  events: "Events",
};

function TabList(props: {
  store: DetailStore;
  tabs: readonly Tab[];
  current: Tab;
  onPick: (tab: Tab) => void;
  label: string;
}): JSX.Element {
  const plan = () => planCount(props.store.view.plan);
  return (
    <div role="tablist" class="tl2" aria-label={props.label}>
      <For each={props.tabs}>
        {(name, i) => (
          <button
            class="tab"
            role="tab"
            aria-selected={props.current === name}
            tabindex={props.current === name ? 0 : -1}
            onClick={() => props.onPick(name)}
            onKeyDown={(event) => {
              const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
              const next = props.tabs[i() + by];
              if (by === 0 || next === undefined) return;
              event.preventDefault();
              props.onPick(next);
              (event.currentTarget.parentElement?.children[i() + by] as HTMLElement | undefined)?.focus();
            }}
          >
            {TAB_WORDS[name]}
            <Show when={name === "plan" && plan()}>{(n) => <span class="n">{`${n().done}/${n().total}`}</span>}</Show>
            <Show when={name === "events" && props.store.records().length > 0}>
              <span class="n">{count(props.store.records().length)}</span>
            </Show>
          </button>
        )}
      </For>
    </div>
  );
}

function SessionTop(props: { session: SessionSummary; onStep: (by: number) => void }): JSX.Element {
  const daemon = useDaemon();
  const s = () => props.session;
  const copyLink = (): void => {
    void navigator.clipboard.writeText(location.href).then(() => toast("Link copied."), report("Copy"));
  };
  return (
    <header class="top">
      <nav class="crumb" aria-label="Where">
        <a
          class="hide-s"
          href={hrefOf({
            page: "swarm",
            filter: "all",
            ...(s().group === undefined ? {} : { group: s().group ?? "" }),
          })}
        >
          {s().group ?? "Swarm"}
        </a>
        <a class="m-only b ic" href="#/" aria-label="Back to the swarm">
          <Icon name="left" />
        </a>
        <span class="hide-s">
          <Icon name="right" />
        </span>
      </nav>
      <span class="st">
        <Glyph state={stateOf(s())} label />
      </span>
      <h1 class="ell">{s().title}</h1>
      <Show when={s().label}>{(label) => <span class="mono mut hide-s">{label()}</span>}</Show>
      <div class="sums">
        <span>
          {s().profile} on <b>{s().model}</b>
        </span>
        <Show when={daemon.staleSince() === undefined} fallback={<NoData />}>
          <span>
            <b>{money(s().totals.costNano)}</b>
            {s().totals.simulated ? " simulated" : ""}
          </span>
          <span>
            <b>{compact(s().totals.input + s().totals.output)}</b> tokens
          </span>
          <Show when={cachedPercent(s().totals)}>
            {(share) => (
              <span>
                <b>{percent(share())}</b> cached
              </span>
            )}
          </Show>
          <span>
            <b>{seconds(ranForMs(s(), nowMs()))}</b>
          </span>
        </Show>
      </div>
      <span class="sp" />
      <button
        class="b ic hide-s"
        aria-label="Session before"
        title="Session before  K"
        onClick={() => props.onStep(-1)}
      >
        <Icon name="up" />
      </button>
      <button class="b ic hide-s" aria-label="Next session" title="Next session  J" onClick={() => props.onStep(1)}>
        <Icon name="down" />
      </button>
      <button class="b line hide-s" onClick={copyLink}>
        <Icon name="copy" />
        Copy link
      </button>
    </header>
  );
}

function ListRow(props: { id: string; current: boolean }): JSX.Element {
  const daemon = useDaemon();
  let row: HTMLAnchorElement | undefined;
  createEffect(() => props.current && row?.scrollIntoView({ block: "nearest" }));
  return (
    <Show when={daemon.session(props.id)}>
      {(s) => (
        <a
          ref={(element) => (row = element)}
          class="li"
          href={hrefOf({ page: "session", id: s().id })}
          aria-current={props.current ? "true" : undefined}
        >
          <Glyph state={stateOf(s())} label />
          <span class="ell">{s().title}</span>
          <Show when={s().unseen}>
            <span class="new" title="Ended, not seen" />
          </Show>
          <span class="mut">
            <Num value={s().totals.requests > 0 ? money(s().totals.costNano) : undefined} />
          </span>
        </a>
      )}
    </Show>
  );
}

function foldTools(): void {
  const all = [...document.querySelectorAll<HTMLDetailsElement>(".flow details.tool")];
  const open = all.some((d) => !d.open);
  for (const details of all) details.open = open;
}
