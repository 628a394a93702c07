import { ARTIFACT_LIMITS } from "@swarm/protocol";
import type { ArtifactOps, ArtifactOutcome, ArtifactSnapshot, Edit } from "@swarm/protocol/ports";
import { failure, type Tool, type ToolResult } from "../tool.ts";

const ACTIONS = ["create", "edit", "read", "status", "publish"] as const;

export function manageArtifact(ops: ArtifactOps): Tool {
  return {
    declaration: {
      name: "manage_artifact",
      description:
        "Create, repair, read and publish this session's artifact: one self-contained HTML document. create takes the whole document, checks it, and when it passes signs and publishes it in the same call. edit replaces exact texts of revision base, all or nothing, checks and publishes again. Never delete and create: repair by edit.",
      parameters: {
        type: "object",
        additionalProperties: false,
        required: ["action"],
        properties: {
          action: { type: "string", enum: ACTIONS, description: "What to do." },
          title: { type: "string", minLength: 1, maxLength: ARTIFACT_LIMITS.titleChars, description: "create: a short name for people." },
          content: { type: "string", minLength: 1, description: `create: the whole HTML document, at most ${ARTIFACT_LIMITS.bodyBytes} bytes.` },
          artifact: { type: "string", description: "Its id; may be left out while the session has one artifact." },
          base: { type: "integer", minimum: 1, description: "edit, publish: the revision you saw last." },
          edits: {
            type: "array",
            maxItems: 64,
            description: "edit: replacements, each of a text that occurs exactly once in revision base.",
            items: {
              type: "object",
              additionalProperties: false,
              required: ["find", "replace"],
              properties: { find: { type: "string", minLength: 1, description: "Exact text, with its line breaks." }, replace: { type: "string", description: "What stands there afterwards; empty deletes." } },
            },
          },
          from_line: { type: "integer", minimum: 1, description: "read: first line, 1-based." },
          to_line: { type: "integer", minimum: 1, description: "read: last line." },
          publish: { type: "boolean", description: "create, edit: publish when the checks pass (default true)." },
        },
      },
      effect: "write",
      idempotent: true,
      timeoutMs: 180_000,
    },
    example: { action: "edit", base: 1, edits: [{ find: "<old text>", replace: "<new text>" }] },
    async execute(args, context) {
      const artifact = typeof args["artifact"] === "string" && args["artifact"] !== "" ? { artifact: args["artifact"] } : {};
      const publish = args["publish"] !== false;
      switch (args["action"] as (typeof ACTIONS)[number]) {
        case "create": {
          const { title, content } = args;
          if (typeof content !== "string") return missing("content", "create needs content: the whole HTML document");
          return report("create", await ops.create(context, { title: typeof title === "string" ? title : titleOf(content), content, publish }));
        }
        case "edit": {
          const { base, edits } = args;
          if (typeof base !== "number") return missing("base", "edit needs base: the revision you saw last");
          if (!Array.isArray(edits) || edits.length === 0) return missing("edits", "edit needs edits: at least one {find, replace}");
          return report("edit", await ops.edit(context, { ...artifact, base, edits: edits as Edit[], publish }));
        }
        case "read": {
          const result = await ops.read(context, { ...artifact, ...(typeof args["from_line"] === "number" ? { fromLine: args["from_line"] } : {}), ...(typeof args["to_line"] === "number" ? { toLine: args["to_line"] } : {}) });
          if (!result.ok) return failure(result.error);
          return { ok: true, summary: `read revision ${result.artifact.revision}`, body: { ok: true, artifact: result.artifact.artifact, revision: result.artifact.revision, text: result.text } };
        }
        case "status":
          return report("status", await ops.status(context, artifact));
        case "publish":
          return report("publish", await ops.publish(context, { ...artifact, ...(typeof args["base"] === "number" ? { base: args["base"] } : {}) }));
      }
    },
  };
}

function titleOf(content: string): string {
  return (/<title>([^<]{1,120})<\/title>/i.exec(content)?.[1] ?? "Untitled").trim() || "Untitled";
}

function missing(field: string, message: string): ToolResult {
  return failure({ code: "invalid_arguments", class: "schema", message: `${field}: ${message}` });
}

function report(action: string, outcome: ArtifactOutcome): ToolResult {
  if (!outcome.ok) {
    const place = outcome.artifact ? { artifact: outcome.artifact.artifact, revision: outcome.artifact.revision } : {};
    return failure(outcome.error, place);
  }
  const a = outcome.artifact;
  return { ok: true, summary: said(action, a), body: { ok: true, artifact: a.artifact, revision: a.revision, state: a.state, parts: a.parts, ...(a.report ? { checks: { verdict: a.report.verdict, passed: a.report.passed, failed: a.report.failed } } : {}), ...(a.replayed ? { replayed: true } : {}) } };
}

function said(action: string, a: ArtifactSnapshot): string {
  const checks = a.report ? `, ${a.report.passed} checks passed${a.report.verdict === "static_only" ? " (static only)" : ""}` : "";
  return `${action}: revision ${a.revision} ${a.state}${checks}`;
}
