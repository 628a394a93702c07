import type { SessionSummary } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createSignal, For, Show } from "solid-js";
import { nowMs } from "../../data/clock.ts";
import { useDaemon } from "../../data/daemon.ts";
import { count, duration } from "../../model/format.ts";
import { hrefOf } from "../../shell/router.ts";
import { Glyph, Icon, NoData, Num } from "../../ui/parts.tsx";
import { report, toast } from "../../ui/toasts.tsx";

/** More options than this are answered in the Inbox. */
const OPTIONS_HERE = 2;

/** The oldest question, answerable without opening anything. */
export function NeedBar(props: { waiting: readonly SessionSummary[] }): JSX.Element {
  const daemon = useDaemon();
  const [busy, setBusy] = createSignal(false);
  const oldest = (): SessionSummary | undefined => props.waiting[0];
  const answer = (session: SessionSummary, text: string): void => {
    if (session.question === undefined) return;
    setBusy(true);
    daemon.api
      .answer(session.id, { question: session.question.id, answer: text })
      .then(() => toast(`${session.title}: answered.`, text))
      .catch(report("The answer"))
      .finally(() => setBusy(false));
  };
  return (
    <Show when={oldest()}>
      {(s) => (
        <section class="need" aria-label="Waits for you">
          <span class="cnt">
            <Glyph state={s().question ? "wait_ask" : "wait_perm"} />
            <Show when={daemon.staleSince() === undefined} fallback={<NoData />}>
              {count(props.waiting.length)} {props.waiting.length === 1 ? "waits" : "wait"} for you
            </Show>
          </span>
          <span class="txt ell">
            <a class="who" href={hrefOf({ page: "session", id: s().id })}>
              {s().title}
            </a>{" "}
            asks: {s().question?.text ?? s().now}{" "}
            <span class="mut">
              <Num value={`${duration(nowMs() - s().updatedAt)} ago`} blank="" />
            </span>
          </span>
          <span class="sp" />
          <Show when={(s().question?.options.length ?? 0) > 0 && (s().question?.options.length ?? 0) <= OPTIONS_HERE}>
            <For each={s().question?.options}>
              {(option, i) => (
                <button
                  class={i() === 0 ? "b s you" : "b s line"}
                  disabled={busy() || daemon.staleSince() !== undefined}
                  onClick={() => answer(s(), option)}
                >
                  {option}
                </button>
              )}
            </For>
          </Show>
          <a class="b s" href="#/inbox">
            {props.waiting.length > 1 ? "All" : "Answer"} <Icon name="right" />
          </a>
        </section>
      )}
    </Show>
  );
}
