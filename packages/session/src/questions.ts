import type { Journal } from "@swarm/journal";
import type { Budget } from "@swarm/protocol";
import type { QuestionDesk, ToolContext } from "@swarm/protocol/ports";
import { newId, type QuestionId, type RunId } from "@swarm/std";
import { AGENT_ACTOR } from "./actor.ts";
import type { QuestionState } from "./projections.ts";

const RAISE = "Raise by half";
const STOP = "Stop here";

/** Questions to a person. A question is durable before it waits; the same call asks once, also over a restart. */
export class Questions implements QuestionDesk {
  readonly #journal: Journal;
  readonly #waiting = new Map<string, (answer: string) => void>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async ask(context: ToolContext, question: { readonly text: string; readonly options: readonly string[] }): Promise<string> {
    const { session, epoch, callId, signal } = context;
    const run = context.run as RunId;
    const known = (await this.#journal.project<QuestionState>("questions", session))?.byCall[callId];
    if (known?.answer !== undefined) return known.answer;
    const id = (known?.question as QuestionId | undefined) ?? newId("qst");
    // the answer may come the instant the question is durable: listen first
    const answer = new Promise<string>((resolve, reject) => {
      this.#waiting.set(id, resolve);
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
    answer.catch(() => {});
    try {
      const base = { session, actor: AGENT_ACTOR, epoch } as const;
      await this.#journal.apply([
        { ...base, key: `${run}/${callId}/asked/${epoch}`, kind: "question.asked", payload: { run, question: id, text: question.text, options: question.options, call: callId } },
        { ...base, key: `${run}/${callId}/waiting/${epoch}`, kind: "run.waiting", payload: { run, on: "user", detail: question.text.slice(0, 200).toWellFormed() } },
      ]);
      const text = await answer;
      await this.#journal.apply({ ...base, key: `${run}/${callId}/resumed/${epoch}`, kind: "run.resumed", payload: { run } });
      return text;
    } finally {
      this.#waiting.delete(id);
    }
  }

  async answer(session: string, question: string, answer: string, actor: string, key: string): Promise<void> {
    await this.#journal.apply({ session, actor, key: `${key}/answer`, kind: "question.answered", payload: { question: question as QuestionId, answer, by: actor } });
    this.#waiting.get(question)?.(answer);
  }

  async askBudget(o: { session: string; run: RunId; epoch: number; detail: string; budget: Budget; signal: AbortSignal }): Promise<Budget | "declined"> {
    const context: ToolContext = { session: o.session, run: o.run, step: 0, epoch: o.epoch, callId: `budget:${o.run}:${o.detail}`, model: "", signal: o.signal };
    const answer = await this.ask(context, { text: `The budget is used up: ${o.detail}. Go on?`, options: [RAISE, STOP] });
    if (!answer.toLowerCase().startsWith("raise")) return "declined";
    return Object.fromEntries(Object.entries(o.budget).map(([name, limit]) => [name, (limit as number) * 1.5])) as Budget;
  }
}
