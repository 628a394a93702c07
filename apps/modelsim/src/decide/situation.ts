/** The conversation as the decision sees it: which tools play which part, what was done, what came last. */
import type { ParsedRequest, ToolDeclared } from "../request.ts";
import { readBrief, type Brief } from "./brief.ts";
import { documentOf, episodesOf, type DocumentState, type Episode } from "./history.ts";

export interface Tools {
  readonly artifact: ToolDeclared | undefined;
  readonly plan: ToolDeclared | undefined;
  readonly handoff: ToolDeclared | undefined;
  readonly ask: ToolDeclared | undefined;
}

export interface Situation {
  readonly request: ParsedRequest;
  readonly tools: Tools;
  readonly brief: Brief;
  readonly episodes: readonly Episode[];
  readonly document: DocumentState | undefined;
  /** Texts of people (and of the daemon) after the brief, with their turn index. */
  readonly said: readonly { readonly text: string; readonly turn: number }[];
  /** Something already went wrong or was said: first-try faults are over. */
  readonly firstTry: boolean;
}

export function toolsOf(tools: readonly ToolDeclared[]): Tools {
  const named = (pattern: RegExp): ToolDeclared | undefined => tools.find((tool) => pattern.test(tool.name));
  return {
    artifact: named(/artifact/i),
    plan: named(/^plan|plan_|_plan$/i),
    handoff: named(/hand_?off/i),
    ask: named(/^ask|ask_user|question/i),
  };
}

export function situationOf(request: ParsedRequest): Situation {
  const tools = toolsOf(request.tools);
  const texts = request.turns.flatMap((turn, index) =>
    turn.role === "user" && turn.text.trim() !== "" ? [{ text: turn.text, turn: index }] : [],
  );
  const episodes = episodesOf(request.turns);
  return {
    request,
    tools,
    brief: readBrief(texts[0]?.text ?? ""),
    episodes,
    document: tools.artifact === undefined ? undefined : documentOf(episodes, tools.artifact.name),
    said: texts.slice(1),
    firstTry: texts.length <= 1 && episodes.every((e) => e.result === undefined || e.result.ok),
  };
}

export function of(situation: Situation, tool: ToolDeclared | undefined): readonly Episode[] {
  return tool === undefined ? [] : situation.episodes.filter((e) => e.call.name === tool.name);
}
