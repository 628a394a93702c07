import type { SessionSummary } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createEffect, createMemo, createSignal, For, Show } from "solid-js";
import { nowMs } from "../../data/clock.ts";
import { useDaemon } from "../../data/daemon.ts";
import { count, duration, money, plural, shortAge } from "../../model/format.ts";
import { stateOf } from "../../model/state.ts";
import type { Derived } from "../../shell/derived.ts";
import { bindKeys } from "../../shell/keys.ts";
import { hrefOf } from "../../shell/router.ts";
import { Empty, Glyph, Icon, NoData, Num } from "../../ui/parts.tsx";
import { report, toast } from "../../ui/toasts.tsx";
import { QuestionCard } from "../session/question.tsx";

/** Every session that waits for a person, oldest first; answered here. */
export function InboxPage(props: { derived: Derived }): JSX.Element {
  const daemon = useDaemon();
  const waiting = props.derived.waiting;
  const [picked, setPicked] = createSignal<string | undefined>(undefined);
  // An answered question keeps its place in the list until the daemon says so; then the next one is current.
  const current = createMemo(
    (): SessionSummary | undefined => waiting().find((s) => s.id === picked()) ?? waiting()[0],
  );
  const at = (): number => waiting().findIndex((s) => s.id === current()?.id);
  const move = (by: number): void =>
    void setPicked(waiting()[Math.min(waiting().length - 1, Math.max(0, at() + by))]?.id);
  const option = (n: number): void => {
    const s = current();
    const text = s?.question?.options[n - 1];
    if (s?.question === undefined || text === undefined) return;
    daemon.api
      .answer(s.id, { question: s.question.id, answer: text })
      .then(() => toast(`${s.title}: answered.`, text), report("The answer"));
  };
  bindKeys("Inbox", [
    { keys: "j", label: "Next question", run: () => move(1) },
    { keys: "k", label: "Question before", run: () => move(-1) },
    ...Array.from({ length: 9 }, (_, i) => ({
      keys: String(i + 1),
      label: i === 0 ? "Answer with option 1 to 9" : "",
      run: () => option(i + 1),
    })),
  ]);
  createEffect(() => picked() !== undefined && at() < 0 && setPicked(undefined));
  return (
    <>
      <header class="top">
        <h1>Inbox</h1>
        <div class="sums">
          <Show when={daemon.staleSince() === undefined} fallback={<NoData />}>
            <span class={waiting().length > 0 ? "y" : ""}>
              <b>{count(waiting().length)}</b> {waiting().length === 1 ? "session waits" : "sessions wait"} for you
            </span>
          </Show>
        </div>
      </header>
      <main class="main" id="main">
        <Show
          when={current()}
          fallback={
            <Show when={daemon.loaded()}>
              <div class="empties">
                <Empty
                  icon="inbox"
                  title="Nothing waits for you."
                  actions={
                    <a class="b line" href={hrefOf({ page: "swarm", filter: "active" })}>
                      Show active
                    </a>
                  }
                >
                  <Num value={`${plural(props.derived.tally().active, "session")} at work.`} blank="" /> A question
                  appears here and on the Swarm page.
                </Empty>
              </div>
            </Show>
          }
        >
          {(s) => (
            <div class="panes ib">
              <section class="pane il hide-s" aria-label="Waiting">
                <For each={waiting().map((w) => w.id)}>
                  {(id) => <InboxRow id={id} current={id === s().id} onPick={() => setPicked(id)} />}
                </For>
              </section>
              <section class="pane id" aria-label="Question">
                <div class="col">
                  <p class="pos">
                    <span>
                      {at() + 1} of {count(waiting().length)}
                    </span>
                    <span class="sp" />
                    <span class="hide-s">
                      <kbd>J</kbd> <kbd>K</kbd> next, before
                    </span>
                  </p>
                  <Show when={s().id} keyed>
                    {(id) => <Ask id={id} keys />}
                  </Show>
                  <Show when={waiting().filter((w) => w.id !== s().id).length > 0}>
                    <h3 class="nx">Next</h3>
                    <For
                      each={waiting()
                        .filter((w) => w.id !== s().id)
                        .slice(0, 3)
                        .map((w) => w.id)}
                    >
                      {(id) => <Ask id={id} keys={false} />}
                    </For>
                  </Show>
                </div>
              </section>
              <aside class="pane ix hide-s" aria-label="Session">
                <div class="ph">
                  <span class="str ell">{s().label ?? s().title}</span>
                  <Glyph state={stateOf(s())} />
                  <span class="sp" />
                  <a class="b s" href={hrefOf({ page: "session", id: s().id })}>
                    Open <Icon name="arrow" />
                  </a>
                </div>
                <Facts session={s()} />
              </aside>
            </div>
          )}
        </Show>
      </main>
    </>
  );
}

function InboxRow(props: { id: string; current: boolean; onPick: () => void }): JSX.Element {
  const daemon = useDaemon();
  return (
    <Show when={daemon.session(props.id)}>
      {(s) => (
        <button class="it" aria-current={props.current ? "true" : undefined} onClick={() => props.onPick()}>
          <Glyph state={stateOf(s())} label />
          <span class="tt ell">{s().title}</span>
          <span class="mut">
            <Num value={shortAge(nowMs() - s().updatedAt)} blank="" />
          </span>
          <span class="qq ell">{s().question?.text ?? s().now}</span>
        </button>
      )}
    </Show>
  );
}

function Ask(props: { id: string; keys: boolean }): JSX.Element {
  const daemon = useDaemon();
  return (
    <Show when={daemon.session(props.id)}>
      {(s) => (
        <Show
          when={s().question}
          fallback={
            <article class="pcard">
              <header>
                <Glyph state={stateOf(s())} />
                <h2>{s().now}</h2>
              </header>
              <p class="sec who">
                <a href={hrefOf({ page: "session", id: s().id })}>{s().title}</a> waits. Open it to go on.
              </p>
            </article>
          }
        >
          {(q) => (
            <QuestionCard
              session={s().id}
              question={q().id}
              text={q().text}
              options={q().options}
              askedAt={s().updatedAt}
              optionKeys={props.keys}
              who={
                <>
                  <b>{s().profile}</b> in <a href={hrefOf({ page: "session", id: s().id })}>{s().title}</a>
                </>
              }
              onAnswered={() => toast(`${s().title}: answered.`)}
            />
          )}
        </Show>
      )}
    </Show>
  );
}

function Facts(props: { session: SessionSummary }): JSX.Element {
  const s = () => props.session;
  return (
    <div class="ix2">
      <dl class="kv">
        <dt>Group</dt>
        <dd>{s().group ?? "none"}</dd>
        <dt>Agent</dt>
        <dd>
          {s().profile} on {s().model}
        </dd>
        <dt>Spent</dt>
        <dd>
          <Num value={`${money(s().totals.costNano)}${s().totals.simulated ? " simulated" : ""}`} />
        </dd>
        <dt>Turn</dt>
        <dd>
          <Num value={`${count(s().turns)}, idle ${duration(nowMs() - s().updatedAt)}`} />
        </dd>
        <Show when={s().workspace}>
          <dt>Folder</dt>
          <dd class="mono ell">{s().workspace}</dd>
        </Show>
      </dl>
    </div>
  );
}
