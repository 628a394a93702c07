import { HANDOFF_LIMITS, type CodeBlock, type Handoff } from "@swarm/protocol";
import { failure, type Tool } from "../tool.ts";

export function handoff(): Tool {
  return {
    declaration: {
      name: "handoff",
      description:
        "End the task with a report. Call it once, last. delivered: the work is done and, where an artifact was asked for, published. blocked: it cannot be done; say why.",
      parameters: {
        type: "object",
        additionalProperties: false,
        required: ["outcome", "title", "overview", "result", "recommendation"],
        properties: {
          outcome: { type: "string", enum: ["delivered", "blocked"], description: "How it ended." },
          title: { type: "string", minLength: 1, description: `At most ${HANDOFF_LIMITS.title} characters.` },
          overview: {
            type: "string",
            minLength: 1,
            description: `What was done, at most ${HANDOFF_LIMITS.overview} characters.`,
          },
          result: { type: "string", description: "What there is now, in one or two sentences." },
          artifacts: { type: "array", maxItems: 16, items: { type: "string" }, description: "Ids of artifacts." },
          evidence: { type: "array", maxItems: 16, items: { type: "string" }, description: "How it was checked." },
          recommendation: {
            type: "object",
            additionalProperties: false,
            required: ["decision", "reason"],
            properties: {
              decision: { type: "string", description: "What the person should do." },
              reason: { type: "string", description: "Why." },
            },
            description: "Advice to the person.",
          },
          code_blocks: {
            type: "array",
            items: {
              type: "object",
              additionalProperties: false,
              required: ["language", "code"],
              properties: {
                language: { type: "string", description: "For highlighting." },
                code: { type: "string", description: `At most ${HANDOFF_LIMITS.codeBlockBytes} bytes.` },
              },
            },
            description: `At most ${HANDOFF_LIMITS.codeBlocks}.`,
          },
          follow_ups: { type: "array", items: { type: "string" }, description: `At most ${HANDOFF_LIMITS.followUps}.` },
        },
      },
      effect: "write",
      idempotent: true,
      timeoutMs: 10_000,
    },
    example: () => ({
      outcome: "delivered",
      title: "Queue depth card",
      overview: "Built and published the card.",
      result: "Artifact revision 1 is published.",
      recommendation: { decision: "accept", reason: "All checks passed." },
    }),
    async execute(args) {
      const report: Handoff = {
        state: args["outcome"] as "delivered" | "blocked",
        title: args["title"] as string,
        overview: args["overview"] as string,
        result: args["result"] as string,
        artifacts: (args["artifacts"] ?? []) as string[],
        evidence: (args["evidence"] ?? []) as string[],
        recommendation: args["recommendation"] as Handoff["recommendation"],
        codeBlocks: (args["code_blocks"] ?? []) as CodeBlock[],
        followUps: (args["follow_ups"] ?? []) as string[],
        formattedBy: "agent",
      };
      const broken = limitsBroken(report);
      if (broken.length > 0)
        return failure({
          code: "limit",
          class: "limit",
          message: broken.join("; "),
          next: "handoff with the same fields within these limits",
        });
      return {
        ok: true,
        summary: `handed off: ${report.state}`,
        body: { ok: true, outcome: report.state },
        handoff: report,
      };
    },
  };
}

/** Every limit that is broken, each with the size sent and the limit: one more call is enough to meet them all. */
export function limitsBroken(report: Handoff): string[] {
  const sizes: readonly (readonly [string, number, number, string])[] = [
    ["title", report.title.length, HANDOFF_LIMITS.title, "characters"],
    ["overview", report.overview.length, HANDOFF_LIMITS.overview, "characters"],
    ["code_blocks", report.codeBlocks.length, HANDOFF_LIMITS.codeBlocks, "entries"],
    ...report.codeBlocks.map(
      (block, i) =>
        [`code_blocks[${i}].code`, Buffer.byteLength(block.code), HANDOFF_LIMITS.codeBlockBytes, "bytes"] as const,
    ),
    ["follow_ups", report.followUps.length, HANDOFF_LIMITS.followUps, "entries"],
  ];
  return sizes
    .filter(([, size, max]) => size > max)
    .map(([name, size, max, unit]) => `${name} has ${size} ${unit}, the limit is ${max}`);
}
