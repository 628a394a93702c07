import type { Plan, SessionSummary } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createMemo, createSignal, For, Match, Show, Switch } from "solid-js";
import { nowMs } from "../../data/clock.ts";
import type { DetailStore } from "../../data/detail-store.ts";
import type { ArtifactView, TurnItem } from "../../model/detail.ts";
import { bytes, clockTime, compact, count, duration, money, percent, seconds } from "../../model/format.ts";
import { resultLine, stagesLine, verdictWord } from "../../model/report.ts";
import { endedBadly, isOpen, stateOf, type StateName } from "../../model/state.ts";
import { Glyph, Icon, Num } from "../../ui/parts.tsx";
import { LiveFrame, Still } from "../../ui/preview.tsx";
import { CheckList } from "../artifacts/report.tsx";
import { ProvenanceBlock } from "../artifacts/provenance.tsx";
import { UsageChart } from "./usage-chart.tsx";

export type InspectorTab = "artifact" | "plan" | "usage" | "events";

export function planCount(plan: Plan | undefined): { done: number; total: number } | undefined {
  if (plan === undefined) return undefined;
  const subtasks = plan.checkpoints.flatMap((c) => (c.subtasks.length > 0 ? c.subtasks : [c]));
  return { done: subtasks.filter((s) => s.done).length, total: subtasks.length };
}

export function InspectorBody(props: { tab: InspectorTab; session: SessionSummary; store: DetailStore }): JSX.Element {
  const turns = createMemo(() => props.store.view.items.filter((i): i is TurnItem => i.type === "turn"));
  return (
    <div class="ip">
      <Switch>
        <Match when={props.tab === "artifact"}>
          <Show
            when={props.store.view.artifact}
            fallback={
              <Show when={props.store.loaded()}>
                <p class="sec small">
                  {isOpen(props.session)
                    ? "No artifact yet. It appears here when the agent creates one."
                    : "The run ended without an artifact."}
                </p>
              </Show>
            }
          >
            {(artifact) => <ArtifactPane artifact={artifact()} session={props.session} />}
          </Show>
          <Show when={props.store.view.plan}>
            {(plan) => (
              <>
                <h3>Plan</h3>
                <PlanList plan={plan()} open={isOpen(props.session)} />
              </>
            )}
          </Show>
          <Show when={turns().some((t) => t.usage)}>
            <h3>
              Input per turn <span class="mut">tokens</span>
            </h3>
            <UsageChart turns={turns()} />
          </Show>
          <BudgetList session={props.session} store={props.store} />
          <Show when={props.store.view.artifact?.report}>
            {(report) => (
              <section class="checks">
                <h3>
                  Check report <span class="mut">{verdictWord(report().verdict)}</span>
                </h3>
                <CheckList report={report()} />
              </section>
            )}
          </Show>
          <Show when={props.store.view.artifact?.provenance}>
            {(provenance) => (
              <section class="prov">
                <ProvenanceBlock provenance={provenance()} />
              </section>
            )}
          </Show>
        </Match>
        <Match when={props.tab === "plan"}>
          <Show when={props.store.view.plan} fallback={<p class="sec small">No plan was set.</p>}>
            {(plan) => <PlanPane plan={plan()} open={isOpen(props.session)} />}
          </Show>
        </Match>
        <Match when={props.tab === "usage"}>
          <UsagePane turns={turns()} session={props.session} store={props.store} />
        </Match>
        <Match when={props.tab === "events"}>
          <EventsPane store={props.store} />
        </Match>
      </Switch>
    </div>
  );
}

function ArtifactPane(props: { artifact: ArtifactView; session: SessionSummary }): JSX.Element {
  const still = (): string | undefined => props.artifact.stills.at(-1)?.image.blob ?? props.session.artifact?.still;
  const state = (): string =>
    props.artifact.provenance
      ? "published"
      : props.artifact.report
        ? verdictWord(props.artifact.report.verdict)
        : "draft";
  const glyph = (): StateName =>
    props.artifact.report === undefined
      ? "wait_tool"
      : props.artifact.report.verdict === "rejected"
        ? "failed"
        : "delivered";
  return (
    <>
      <div class="pv big" classList={{ dim: endedBadly(stateOf(props.session)) }}>
        <Show when={still()}>{(hash) => <Still hash={hash()} />}</Show>
        <LiveFrame
          artifact={props.artifact.id}
          revision={props.artifact.revision}
          title={`${props.artifact.title}, running`}
          pinned
        />
        <span class="rev">
          r{props.artifact.revision} {state()}
        </span>
      </div>
      <div class="row">
        <span class="st gate-st">
          <Glyph state={glyph()} />
          <span class="ell">
            {props.artifact.report ? `Gate: ${resultLine(props.artifact.report)}` : "Gate: checking"}
          </span>
        </span>
        <span class="sp" />
        <span class="mut">
          {props.artifact.report ? stagesLine(props.artifact.report) : bytes(props.artifact.bytes)}
        </span>
      </div>
    </>
  );
}

function PlanList(props: { plan: Plan; open: boolean }): JSX.Element {
  const current = (): string | undefined => (props.open ? props.plan.checkpoints.find((c) => !c.done)?.id : undefined);
  return (
    <ul class="plan">
      <For each={props.plan.checkpoints}>
        {(checkpoint) => {
          const done = (): number => checkpoint.subtasks.filter((s) => s.done).length;
          const firstOpen = (): string | undefined => checkpoint.subtasks.find((s) => !s.done)?.id;
          const glyph = (): StateName =>
            checkpoint.done ? "delivered" : checkpoint.id === current() ? "running" : "queued";
          return (
            <li>
              <div class="pc" classList={{ dn: checkpoint.done }}>
                <Glyph state={glyph()} />
                <span>{checkpoint.title}</span>
                <span class="mut">
                  {checkpoint.subtasks.length > 0 ? `${done()} of ${checkpoint.subtasks.length}` : ""}
                </span>
              </div>
              <Show when={checkpoint.id === current() && checkpoint.subtasks.length > 0}>
                <ul>
                  <For each={checkpoint.subtasks}>
                    {(task) => (
                      <li classList={{ dn: task.done, nw: task.id === firstOpen() }}>
                        <span class={task.done ? "cb on" : "cb"} aria-hidden="true">
                          <Icon name="check" />
                        </span>
                        <span class="vh">{task.done ? "done: " : "open: "}</span>
                        {task.title}
                        <Show when={task.id === firstOpen()}>
                          <span class="mut">now</span>
                        </Show>
                      </li>
                    )}
                  </For>
                </ul>
              </Show>
            </li>
          );
        }}
      </For>
    </ul>
  );
}

function PlanPane(props: { plan: Plan; open: boolean }): JSX.Element {
  const Block = (block: { title: string; lines: readonly string[] }): JSX.Element => (
    <Show when={block.lines.length > 0}>
      <h3>{block.title}</h3>
      <ul class="dots">
        <For each={block.lines}>{(line) => <li>{line}</li>}</For>
      </ul>
    </Show>
  );
  return (
    <>
      <p class="goal">{props.plan.goal}</p>
      <PlanList plan={props.plan} open={props.open} />
      <Block title="Decisions" lines={props.plan.decisions} />
      <Block title="Constraints" lines={props.plan.constraints} />
      <Block title="Done when" lines={props.plan.successCriteria} />
      <p class="mut small">Revision {props.plan.revision}</p>
    </>
  );
}

function BudgetList(props: { session: SessionSummary; store: DetailStore }): JSX.Element {
  const rows = createMemo(() => {
    const { budget } = props.store.view;
    const t = props.session.totals;
    const ranS = ((props.session.endedAt ?? nowMs()) - (props.session.startedAt ?? props.session.createdAt)) / 1000;
    const row = (name: string, used: number, limit: number | undefined, text: (n: number) => string) =>
      limit === undefined
        ? []
        : [{ name, share: Math.min(100, (used / limit) * 100), text: `${text(used)} of ${text(limit)}` }];
    return [
      ...row("Money", t.costNano / 1e9, budget.usd, (usd) => money(usd * 1e9)),
      ...row("Turns", props.session.turns, budget.turns, count),
      ...row("Tool calls", props.session.toolCalls, budget.toolCalls, count),
      ...row("Input", t.input, budget.inputTokens, compact),
      ...row("Output", t.output, budget.outputTokens, compact),
      ...row("Time", ranS, budget.wallS, (s) => duration(s * 1000)),
    ];
  });
  return (
    <Show when={rows().length > 0}>
      <h3>Budget</h3>
      <ul class="bud">
        <For each={rows()}>
          {(r) => (
            <li>
              <span>{r.name}</span>
              <span class="pbar" aria-hidden="true">
                <i style={{ width: `${r.share}%` }} />
              </span>
              <span class="mut">
                <Num value={r.text} />
              </span>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function UsagePane(props: { turns: readonly TurnItem[]; session: SessionSummary; store: DetailStore }): JSX.Element {
  return (
    <Show when={props.turns.some((t) => t.usage)} fallback={<p class="sec small">No turn has finished yet.</p>}>
      <h3 class="first">
        Input per turn <span class="mut">tokens</span>
      </h3>
      <UsageChart turns={props.turns} />
      <table class="ut">
        <thead>
          <tr>
            <th>Turn</th>
            <th class="num">In</th>
            <th class="num">Cached</th>
            <th class="num">Out</th>
            <th class="num">First</th>
            <th class="num">Cost</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.turns.filter((t) => t.usage)}>
            {(t) => (
              <tr>
                <td>{t.ordinal}</td>
                <td class="num">{count(t.usage?.input ?? 0)}</td>
                <td class="num">{percent(((t.usage?.cached ?? 0) / Math.max(1, t.usage?.input ?? 0)) * 100)}</td>
                <td class="num">{count(t.usage?.output ?? 0)}</td>
                <td class="num">{seconds(t.ttftMs ?? 0)}</td>
                <td class="num">{money(t.cost?.totalNano ?? 0)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={props.turns.find((t) => t.cost)?.cost}>
        {(cost) => (
          <p class="mut small">
            Price list {cost().catalogue}, as {cost().pricedAs}.{cost().simulated ? " Simulated: nobody paid it." : ""}
          </p>
        )}
      </Show>
      <BudgetList session={props.session} store={props.store} />
    </Show>
  );
}

const EVENTS_SHOWN = 200;

function EventsPane(props: { store: DetailStore }): JSX.Element {
  const [shown, setShown] = createSignal(EVENTS_SHOWN);
  const list = createMemo(() => props.store.records().slice(-shown()).toReversed());
  return (
    <>
      <ul class="ev">
        <For each={list()}>
          {(record) => (
            <li>
              <details>
                <summary>
                  <span class="mono mut">{count(record.seq)}</span>
                  <span class="mono ell">{record.kind}</span>
                  <span class="mut">{clockTime(record.at)}</span>
                </summary>
                <pre class="term" tabindex="0" aria-label={`Record ${record.seq}`}>
                  {JSON.stringify(record, null, 2)}
                </pre>
              </details>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.store.records().length > shown()}>
        <button class="b s line" onClick={() => setShown(shown() + EVENTS_SHOWN)}>
          {count(props.store.records().length - shown())} earlier records
        </button>
      </Show>
    </>
  );
}
