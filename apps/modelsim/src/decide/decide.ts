/**
 * What a model with this temperament does next: a pure function of the request and the seed.
 *
 *   brief ─▶ plan ─▶ create ─▶ published ─▶ plan complete + handoff
 *                      │  ▲
 *               error  ▼  │ edit of exactly what the report names
 *                     repair ── nothing of the kind in the document ─▶ says so, asks the gate again, then blocked
 */
import { generateCard } from "../card/generate.ts";
import type { CardSubject } from "../card/subject.ts";
import type { ParsedRequest } from "../request.ts";
import { unit } from "../seeded.ts";
import { breakJson, type Action, type Decision } from "./actions.ts";
import { conform } from "./conform.ts";
import { DEFECTS, namedIn } from "./defects.ts";
import { finish, handoff } from "./finish.ts";
import { type Episode } from "./history.ts";
import { planArgs } from "./plan.ts";
import { answerQuestion, answerTask, headline } from "./prose.ts";
import { repair } from "./repair.ts";
import { of, situationOf, type Situation } from "./situation.ts";
import { faultFor, type FirstFault, type Temperament } from "./temperament.ts";

/** Plan and ask calls that failed this often are given up: the card matters more. */
const SIDE_TRIES_MAX = 2;

export function decide(request: ParsedRequest, temperament: Temperament, seed: number): Decision {
  const s = situationOf(request);
  switch (temperament.kind) {
    case "stubborn":
    case "looper":
    case "fumbler":
      return loop(s, temperament.kind);
    case "conversational":
      if (s.brief.kind === "card" && s.episodes.length === 0 && s.said.length === 0)
        return markdownCard(s.brief.subject);
      return s.brief.kind === "card" ? cardStep(s, s.brief.subject, "none", seed) : proseStep(s);
    case "worker":
      break;
  }
  if (s.brief.kind !== "card") return proseStep(s);
  return cardStep(
    s,
    s.brief.subject,
    s.firstTry ? faultFor(temperament.rates, unit(`${seed}:fault:${s.brief.text}`)) : "none",
    seed,
  );
}

function cardStep(s: Situation, subject: CardSubject, fault: FirstFault, seed: number): Decision {
  const { artifact, plan } = s.tools;
  if (artifact === undefined) return of(s, s.tools.handoff).length > 0 ? finish(s) : markdownCard(subject, s);
  const tries = of(s, artifact);
  const last = tries.at(-1);
  const question = askFirst(s);
  if (question !== undefined) return question;
  if (plan !== undefined && last === undefined && needed(of(s, plan))) return planStep(s, subject, fault, seed);
  if (last === undefined || last.result === undefined) return create(s, subject, fault, seed);
  const report = spokenReport(s);
  if (report !== undefined || !last.result.ok || !(s.document?.published ?? false))
    return repair(s, subject, last, report);
  return finish(s);
}

function needed(plans: readonly Episode[]): boolean {
  return !plans.some((e) => e.result?.ok === true) && plans.length < SIDE_TRIES_MAX;
}

/** What a person said after the last artifact call, when it names a fault. */
function spokenReport(s: Situation): string | undefined {
  const lastCall = of(s, s.tools.artifact).at(-1)?.turn ?? -1;
  const answered = s.request.turns.findLastIndex((t) => t.role === "assistant");
  const said = s.said.filter((t) => t.turn > lastCall && t.turn > answered && namedIn(t.text).length > 0);
  return s.document?.published === true && said.length > 0 ? said.map((t) => t.text).join("\n") : undefined;
}

function askFirst(s: Situation): Decision | undefined {
  if (s.tools.ask === undefined || of(s, s.tools.ask).length > 0) return undefined;
  if (!/\b(ask|check with) (me|the user|us|a person)\b|\bask first\b/i.test(s.brief.text)) return undefined;
  const args = {
    question: `Before I start: which accent shall I use for "${headline(s.brief.text, 80)}"?`,
    options: ["cyan", "sky", "amber"],
  };
  return {
    thought: "The brief asks for a decision by a person first.",
    actions: [{ type: "call", name: s.tools.ask.name, args: conform(args, s.tools.ask.parameters) }],
  };
}

function planStep(s: Situation, subject: CardSubject, fault: FirstFault, seed: number): Decision {
  const plan = s.tools.plan!;
  const args = conform(planArgs(subject), plan.parameters);
  const call: Action =
    fault === "invalidPlanJson"
      ? {
          type: "broken-call",
          name: plan.name,
          json: breakJson(JSON.stringify(args), unit(`${seed}:break:${s.brief.text}`)),
        }
      : { type: "call", name: plan.name, args };
  return {
    thought: `Node ${subject.id} reads ${subject.reading}. The picture must depend on the instant alone, so all noise comes from a seeded hash of time.`,
    actions: [
      {
        type: "text",
        text: `I will build the card of node ${subject.id}, ${subject.name}: one canvas, a main readout and its figures. First the plan.`,
      },
      call,
    ],
  };
}

function create(s: Situation, subject: CardSubject, fault: FirstFault, seed: number): Decision {
  const artifact = s.tools.artifact!;
  let content = generateCard(subject);
  for (const defect of DEFECTS) if (defect.id === fault) content = defect.inject(content);
  const args = conform({ action: "create", title: subject.name, content }, artifact.parameters);
  const call: Action =
    fault === "invalidArtifactJson"
      ? {
          type: "broken-call",
          name: artifact.name,
          json: breakJson(JSON.stringify(args), unit(`${seed}:break:${s.brief.text}`)),
        }
      : { type: "call", name: artifact.name, args };
  return {
    thought: "Everything in one document: no font, image or request. Publish it directly.",
    actions: [{ type: "text", text: "The plan is set. I publish the first revision now." }, call],
  };
}

function markdownCard(subject: CardSubject, s?: Situation): Decision {
  const text = `Here is the card for node ${subject.id}, ${subject.name}:\n\n\`\`\`html\n${generateCard(subject)}\n\`\`\`\n\nOpen it in a browser: it runs by itself on synthetic data and needs no network.`;
  const done =
    s?.tools.handoff === undefined
      ? []
      : [
          handoff(s, {
            title: subject.name,
            overview: `The card of node ${subject.id} is in the answer above.`,
            result: "The document is in the text of this run: no artifact tool was offered.",
          }),
        ];
  return { thought: "There is a document to hand over.", actions: [{ type: "text", text }, ...done] };
}

function proseStep(s: Situation): Decision {
  if (s.request.turns.at(-1)?.role === "tool" && of(s, s.tools.handoff).length > 0)
    return { thought: "", actions: [{ type: "text", text: "The report is handed over." }] };
  const question = askFirst(s);
  if (question !== undefined) return question;
  const latest = s.said.at(-1)?.text ?? s.brief.text;
  const text = s.brief.kind === "question" || /\?\s*$/.test(latest) ? answerQuestion(latest) : answerTask(latest);
  const done =
    s.tools.handoff === undefined
      ? []
      : [handoff(s, { title: headline(s.brief.text, 100) || "Answer", overview: headline(text, 300), result: text })];
  return { thought: "No card is asked for: an answer in words.", actions: [{ type: "text", text }, ...done] };
}

/** Models that do not learn from what they are told. The call depends on the request's past in `fumbler` only. */
function loop(s: Situation, kind: "stubborn" | "looper" | "fumbler"): Decision {
  const { artifact, plan } = s.tools;
  const fallback = s.request.tools[0];
  if (fallback === undefined) return { thought: "", actions: [{ type: "text", text: "I will try the same again." }] };
  if (kind === "looper") {
    const tool = plan ?? artifact ?? fallback;
    const args = tool === plan ? { action: "get" } : tool === artifact ? { action: "status" } : {};
    return { thought: "Let me look again.", actions: [{ type: "call", name: tool.name, args }] };
  }
  const name = (artifact ?? fallback).name;
  const find = kind === "fumbler" ? `line ${s.episodes.length + 1} of the old header` : "the old header";
  return {
    thought: "It must work this time.",
    actions: [{ type: "call", name, args: { action: "edit", base: 1, edits: [{ find, replace: "the new header" }] } }],
  };
}
