/** A minimal agent for tests: sends requests, answers tool calls with a stand-in gate, keeps the history as clients do. */
import { request as httpRequest } from "node:http";

export interface DriverCall {
  readonly id: string;
  readonly name: string;
  /** As sent: text on the chat wire, parsed on Gemini. */
  readonly args: unknown;
}

export interface Step {
  readonly text: string;
  readonly calls: readonly DriverCall[];
  readonly finish: string | undefined;
  readonly usage: Record<string, unknown> | undefined;
  readonly frames: readonly Record<string, unknown>[];
  readonly raw: string;
}

export const TOOLS = [
  {
    name: "handoff",
    description: "Ends the run with a report.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["outcome", "title", "overview", "result", "recommendation"],
      properties: {
        outcome: { type: "string", enum: ["delivered", "blocked"] },
        title: { type: "string" },
        overview: { type: "string" },
        result: { type: "string" },
        artifacts: { type: "array" },
        evidence: { type: "array" },
        recommendation: { type: "object" },
        code_blocks: { type: "array" },
        follow_ups: { type: "array" },
      },
    },
  },
  {
    name: "manage_artifact",
    description: "Creates, edits and publishes documents.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["action"],
      properties: {
        action: { type: "string", enum: ["create", "edit", "read", "status", "publish"] },
        title: { type: "string" },
        content: { type: "string" },
        artifact: { type: "string" },
        base: { type: "integer" },
        edits: { type: "array" },
        publish: { type: "boolean" },
      },
    },
  },
  {
    name: "plan_manage",
    description: "Keeps the plan.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["action"],
      properties: {
        action: { type: "string" },
        base_revision: { type: "integer" },
        goal: { type: "string" },
        decisions: { type: "array" },
        constraints: { type: "array" },
        success_criteria: { type: "array" },
        checkpoints: { type: "array" },
        complete: { type: "array" },
      },
    },
  },
] as const;

export const SYSTEM = `You build cards and deliver them with the tools you have. ${"Keep every picture a function of the instant alone. ".repeat(120)}`;

export function briefOf(node: {
  id: string;
  name: string;
  domain: string;
  part: string;
  reading: string;
  unit: string;
}): string {
  return `Build the dashboard card for node ${node.id}: ${node.name}.\nDomain: ${node.domain}\nPart: ${node.part}\nReading: ${node.reading}\nUnit: ${node.unit}\n\nCreate an animated telemetry widget for ${node.name} (${node.domain}), exporting __SWARM_ANIMATION_V1__.`;
}

/** POST, whole answer as text. Rejects when the connection breaks. */
export function post(
  port: number,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Record<string, string | string[] | undefined>; text: string }> {
  return new Promise((resolve, reject) => {
    const out = httpRequest(
      { port, path, method: "POST", agent: false, headers: { "content-type": "application/json", ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        response.on("error", reject);
        response.on("close", () => reject(new Error(`cut after ${text.length} characters`)));
      },
    );
    out.on("error", reject);
    out.end(typeof body === "string" ? body : JSON.stringify(body));
  });
}

export function framesOf(text: string): Record<string, unknown>[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
}

interface GeminiFrame {
  candidates: {
    content: {
      parts: { text?: string; thought?: boolean; functionCall?: { id: string; name: string; args: unknown } }[];
    };
    finishReason?: string;
  }[];
  usageMetadata: Record<string, unknown>;
}

export async function geminiStep(
  port: number,
  model: string,
  contents: readonly unknown[],
  tools: readonly unknown[] = TOOLS,
): Promise<Step & { readonly content: unknown }> {
  const body = {
    systemInstruction: { parts: [{ text: SYSTEM }] },
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools }] } : {}),
    contents,
  };
  const answer = await post(port, `/v1beta/models/${model}:streamGenerateContent?alt=sse`, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  const frames = framesOf(answer.text);
  const parts = (frames as unknown as GeminiFrame[]).flatMap((f) => f.candidates[0]!.content.parts);
  const last = frames.at(-1) as unknown as GeminiFrame;
  const text = parts.map((p) => p.text ?? "").join("");
  const calls = parts.flatMap((p) => (p.functionCall ? [p.functionCall] : []));
  return {
    text,
    calls,
    finish: last.candidates[0]!.finishReason,
    usage: last.usageMetadata,
    frames,
    raw: answer.text,
    content: { role: "model", parts: [...(text === "" ? [] : [{ text }]), ...parts.filter((p) => p.functionCall)] },
  };
}

/** The gate and the tools, as simple as they can be. `complain` adds a report to a create or edit that it dislikes. */
export class StandIn {
  content = "";
  revision = 0;
  readonly #complain: (content: string) => string | undefined;
  constructor(complain: (content: string) => string | undefined = () => undefined) {
    this.#complain = complain;
  }

  run(name: string, args: unknown): Record<string, unknown> {
    let value = args;
    if (typeof args === "string") {
      try {
        value = JSON.parse(args);
      } catch {
        return { ok: false, error: { code: "invalid_arguments", message: "the arguments are not JSON" } };
      }
    }
    const a = value as {
      action?: string;
      content?: string;
      edits?: { find: string; replace: string }[];
      base?: number;
    };
    if (name === "plan_manage") return { ok: true, revision: 1 };
    if (name === "handoff") return { ok: true };
    if (a.action === "create") this.content = a.content ?? "";
    if (a.action === "edit") {
      if (a.base !== this.revision)
        return {
          ok: false,
          error: { code: "stale_base", message: `the head is revision ${this.revision}` },
          artifact: "art_1",
          revision: this.revision,
        };
      for (const edit of a.edits ?? []) {
        if (this.content.split(edit.find).length !== 2)
          return { ok: false, error: { code: "no_match", message: `not found once: ${edit.find.slice(0, 40)}` } };
        this.content = this.content.split(edit.find).join(edit.replace);
      }
    }
    if (a.action === "create" || a.action === "edit") this.revision++;
    const report = this.#complain(this.content);
    if (report !== undefined)
      return {
        ok: false,
        error: { code: "check_failed", message: report },
        artifact: "art_1",
        revision: this.revision,
      };
    return {
      ok: true,
      artifact: "art_1",
      revision: this.revision,
      state: "published",
      checks: { verdict: "verified", passed: 34, failed: 0 },
    };
  }
}

/** Runs one card to its end on the Gemini wire; `portOf` may change from request to request. */
export async function runCard(
  portOf: (step: number) => Promise<number> | number,
  model: string,
  brief: string,
  tools: StandIn,
): Promise<{ steps: Step[]; contents: unknown[] }> {
  const contents: unknown[] = [{ role: "user", parts: [{ text: brief }] }];
  const steps: Step[] = [];
  for (let n = 0; n < 12; n++) {
    const step = await geminiStep(await portOf(n), model, contents);
    steps.push(step);
    contents.push(step.content);
    if (step.finish === "MALFORMED_FUNCTION_CALL") {
      contents.pop();
      contents.push({ role: "user", parts: [{ text: "The call was malformed: send it again as valid JSON." }] });
      continue;
    }
    if (step.calls.length === 0) break;
    contents.push({
      role: "user",
      parts: step.calls.map((c) => ({
        functionResponse: { id: c.id, name: c.name, response: { output: JSON.stringify(tools.run(c.name, c.args)) } },
      })),
    });
    if (step.calls.some((c) => c.name === "handoff")) break;
  }
  return { steps, contents };
}
