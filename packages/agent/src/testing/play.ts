import type { AnyRecord, ArtifactBrief, Cost, Usage } from "@swarm/protocol";
import type { ToolDeclaration, ToolOutcome, ToolRunner } from "@swarm/protocol/ports";
import { AppError, isAppError, type RunId } from "@swarm/std";
import { ScriptedModel, type ScriptedAnswer } from "@swarm/testkit";
import {
  EMPTY_STATE,
  profileOf,
  recordOf,
  runAgent,
  stateFromRecords,
  withPersonMessage,
  type AgentEvent,
  type AgentInput,
  type AgentState,
  type RecordDraft,
} from "../index.ts";

/** `shell` may not be repeated after a crash, the others may. */
export const DECLARATIONS: readonly ToolDeclaration[] = ["handoff", "manage_artifact", "shell"].map((name) => ({
  name,
  description: name,
  parameters: {},
  effect: "write",
  idempotent: name !== "shell",
  timeoutMs: 1000,
}));
export const HANDOFF = {
  state: "delivered",
  title: "t",
  overview: "o",
  result: "r",
  artifacts: [],
  evidence: [],
  recommendation: { decision: "d", reason: "r" },
  codeBlocks: [],
  followUps: [],
  formattedBy: "agent",
} as const;
export const PUBLISH: ScriptedAnswer = { calls: [{ name: "manage_artifact", args: { action: "create" } }] };
export const DONE: ScriptedAnswer = { calls: [{ name: "handoff", args: {} }] };
export const USAGE: Usage = { input: 1, cached: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false };
export const NO_COST: Cost = {
  inputNano: 0,
  cachedNano: 0,
  outputNano: 0,
  totalNano: 0,
  catalogue: "none",
  pricedAs: "none",
  simulated: true,
};

export function ok(output: string, extra: Partial<ToolOutcome> = {}): ToolOutcome {
  return { ok: true, summary: "done", output, repaired: [], truncated: false, ...extra };
}
export function bad(code: string): ToolOutcome {
  return {
    ok: false,
    summary: code,
    output: code,
    error: { code, class: "check_failed", message: code },
    repaired: [],
    truncated: false,
  };
}
export function taskState(text = "task"): AgentState {
  return withPersonMessage(EMPTY_STATE, text);
}

export interface Setup {
  /** By the number of answers so far in the conversation, so that a resumed run goes on where it was. */
  readonly answers: readonly ScriptedAnswer[] | ((said: number, asked: number) => ScriptedAnswer);
  readonly tool?: (name: string, args: string, signal: AbortSignal) => ToolOutcome | Promise<ToolOutcome>;
  readonly profile?: "builder" | "assistant";
  readonly budget?: AgentInput["budget"];
  readonly interactive?: boolean;
  readonly askBudget?: AgentInput["askBudget"];
  readonly elapsedMs?: () => number;
  readonly state?: AgentState;
  /** Sees each event before it is durable; may throw. */
  readonly sink?: (event: AgentEvent, before: number) => void | Promise<void>;
  readonly inbox?: string[];
  readonly facts?: AgentInput["facts"];
  readonly signal?: AbortSignal;
  readonly live?: AgentInput["live"];
  /** State of the artifact at the start. */
  readonly artifact?: ArtifactBrief;
  readonly tools?: Partial<ToolRunner>;
}

export interface Played {
  readonly events: AgentEvent[];
  readonly drafts: RecordDraft[];
  readonly model: ScriptedModel;
  /** Names of the tools that ran, in order. */
  readonly calls: string[];
  readonly ended: Extract<AgentEvent, { type: "ended" }> | undefined;
  /** What the daemon told the model. */
  readonly said: string[];
  readonly artifact: ArtifactBrief | undefined;
}

export async function play(setup: Setup): Promise<Played> {
  const events: AgentEvent[] = [];
  const calls: string[] = [];
  let artifact = setup.artifact;
  const { answers } = setup;
  const model = new ScriptedModel((request, asked) => {
    const said = request.messages.filter((m) => m.role === "assistant").length;
    return typeof answers === "function" ? answers(said, asked) : (answers[said] ?? { text: "" });
  });
  const tools: ToolRunner = {
    list: () => DECLARATIONS,
    async run(name, args, { signal }) {
      calls.push(name);
      const outcome = setup.tool
        ? await setup.tool(name, args, signal)
        : name === "handoff"
          ? ok("{}", { handoff: HANDOFF })
          : ok("{}");
      if (name === "manage_artifact" && outcome.ok)
        artifact = {
          id: "art_1",
          title: "Card",
          revision: 1,
          bytes: 10,
          state: "published",
          verdict: "verified",
          passed: 3,
          checks: 3,
        };
      return outcome;
    },
    ...setup.tools,
  };
  const inbox = setup.inbox ?? [];
  await runAgent({
    profile: profileOf(setup.profile ?? "builder"),
    model,
    tools,
    session: "ses_1",
    run: "run_1",
    epoch: 1,
    state: setup.state ?? taskState(),
    budget: setup.budget ?? {},
    elapsedMs: setup.elapsedMs ?? (() => 0),
    interactive: setup.interactive ?? false,
    clock: { now: () => 0, monotonic: () => 0 },
    signal: setup.signal ?? new AbortController().signal,
    async sink(event) {
      await setup.sink?.(event, events.length);
      events.push(event);
    },
    live: setup.live ?? (() => {}),
    inbox: () => inbox.splice(0),
    facts: setup.facts ?? (() => (artifact ? { title: "Card", artifact } : { title: "Card" })),
    askBudget: setup.askBudget ?? (async () => "declined"),
  }).catch((error: unknown) => {
    // the end itself could not be recorded: the lease was lost at that very moment
    if (!isAppError(error) || error.code !== "fenced") throw error;
  });
  const drafts = events.map((event) => recordOf(event, "run_1" as RunId));
  const said = events.flatMap((e) => (e.type === "message" ? [e.text] : []));
  return { events, drafts, model, calls, ended: events.find((e) => e.type === "ended"), said, artifact };
}

/** Lets `count` events be durable, then loses the lease: nothing after it is kept. */
export function crashAfter(count: number): NonNullable<Setup["sink"]> {
  let kept = 0;
  return () => {
    if (kept++ >= count) throw new AppError("fenced", "crashed");
  };
}

export const TASK: RecordDraft = { kind: "message.added", payload: { text: "task", by: "person" } };
export const QUEUED: RecordDraft = {
  kind: "run.queued",
  payload: { run: "run_1" as RunId, budget: {}, interactive: false },
};

export function records(drafts: readonly RecordDraft[]): AnyRecord[] {
  return drafts.map((draft, i) => ({ seq: i + 1, session: "ses_1", rev: i + 1, at: 0, actor: "agent", ...draft }));
}

export function rebuilt(drafts: readonly RecordDraft[]): Promise<AgentState> {
  return stateFromRecords(records([TASK, QUEUED, ...drafts]), () => assert(false));
}

function assert(_never: false): never {
  throw new Error("nothing is stored as a blob here");
}
