import type { Budget } from "@swarm/protocol";
import { AppError } from "@swarm/std";
import { ASSISTANT_PROMPT } from "./prompts/assistant.ts";
import { BUILDER_PROMPT } from "./prompts/builder.ts";

/** An agent's fixed part: instructions, tool list, what it must deliver, default budget. Byte-stable: no id, no time. */
export interface AgentProfile {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly tools: readonly string[];
  /** `artifact`: the run is delivered only with a published artifact. `answer`: a text is enough. */
  readonly deliverable: "artifact" | "answer";
  readonly budget: Budget;
}

const PROFILES: readonly AgentProfile[] = [
  {
    name: "builder",
    description: "Builds one self-contained HTML artifact, repairs what the gate names, publishes and hands off.",
    prompt: BUILDER_PROMPT,
    tools: ["ask_user", "handoff", "manage_artifact", "plan_manage"],
    deliverable: "artifact",
    budget: { turns: 40 },
  },
  {
    name: "assistant",
    description: "Answers in text; may also publish an artifact.",
    prompt: ASSISTANT_PROMPT,
    tools: ["ask_user", "handoff", "manage_artifact", "plan_manage"],
    deliverable: "answer",
    budget: { turns: 40 },
  },
];

export const DEFAULT_PROFILE = "builder";

/** Throws AppError `bad_request` naming the profiles there are. */
export function profileOf(name: string): AgentProfile {
  const profile = PROFILES.find((p) => p.name === name);
  if (profile === undefined)
    throw new AppError("bad_request", `There is no profile '${name}': use ${PROFILES.map((p) => p.name).join(" or ")}`);
  return profile;
}

export function profileTools(): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(PROFILES.map((p) => [p.name, p.tools]));
}
