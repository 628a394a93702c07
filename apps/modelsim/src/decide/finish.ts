/** The end of a run: the plan is completed and the report handed over, in one step. */
import { isObject } from "@swarm/std";
import { textOr } from "../request.ts";
import type { Action, Decision } from "./actions.ts";
import { conform } from "./conform.ts";
import { numberIn } from "./history.ts";
import { planIds } from "./plan.ts";
import { of, type Situation } from "./situation.ts";

const HANDOFF_TRIES_MAX = 3;

interface Report {
  readonly outcome?: "delivered" | "blocked";
  readonly title: string;
  readonly overview: string;
  readonly result: string;
  readonly evidence?: readonly string[];
  readonly reason?: string;
}

export function handoff(s: Situation, report: Report): Action {
  const tool = s.tools.handoff!;
  const outcome = report.outcome ?? "delivered";
  const reason =
    report.reason ??
    (outcome === "delivered" ? "Everything the brief asks for is there." : "The cause is outside this document.");
  const args = {
    outcome,
    title: report.title.slice(0, 120),
    overview: report.overview.slice(0, 600),
    result: report.result,
    ...(s.document?.artifact === undefined ? {} : { artifacts: [s.document.artifact] }),
    ...(report.evidence === undefined ? {} : { evidence: report.evidence }),
    recommendation: { decision: outcome === "delivered" ? "accept" : "look at the report", reason },
  };
  return { type: "call", name: tool.name, args: conform(args, tool.parameters) };
}

function completePlan(s: Situation): Action[] {
  const { plan } = s.tools;
  const episodes = of(s, plan);
  const set = episodes.findLast((e) => e.result?.ok === true && e.call.args?.["action"] === "set");
  const done = episodes.some((e) => e.call.args?.["action"] === "complete" && (e.result === undefined || e.result.ok));
  if (plan === undefined || set?.call.args === undefined || done) return [];
  const latest = episodes.findLast((e) => e.result !== undefined && numberIn(e.result.data, "revision") !== undefined);
  const revision = latest?.result === undefined ? undefined : numberIn(latest.result.data, "revision");
  const args = {
    action: "complete",
    ...(revision === undefined ? {} : { base_revision: revision }),
    complete: planIds(set.call.args),
  };
  return [{ type: "call", name: plan.name, args: conform(args, plan.parameters) }];
}

function evidenceOf(s: Situation): string[] {
  const passed = of(s, s.tools.artifact).findLast((e) => e.result?.ok === true);
  const checks = passed?.result?.data["checks"];
  if (!isObject(checks)) return ["The gate accepted the revision."];
  return [
    `Gate: ${textOr(checks["verdict"], "passed")}, ${textOr(checks["passed"], "all")} checks passed, ${textOr(checks["failed"], "0")} failed.`,
  ];
}

/** The card is published: report it. Without a handoff tool the words are the report. */
export function finish(s: Situation, words?: string): Decision {
  const title = s.document?.title || "Card";
  const revision = s.document?.revision ?? 1;
  const said = words ?? `${title} is published as revision ${revision}.`;
  const tried = of(s, s.tools.handoff);
  const handed = tried.at(-1)?.result?.ok === true && s.request.turns.at(-1)?.role === "tool";
  if (s.tools.handoff === undefined || handed || tried.length >= HANDOFF_TRIES_MAX)
    return { thought: "", actions: [...completePlan(s), { type: "text", text: said }] };
  const repairs = of(s, s.tools.artifact).filter((e) => e.result?.ok === false).length;
  const report = handoff(s, {
    title,
    overview: `${title}: a self-contained animated card, published as revision ${revision}${repairs > 0 ? ` after ${repairs} correction${repairs > 1 ? "s" : ""}` : ""}. It runs on synthetic data alone and shows live readings when it is fed.`,
    result: `${said} Picture, main readout, figures and legend stay visible from 640 × 400 to 1920 × 1080.`,
    evidence: evidenceOf(s),
  });
  return {
    thought: "The gate accepted it: close the plan and report.",
    actions: [{ type: "text", text: said }, ...completePlan(s), report],
  };
}

export function blocked(s: Situation, why: string): Decision {
  const text = `I cannot take this further: ${why}`;
  if (s.tools.handoff === undefined || of(s, s.tools.handoff).length >= HANDOFF_TRIES_MAX)
    return { thought: "", actions: [{ type: "text", text }] };
  const title = s.document?.title || "Card";
  return {
    thought: "Trying again would give the same answer.",
    actions: [
      { type: "text", text },
      handoff(s, { outcome: "blocked", title, overview: text, result: text, reason: why.slice(0, 300) }),
    ],
  };
}
