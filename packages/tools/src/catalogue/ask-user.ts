import type { QuestionDesk } from "@swarm/protocol/ports";
import type { Tool } from "../tool.ts";

/** A person may take a day: then the model hears that nobody answered and decides by itself. */
const DAY_MS = 24 * 60 * 60 * 1000;

export function askUser(questions: QuestionDesk): Tool {
  return {
    declaration: {
      name: "ask_user",
      description:
        "Ask the person one question and wait for the answer. Only when the task cannot be decided without them.",
      parameters: {
        type: "object",
        additionalProperties: false,
        required: ["question"],
        properties: {
          question: {
            type: "string",
            minLength: 1,
            maxLength: 1000,
            description: "One question, with what depends on it.",
          },
          options: {
            type: "array",
            maxItems: 9,
            items: { type: "string", maxLength: 200 },
            description: "Answers to choose from; a free answer stays possible.",
          },
        },
      },
      effect: "ask",
      idempotent: true,
      timeoutMs: DAY_MS,
    },
    example: () => ({ question: "Shall the unit be ms or µs?", options: ["ms", "µs"] }),
    async execute(args, context) {
      const answer = await questions.ask(context, {
        text: args["question"] as string,
        options: (args["options"] ?? []) as string[],
      });
      return { ok: true, summary: "answered", body: { ok: true, answer } };
    },
  };
}
