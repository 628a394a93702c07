import type { Journal } from "@swarm/journal";
import type { Budget } from "@swarm/protocol";
import type { QuestionDesk, ToolContext } from "@swarm/protocol/ports";
import { newId, type QuestionId, type RunId } from "@swarm/std";
import type { QuestionState, SessionState } from "./projections.ts";
import { BUDGET_CALL, isRaise, RAISE } from "./run-state.ts";
import { AGENT_ACTOR } from "./record-of.ts";

const DETAIL_MAX = 200;
const STOP = "Stop here";

/** Questions to a person. A question is durable before it waits; the same call asks once, also over a restart. */
export class Questions implements QuestionDesk {
  readonly #journal: Journal;
  readonly #open = new Map<string, (answer: string) => void>();
  readonly #onChange: () => void;
  readonly #undo: () => void;
  readonly #asking = new Map<string, number>();

  /** `onChange`: a session began or ceased to wait for a person. */
  constructor(journal: Journal, onChange: () => void) {
    this.#journal = journal;
    this.#onChange = onChange;
    this.#undo = journal.onCommit((batch) => {
      for (const { record } of batch) {
        if (record.kind === "question.answered") this.#open.get(record.payload.question)?.(record.payload.answer);
      }
    });
  }

  close(): void {
    this.#undo();
  }

  /** Sessions that wait for a person: they need no place among the running ones. */
  get asking(): number {
    return this.#asking.size;
  }
  isAsking(session: string): boolean {
    return this.#asking.has(session);
  }

  async ask(
    context: ToolContext,
    question: { readonly text: string; readonly options: readonly string[] },
  ): Promise<string> {
    const { session, epoch, callId, signal } = context;
    signal.throwIfAborted();
    const run = context.run as RunId;
    const known = await this.#find(session, callId);
    const id = (known?.question as QuestionId | undefined) ?? newId("qst");
    // the answer may come the instant the question is durable: listen first, then look once more
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const onAbort = (): void => reject(signal.reason as Error);
    promise.catch(() => {});
    this.#open.set(id, resolve);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#count(session, 1);
    try {
      const answered = known === undefined ? undefined : (await this.#find(session, callId))?.answer;
      if (answered !== undefined) return answered;
      const base = { session, actor: AGENT_ACTOR, epoch } as const;
      const detail = question.text.slice(0, DETAIL_MAX).toWellFormed();
      const { text, options } = question;
      const asked = {
        ...base,
        key: `${id}/asked`,
        kind: "question.asked",
        payload: { run, question: id, text, options, call: callId },
      } as const;
      const waiting = {
        ...base,
        key: `${id}/waiting/${epoch}`,
        kind: "run.waiting",
        payload: { run, on: "user", detail },
      } as const;
      await this.#journal.apply(known === undefined ? [asked, waiting] : waiting);
      const answer = await promise;
      await this.#journal.apply({ ...base, key: `${id}/resumed/${epoch}`, kind: "run.resumed", payload: { run } });
      return answer;
    } finally {
      this.#open.delete(id);
      signal.removeEventListener("abort", onAbort);
      this.#count(session, -1);
    }
  }

  /** Asks whether a run may use more. Answers the raised budget, which is the session's state by then. */
  async askBudget(context: ToolContext, detail: string): Promise<Budget | "declined"> {
    const asked = { ...context, callId: `${BUDGET_CALL}${context.run}:${detail}` };
    const answer = await this.ask(asked, { text: `The budget is used up: ${detail}. Go on?`, options: [RAISE, STOP] });
    if (!isRaise(answer)) return "declined";
    const state = await this.#journal.project<SessionState>("session", context.session);
    return state === undefined || state.run.phase === "none" ? "declined" : state.run.budget;
  }

  async #find(session: string, call: string): Promise<QuestionState["byCall"][string] | undefined> {
    return (await this.#journal.project<QuestionState>("questions", session))?.byCall[call];
  }

  #count(session: string, by: 1 | -1): void {
    const now = (this.#asking.get(session) ?? 0) + by;
    if (now > 0) this.#asking.set(session, now);
    else this.#asking.delete(session);
    this.#onChange();
  }
}
