import type { JSX } from "solid-js";
import { createSignal, Show } from "solid-js";
import { useDaemon } from "../../data/daemon.ts";
import { bindKeys } from "../../shell/keys.ts";
import { Icon } from "../../ui/parts.tsx";
import { report, toast } from "../../ui/toasts.tsx";

/** Interrupt and Steer: each says what it will do now. A message to an ended session starts another run. */
export function Composer(props: { session: string; agent: string; open: boolean }): JSX.Element {
  const daemon = useDaemon();
  const [text, setText] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  let field!: HTMLTextAreaElement;
  const fit = (): void => {
    field.style.height = "22px";
    field.style.height = `${Math.min(160, field.scrollHeight)}px`;
  };
  const send = (): void => {
    const words = text().trim();
    if (words === "" || busy()) return;
    setBusy(true);
    daemon.api
      .addMessage(props.session, { text: words })
      .then(() => setText(""))
      .then(fit)
      .catch(report("The message"))
      .finally(() => setBusy(false));
  };
  const interrupt = (): void => {
    if (!props.open) return;
    daemon.api
      .cancel(props.session)
      .then(() => toast("Run cancelled.", "What it had written is kept."))
      .catch(report("Interrupt"));
  };
  bindKeys("Session", [
    { keys: "Enter", label: "Write a message", run: () => field.focus() },
    { keys: "Ctrl .", label: "Interrupt the run", run: interrupt },
  ]);
  return (
    <form
      class="comp"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={(element) => (field = element)}
        rows="1"
        placeholder={`Say something to ${props.agent || "the agent"}`}
        aria-label="Message"
        value={text()}
        onInput={(event) => {
          setText(event.currentTarget.value);
          fit();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            send();
          }
          if (event.key === "Escape") field.blur();
        }}
      />
      <div class="cr">
        <span class="mut hide-s">{props.open ? "Steer joins at the next step" : "A message starts another run"}</span>
        <span class="sp" />
        <Show when={props.open}>
          <button type="button" class="b s" onClick={interrupt}>
            <Icon name="stop" />
            Interrupt <kbd>Ctrl .</kbd>
          </button>
        </Show>
        <button class="b s ink" disabled={busy() || text().trim() === ""}>
          <Icon name="steer" />
          {props.open ? "Steer" : "Send"} <kbd>Enter</kbd>
        </button>
      </div>
    </form>
  );
}
