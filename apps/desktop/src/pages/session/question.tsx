import type { JSX } from "solid-js";
import { createSignal, createUniqueId, For, Show } from "solid-js";
import { useDaemon } from "../../data/daemon.ts";
import { report } from "../../ui/toasts.tsx";
import { Glyph, Icon, Num } from "../../ui/parts.tsx";
import { nowMs } from "../../data/clock.ts";
import { duration } from "../../model/format.ts";

/** A question, answered in place. The same card in the conversation and in the Inbox. Nothing has focus at first, so Enter cannot answer by itself. */
export function QuestionCard(props: {
  session: string;
  question: string;
  text: string;
  options: readonly string[];
  askedAt: number;
  answer?: string | undefined;
  by?: string | undefined;
  who?: JSX.Element;
  onAnswered?: () => void;
  optionKeys?: boolean;
}): JSX.Element {
  const daemon = useDaemon();
  const [own, setOwn] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const field = createUniqueId();
  const send = (text: string): void => {
    if (text.trim() === "" || busy()) return;
    setBusy(true);
    daemon.api
      .answer(props.session, { question: props.question, answer: text })
      .then(() => props.onAnswered?.())
      .catch((error: unknown) => {
        setBusy(false);
        report("The answer")(error);
      });
  };
  return (
    <article class="pcard" data-question={props.question}>
      <header>
        <Glyph state={props.answer === undefined ? "wait_ask" : "delivered"} />
        <h2>{props.text}</h2>
        <span class="sp" />
        <span class="mut ago">
          <Num value={`${duration(nowMs() - props.askedAt)} ago`} blank="" />
        </span>
      </header>
      <Show when={props.who}>
        <p class="sec who">{props.who}</p>
      </Show>
      <Show
        when={props.answer === undefined}
        fallback={
          <p class="answered">
            <b>{props.answer}</b> <span class="mut">answered by {props.by}</span>
          </p>
        }
      >
        <ol class="opts">
          <For each={props.options}>
            {(option, i) => (
              <li>
                <button disabled={busy()} onClick={() => send(option)}>
                  <Show when={props.optionKeys} fallback={<Icon name="right" />}>
                    <kbd>{i() + 1}</kbd>
                  </Show>
                  <span>
                    <b>{option}</b>
                  </span>
                </button>
              </li>
            )}
          </For>
        </ol>
        <form
          class="own"
          onSubmit={(event) => {
            event.preventDefault();
            send(own());
          }}
        >
          <label class="vh" for={field}>
            Your answer
          </label>
          <input
            id={field}
            placeholder={props.options.length > 0 ? "Something else" : "Your answer"}
            value={own()}
            onInput={(event) => setOwn(event.currentTarget.value)}
          />
          <button class="b you" disabled={busy() || own().trim() === ""}>
            Answer <Icon name="right" />
          </button>
        </form>
      </Show>
    </article>
  );
}
