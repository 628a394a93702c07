import type { ArtifactBrief, FinishReason, Message, ToolCall } from "@swarm/protocol";
import { isObject } from "@swarm/std";

/** Stands for the document in the newest answer, so that what was said once need not be sent again. */
export const ANSWER_REFERENCE = "@answer";
const REFERENCE_ARGS_MAX = 4096;

/** The HTML document that an answer holds: a closed code block, or the bare markup. Undefined when it is cut or none. */
export function documentIn(text: string): string | undefined {
  const blocks = [...text.matchAll(/^[ \t]*```[ \t]*([\w-]*)[^\n]*\n([\s\S]*?)^[ \t]*```[ \t]*$/gm)];
  const document = blocks
    .map((m) => m[2]!)
    .findLast((code) => /<!doctype html|<html[\s>]/i.test(code) && /<\/html>\s*$/i.test(code));
  if (document !== undefined) return document.trim();
  return /<!doctype html[\s\S]*<\/html>/i.exec(text)?.[0];
}

/** The call with `@answer` replaced by the document it stands for; the same call when it does not name it. */
export function withAnswer(call: ToolCall, messages: readonly Message[]): ToolCall {
  if (call.args.length > REFERENCE_ARGS_MAX || !call.args.includes(ANSWER_REFERENCE)) return call;
  const args = parsed(call.args);
  if (!isObject(args) || args["content"] !== ANSWER_REFERENCE) return call;
  for (const message of messages.toReversed()) {
    const document = message.role === "assistant" ? documentIn(message.text) : undefined;
    if (document !== undefined) return { ...call, args: JSON.stringify({ ...args, content: document }) };
  }
  return call;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What to tell a model that answered without acting. Names the call that would be right. */
export function correctionOf(
  text: string,
  finish: FinishReason,
  wantsArtifact: boolean,
  artifact: ArtifactBrief | undefined,
): string {
  if (isMalformed(text, finish))
    return "your last call could not be read: its arguments were not valid JSON. Make the same call again with valid arguments.";
  if (finish === "length")
    return `your answer was cut at the output limit and what was not complete is lost. ${wantsArtifact ? "Make the whole call again with a shorter document." : "Answer again, shorter."}`;
  if (!wantsArtifact) return "your answer was empty. Answer the task, or call handoff.";
  if (artifact !== undefined) {
    return `text is not a delivery. Artifact ${artifact.id} is at revision ${artifact.revision} and not published: repair it with manage_artifact, action "edit", base ${artifact.revision}, or call handoff with outcome "blocked" and say why.`;
  }
  if (documentIn(text) !== undefined) {
    return `text is not a delivery: the document in your answer is not published. To publish it as it stands call manage_artifact with {"action":"create","title":"…","content":"${ANSWER_REFERENCE}"}, where "${ANSWER_REFERENCE}" stands for that document. To change it first, put the whole new document into "content".`;
  }
  return 'text is not a delivery. Call manage_artifact with action "create" and the whole HTML document in "content".';
}

/** A wire that reads calls itself reports one that it could not read without showing it. */
export function isMalformed(text: string, finish: FinishReason): boolean {
  return finish === "other" && text.trim() === "";
}
