import type { JSX } from "solid-js";
import { createEffect, createMemo, createSignal, For, Show } from "solid-js";
import { nowMs } from "../../data/clock.ts";
import { briefOf, diffLines } from "../../model/calls.ts";
import type { GatePart, ToolPart } from "../../model/detail.ts";
import { bytes, seconds } from "../../model/format.ts";
import { resultLine, stagesLine } from "../../model/report.ts";
import type { IconName } from "../../ui/icons.ts";
import { Icon } from "../../ui/parts.tsx";
import { useStoredText } from "../../ui/stored-text.tsx";
import { CheckList } from "../artifacts/report.tsx";

/** A difference of fewer lines is open from the start. */
const DIFF_OPEN_LINES = 12;

const ICONS: Readonly<Record<string, IconName>> = {
  manage_artifact: "artifacts",
  plan_manage: "list",
  ask_user: "question",
  handoff: "arrow",
  bash: "terminal",
  read: "file",
  search: "search",
  edit: "diff",
};

/** One line: tool, arguments, result, time. Open from the start only if it failed or is a short difference. */
export function ToolCard(props: { part: ToolPart; streaming: boolean }): JSX.Element {
  const args = useStoredText(() => props.part.args);
  const output = useStoredText(() => props.part.output);
  const brief = createMemo(() => briefOf(props.part.name, args.text(), args.bytes()));
  const failed = (): boolean => props.part.state === "failed";
  const short = (): boolean =>
    brief().edits.length > 0 &&
    brief().edits.reduce((n, e) => n + diffLines(e.find, e.replace).length, 0) < DIFF_OPEN_LINES;
  const [open, setOpen] = createSignal(false);
  const opened = createMemo(() => failed() || short());
  createEffect(() => opened() && setOpen(true));
  createEffect(() => {
    if (!open()) return;
    args.open();
    output.open();
  });
  const icon = (): IconName => (brief().edits.length > 0 ? "diff" : (ICONS[props.part.name] ?? "terminal"));
  return (
    <details
      class="tool"
      classList={{ bad: failed() }}
      open={open()}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name={icon()} />
        <span class="v">{props.part.name}</span>
        <span class="o mono ell">{brief().text}</span>
        <span class="res ell" classList={{ "bad-text": failed() }} title={props.part.summary}>
          {resultOf(props.part)}
        </span>
        <span class="du">{props.part.durationMs === undefined ? "" : seconds(props.part.durationMs)}</span>
        <Icon name="right" class="ch" />
      </summary>
      <Show when={open()}>
        <div class="tb">
          <For each={brief().edits}>{(edit) => <Diff find={edit.find} replace={edit.replace} />}</For>
          <Show when={props.part.error}>
            {(error) => (
              <p class="why">
                <code>{error().code}</code> {error().message}
              </p>
            )}
          </Show>
          <Show when={brief().edits.length === 0 && args.bytes() > 0}>
            <Well label="Arguments" text={args.text()} failed={args.failed()} pretty />
          </Show>
          <Show when={props.part.output !== undefined}>
            <Well
              label={props.part.truncated === true ? "Result, shortened for the model" : "Result"}
              text={output.text()}
              failed={output.failed()}
              pretty
              folded={brief().edits.length > 0 && !failed()}
            />
          </Show>
          <Show when={(props.part.repaired?.length ?? 0) > 0}>
            <p class="pf">
              <Icon name="info" />
              <span>
                Arguments repaired: <b>{props.part.repaired?.join(", ")}</b>
              </span>
            </p>
          </Show>
        </div>
      </Show>
    </details>
  );
}

function resultOf(part: ToolPart): string {
  if (part.state === "called") return "waits";
  if (part.state === "running") return `running ${seconds(Math.max(0, nowMs() - (part.startedAt ?? nowMs())))}`;
  return part.summary ?? part.state;
}

function Diff(props: { find: string; replace: string }): JSX.Element {
  return (
    <table class="df">
      <tbody>
        <For each={diffLines(props.find, props.replace)}>
          {(line) => (
            <tr class={line.sign === "+" ? "p" : line.sign === "-" ? "m" : ""}>
              <td>{line.sign}</td>
              <td>{line.text}</td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

function Well(props: {
  label: string;
  text: string | undefined;
  failed: boolean;
  pretty?: boolean;
  folded?: boolean;
}): JSX.Element {
  const shown = createMemo(() =>
    props.text === undefined ? undefined : props.pretty === true ? pretty(props.text) : props.text,
  );
  return (
    <details class="well" open={props.folded !== true}>
      <summary class="wl-label">
        {props.label}
        <Icon name="right" class="ch" />
      </summary>
      <pre class="term" tabindex="0" aria-label={props.label}>
        {shown() ?? (props.failed ? "The daemon does not give this text now." : "Loading")}
      </pre>
    </details>
  );
}

function pretty(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2).replaceAll("\\n", "\n");
  } catch {
    return text; // shown as the model wrote it
  }
}

export function GateCard(props: { part: GatePart }): JSX.Element {
  const bad = (): boolean => props.part.report.verdict === "rejected";
  const [open, setOpen] = createSignal(bad());
  const time = (): number => props.part.report.stages.reduce((ms, s) => ms + s.durationMs, 0);
  return (
    <details
      class="tool"
      classList={{ bad: bad() }}
      open={open()}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="shield" />
        <span class="v">gate</span>
        <span class="o mono ell">{stagesLine(props.part.report)}</span>
        <span class="res ell" classList={{ "bad-text": bad() }} title={resultLine(props.part.report)}>
          {resultLine(props.part.report)}
        </span>
        <span class="du">{seconds(time())}</span>
        <Icon name="right" class="ch" />
      </summary>
      <Show when={open()}>
        <div class="tb">
          <Show when={props.part.report.summary}>
            <p class="why">{props.part.report.summary}</p>
          </Show>
          <div class="gate-list">
            <CheckList report={props.part.report} />
          </div>
        </div>
      </Show>
    </details>
  );
}

/** A call that the model is still writing. */
export function WritingCard(props: { args: string; tail: string }): JSX.Element {
  return (
    <div class="tool writing">
      <div class="sum">
        <Icon name="diff" />
        <span class="v">writing a call</span>
        <span class="res">{bytes(props.args.length)}</span>
      </div>
      <pre class="term" aria-hidden="true">
        {props.tail}
        <span class="cur" />
      </pre>
    </div>
  );
}
