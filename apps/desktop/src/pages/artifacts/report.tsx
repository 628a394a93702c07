import type { CheckReport, Finding } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { For, Show } from "solid-js";
import { checkName, stageLine } from "../../model/report.ts";
import { Icon } from "../../ui/parts.tsx";

/** Stage by stage, one line per check. What was not run is a third mark with its reason, never a tick. */
export function CheckList(props: { report: CheckReport }): JSX.Element {
  return (
    <For each={props.report.stages}>
      {(stage) => (
        <>
          <h4>
            {stage.stage === "static" ? "Static" : "Runtime"}{" "}
            <span class="mut">{stage.verdict === "not_run" ? "not run" : stageLine(stage)}</span>
          </h4>
          <ul>
            <Show when={stage.verdict === "not_run"}>
              <li class="ck w">
                <Icon name="info" />
                <span class="n">Not judged</span>
                <span class="d">{stage.reason ?? "no reason given"}</span>
              </li>
            </Show>
            <For each={[...stage.findings].sort((a, b) => Number(a.ok) - Number(b.ok))}>
              {(finding) => <Line finding={finding} />}
            </For>
          </ul>
        </>
      )}
    </For>
  );
}

function Line(props: { finding: Finding }): JSX.Element {
  return (
    <li class="ck" classList={{ ok: props.finding.ok, no: !props.finding.ok }}>
      <Icon name={props.finding.ok ? "check" : "x"} />
      <span class="vh">{props.finding.ok ? "passed" : "failed"}</span>
      <span class="n">{checkName(props.finding.check)}</span>
      <span class="d ell" title={props.finding.message}>
        {props.finding.message}
        <Show when={!props.finding.ok && props.finding.fix}>{(fix) => <b>. {fix()}</b>}</Show>
      </span>
      <Show when={props.finding.line}>
        <span class="v">
          line {props.finding.line}
          {props.finding.column === undefined ? "" : `:${props.finding.column}`}
        </span>
      </Show>
    </li>
  );
}
