import type { JSX } from "solid-js";
import { createMemo, createSignal, For, Index, Match, Show, Switch } from "solid-js";
import { tailOfArgs } from "../../model/calls.ts";
import type { EndItem, FlowItem, MessageItem, TurnItem } from "../../model/detail.ts";
import { count, money, percent, seconds } from "../../model/format.ts";
import { liveCalls } from "../../model/live.ts";
import type { DetailStore } from "../../data/detail-store.ts";
import { nowMs } from "../../data/clock.ts";
import { useDaemon } from "../../data/daemon.ts";
import { hrefOf } from "../../shell/router.ts";
import { GLYPHS } from "../../ui/glyphs.ts";
import { Glyph, Icon } from "../../ui/parts.tsx";
import { Prose } from "../../ui/prose.tsx";
import { useStoredText } from "../../ui/stored-text.tsx";
import { QuestionCard } from "./question.tsx";
import { GateCard, ToolCard, WritingCard } from "./tool.tsx";

const WRITING_LINES = 6;
/** A brief longer than this is folded. */
const BRIEF_FOLD_CHARS = 700;

export function Flow(props: { session: string; item: FlowItem; store: DetailStore }): JSX.Element {
  return (
    <Switch>
      <Match when={props.item.type === "message" && props.item}>{(m) => <Message item={m()} />}</Match>
      <Match when={props.item.type === "turn" && props.item}>
        {(t) => <Turn session={props.session} turn={t()} store={props.store} />}
      </Match>
      <Match when={props.item.type === "note" && props.item}>
        {(n) => (
          <p class="note-row">
            <Icon name="history" />
            {(n() as FlowItem & { type: "note" }).text}
          </p>
        )}
      </Match>
      <Match when={props.item.type === "end" && props.item}>{(e) => <EndCard item={e()} />}</Match>
    </Switch>
  );
}

function Message(props: { item: MessageItem }): JSX.Element {
  const text = useStoredText(() => props.item.text, true);
  const [whole, setWhole] = createSignal(false);
  const shown = (): string => {
    const t = text.text() ?? "";
    return whole() || t.length <= BRIEF_FOLD_CHARS ? t : `${t.slice(0, BRIEF_FOLD_CHARS - 100)}…`;
  };
  return (
    <article class="msg" classList={{ me: props.item.by === "person" }}>
      <h3>{props.item.by === "daemon" ? "Daemon to the agent" : props.item.first ? "Brief" : "You"}</h3>
      <p class="pre">{shown()}</p>
      <Show when={(text.text()?.length ?? 0) > BRIEF_FOLD_CHARS}>
        <button class="lk" onClick={() => setWhole(!whole())}>
          {whole() ? "Show less" : `Show all, ${count(text.text()?.length ?? 0)} characters`}
        </button>
      </Show>
    </article>
  );
}

function Turn(props: { session: string; turn: TurnItem; store: DetailStore }): JSX.Element {
  const text = useStoredText(() => props.turn.text, true);
  const reasoning = useStoredText(() => props.turn.reasoning);
  const live = (stream: string): string | undefined => props.store.live(props.turn.run, props.turn.step, stream);
  // The record's text takes the place of the streamed one in the same element: nothing flickers.
  const said = createMemo(() => text.text() ?? live("text") ?? props.turn.cut?.text ?? "");
  const thought = createMemo(() => reasoning.text() ?? live("reasoning"));
  const streaming = (): boolean => props.turn.state === "streaming";
  const writing = createMemo(() =>
    streaming() ? liveCalls(props.store.liveTexts(), props.turn.run, props.turn.step) : [],
  );
  return (
    <>
      <Show when={props.turn.breakCause}>{(cause) => <CacheBreak cause={cause()} turn={props.turn} />}</Show>
      <TurnHeader turn={props.turn} />
      <Show when={props.turn.reasoning !== undefined || thought() !== undefined}>
        <details class="think" onToggle={(event) => event.currentTarget.open && reasoning.open()}>
          <summary>
            <Icon name="brain" />
            Reasoning
            {props.turn.usage && props.turn.usage.reasoning > 0 ? `, ${count(props.turn.usage.reasoning)} tokens` : ""}
            <Icon name="right" class="ch" />
          </summary>
          <p class="pre thought">{thought() ?? "Loading"}</p>
        </details>
      </Show>
      <Show when={said() !== "" || (streaming() && writing().length === 0)}>
        <Prose text={said()} caret={streaming() && writing().length === 0} />
      </Show>
      <For each={props.turn.parts}>
        {(part) => (
          <Switch>
            <Match when={part.type === "tool" && part}>{(p) => <ToolCard part={p()} streaming={streaming()} />}</Match>
            <Match when={part.type === "gate" && part}>{(p) => <GateCard part={p()} />}</Match>
            <Match when={part.type === "question" && part}>
              {(p) => (
                <QuestionCard
                  session={props.session}
                  question={p().question}
                  text={p().text}
                  options={p().options}
                  askedAt={p().at}
                  answer={p().answer}
                  by={p().by}
                />
              )}
            </Match>
          </Switch>
        )}
      </For>
      <Index each={writing()}>
        {(call) => <WritingCard args={call().args} tail={tailOfArgs(call().args, WRITING_LINES)} />}
      </Index>
      <Show when={props.turn.cut}>
        {(cut) => <p class="note-row">Cut after {count(cut().offset)} characters. What had come is kept above.</p>}
      </Show>
      <Show when={props.turn.state === "cut" && props.turn.cut === undefined}>
        <p class="note-row">Cut before the model had finished.</p>
      </Show>
      <Show when={props.turn.error}>
        {(error) => (
          <p class="note-row bad-text">
            <Icon name="warn" />
            {error().message} <span class="mono mut">{error().code}</span>
          </p>
        )}
      </Show>
    </>
  );
}

function TurnHeader(props: { turn: TurnItem }): JSX.Element {
  const daemon = useDaemon();
  const usage = () => props.turn.usage;
  const cached = (): number => (usage() && usage()!.input > 0 ? (usage()!.cached / usage()!.input) * 100 : 0);
  return (
    <div class="turn">
      <h3 class="tn">Turn {props.turn.ordinal}</h3>
      <i />
      <Show
        when={usage()}
        fallback={
          <Show when={props.turn.state === "streaming"} fallback={<span>{props.turn.state}</span>}>
            <Show when={daemon.staleSince() === undefined} fallback={<span>no data</span>}>
              <span>running {seconds(Math.max(0, nowMs() - props.turn.at))}</span>
              <Glyph state="running" />
            </Show>
          </Show>
        }
      >
        {(u) => (
          <>
            <span
              title={
                u().estimated
                  ? "The provider sent no usage: estimated from the bytes"
                  : "Input tokens, the cached ones included"
              }
            >
              {u().estimated ? "about " : ""}
              {count(u().input)} in
            </span>
            <span class="cc">
              <span class="cbar" aria-hidden="true">
                <b style={{ width: `${cached()}%` }} />
              </span>
              {percent(cached())} cached
            </span>
            <span>{count(u().output)} out</span>
            <Show when={props.turn.cost}>
              {(c) => (
                <span title={`${c().pricedAs}, ${c().catalogue}`}>
                  {c().catalogue === "none" ? "no price" : money(c().totalNano)}
                  {c().simulated ? " sim" : ""}
                </span>
              )}
            </Show>
            <span title={`First token after ${seconds(props.turn.ttftMs ?? 0)}`}>
              {seconds(props.turn.durationMs ?? 0)}
            </span>
          </>
        )}
      </Show>
    </div>
  );
}

function CacheBreak(props: { cause: string; turn: TurnItem }): JSX.Element {
  const fresh = (): number => (props.turn.usage ? props.turn.usage.input - props.turn.usage.cached : 0);
  return (
    <div class="brk">
      <Icon name="break" />
      <span>
        <b>Cache prefix broke.</b> {props.cause}
        <Show when={fresh() > 0}>, so {count(fresh())} tokens were not read from the cache</Show>.
      </span>
    </div>
  );
}

function EndCard(props: { item: EndItem }): JSX.Element {
  const h = () => props.item.handoff;
  return (
    <article
      class="pcard end"
      classList={{ badly: props.item.state !== "delivered" && props.item.state !== "cancelled" }}
    >
      <header>
        <Glyph state={props.item.state} />
        <h2>
          {GLYPHS[props.item.state].label}
          {h().title === "" ? "" : `: ${h().title}`}
        </h2>
      </header>
      <div class="who">
        <Show when={props.item.error}>{(error) => <p class="bad-text">{error().message}</p>}</Show>
        <Show when={h().overview}>
          <p>{h().overview}</p>
        </Show>
        <Show when={h().result !== "" && h().result !== h().overview}>
          <p class="pre sec">{h().result}</p>
        </Show>
        <dl class="kv">
          <Show when={h().artifacts.length > 0}>
            <dt>Artifacts</dt>
            <dd>
              <For each={h().artifacts}>
                {(id) => (
                  <a class="lk mono" href={hrefOf({ page: "artifacts", id })}>
                    {id}
                  </a>
                )}
              </For>
            </dd>
          </Show>
          <Show when={h().evidence.length > 0}>
            <dt>Evidence</dt>
            <dd>{h().evidence.join("; ")}</dd>
          </Show>
          <Show when={h().recommendation.decision}>
            <dt>Decision</dt>
            <dd>
              {h().recommendation.decision}
              <Show when={h().recommendation.reason}>
                <span class="mut">, {h().recommendation.reason}</span>
              </Show>
            </dd>
          </Show>
          <Show when={h().followUps.length > 0}>
            <dt>Next</dt>
            <dd>{h().followUps.join("; ")}</dd>
          </Show>
        </dl>
        <For each={h().codeBlocks}>
          {(block) => (
            <pre class="term" tabindex="0" aria-label={`Code, ${block.language}`}>
              {block.code}
            </pre>
          )}
        </For>
        <Show when={h().formattedBy === "daemon"}>
          <p class="mut small">Written by the daemon: the agent did not hand off itself.</p>
        </Show>
      </div>
    </article>
  );
}
