/** Answers a refused artifact call or a spoken report: takes out what is named and is there, and nothing else. */
import { generateCard } from "../card/generate.ts";
import type { CardSubject } from "../card/subject.ts";
import type { Action, Decision } from "./actions.ts";
import { conform } from "./conform.ts";
import { namedIn, type Edit } from "./defects.ts";
import { blocked, finish } from "./finish.ts";
import { numberIn, type Episode } from "./history.ts";
import { of, type Situation } from "./situation.ts";

/** The same complaint this often in a row is not answered once more. */
const SAME_FAILURE_MAX = 4;

export function repair(s: Situation, subject: CardSubject, last: Episode, spoken: string | undefined): Decision {
  const result = last.result!;
  if (spoken !== undefined && s.document !== undefined)
    return fix(s, s.document.content, spoken, s.document.revision, true);
  if (
    result.ok &&
    of(s, s.tools.artifact).filter((e) => e.call.args?.["action"] === "publish").length >= SAME_FAILURE_MAX
  )
    return blocked(s, "publishing does not take");
  const failures = trailingFailures(of(s, s.tools.artifact), result.code);
  if (failures >= SAME_FAILURE_MAX)
    return blocked(s, `the same call was refused ${failures} times (${result.code}): ${result.message.slice(0, 200)}`);
  if (s.document === undefined) return again(s, subject, result.message);
  if (/stale|conflict|cas|base/i.test(result.code)) return rebase(s, last);
  if (result.ok)
    return {
      thought: "",
      actions: [{ type: "text", text: "The revision is ready: I publish it." }, call(s, publishArgs(s))],
    };
  if (/permission|denied|forbidden/i.test(result.code)) return blocked(s, result.message.slice(0, 300));
  return fix(s, s.document.content, result.message, s.document.revision, false);
}

function trailingFailures(episodes: readonly Episode[], code: string): number {
  const fine = episodes.findLastIndex(
    (e) => e.result?.ok === true || (e.result !== undefined && e.result.code !== code),
  );
  return episodes.length - 1 - fine;
}

function call(s: Situation, args: Readonly<Record<string, unknown>>): Action {
  const tool = s.tools.artifact!;
  return { type: "call", name: tool.name, args: conform(args, tool.parameters) };
}

/** Nothing was kept of the first call (arguments that did not parse, an interrupted call): send it whole again. */
function again(s: Situation, subject: CardSubject, message: string): Decision {
  const args = { action: "create", title: subject.name, content: generateCard(subject) };
  return {
    thought: `The call was not accepted: ${message.slice(0, 160)}`,
    actions: [
      { type: "text", text: "My call was not accepted as it stood. I send the document again with clean arguments." },
      call(s, args),
    ],
  };
}

/** Somebody else wrote a revision in between: the same edits against the head that the answer names. */
function rebase(s: Situation, last: Episode): Decision {
  const head =
    numberIn(last.result!.data, "revision") ??
    numberIn(last.result!.data, "head") ??
    Number(/revision (\d+)|base (\d+)/i.exec(last.result!.message)?.slice(1).find(Boolean) ?? Number.NaN);
  if (!Number.isFinite(head)) return blocked(s, last.result!.message.slice(0, 300));
  return {
    thought: "The base moved.",
    actions: [
      { type: "text", text: `The head is revision ${head}: I make the same change there.` },
      call(s, { ...last.call.args, base: head }),
    ],
  };
}

function publishArgs(s: Situation): Record<string, unknown> {
  const artifact = s.document?.artifact;
  return { action: "publish", ...(artifact === undefined ? {} : { artifact }), base: s.document?.revision ?? 1 };
}

function fix(s: Situation, content: string, report: string, base: number, spoken: boolean): Decision {
  const edits: Edit[] = [];
  const words: string[] = [];
  const absent: string[] = [];
  for (const defect of namedIn(report)) {
    const found = defect.repair(content);
    if (found === undefined) absent.push(defect.words);
    else {
      edits.push(...found);
      words.push(defect.words);
    }
  }
  if (edits.length > 0) {
    const artifact = s.document?.artifact;
    const args = { action: "edit", ...(artifact === undefined ? {} : { artifact }), base, edits };
    return {
      thought: `The report names: ${words.join("; ")}.`,
      actions: [
        { type: "text", text: `The report is right: ${words.join(" and ")}. I change exactly that.` },
        call(s, args),
      ],
    };
  }
  const claim =
    absent.length > 0
      ? `the report says that ${absent.join(" and that ")}, but the document shows that this is not so`
      : "I find nothing in the document that the report speaks of";
  if (spoken) return finish(s, `I looked again: ${claim}. Nothing was changed.`);
  const asked = of(s, s.tools.artifact).some((e) => e.call.args?.["action"] === "publish");
  if (asked) return blocked(s, `${claim}, and the gate refuses it unchanged: ${report.slice(0, 200)}`);
  return {
    thought: "Nothing to repair.",
    actions: [
      { type: "text", text: `I looked: ${claim}. I change nothing and ask the gate once more.` },
      call(s, publishArgs(s)),
    ],
  };
}
