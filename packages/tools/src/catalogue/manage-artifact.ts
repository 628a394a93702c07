import { ARTIFACT_LIMITS } from "@swarm/protocol";
import type { ArtifactOps, ArtifactOutcome, ArtifactSnapshot, Edit } from "@swarm/protocol/ports";
import { failure, type Tool, type ToolResult } from "../tool.ts";

const ACTIONS = ["create", "edit", "read", "status", "publish"] as const;
type Action = (typeof ACTIONS)[number];

const EXAMPLES: Readonly<Record<Action, object>> = {
  create: { action: "create", title: "Queue depth", content: '<!doctype html><html lang="en">…</html>' },
  edit: { action: "edit", base: 1, edits: [{ find: "exact old text", replace: "new text" }] },
  read: { action: "read", from_line: 1, to_line: 80 },
  status: { action: "status" },
  publish: { action: "publish", base: 2 },
};

/** Of a document, what one read gives at most: the rest is read with the next lines. */
const READ_MAX_BYTES = 24 * 1024;

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
          title: {
            type: "string",
            minLength: 1,
            maxLength: ARTIFACT_LIMITS.titleChars,
            description: "create: a short name for people.",
          },
          content: {
            type: "string",
            minLength: 1,
            description: `create: the whole HTML document, at most ${ARTIFACT_LIMITS.bodyBytes} bytes.`,
          },
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
              properties: {
                find: { type: "string", minLength: 1, description: "Exact text, with its line breaks." },
                replace: { type: "string", description: "What stands there afterwards; empty deletes." },
              },
            },
          },
          from_line: { type: "integer", minimum: 1, description: "read: first line, 1-based." },
          to_line: { type: "integer", minimum: 1, description: "read: last line." },
          publish: { type: "boolean", description: "create, edit: publish when the checks pass (default true)." },
        },
      },
      effect: "write",
      idempotent: true,
      // a hundred cards handed in at once wait their turn at the gate: minutes on two cores
      timeoutMs: 660_000,
    },
    example: (action) => EXAMPLES[action as Action] ?? EXAMPLES.create,
    needs: { create: ["content"], edit: ["base", "edits"] },
    async execute(args, context) {
      const artifact =
        typeof args["artifact"] === "string" && args["artifact"] !== "" ? { artifact: args["artifact"] } : {};
      const publish = args["publish"] !== false;
      switch (args["action"] as Action) {
        case "create": {
          const content = args["content"] as string;
          const given = args["title"];
          const title = typeof given === "string" ? given : titleOf(content);
          const result = report("create", await ops.create(context, { title, content, publish }));
          return typeof given === "string"
            ? result
            : { ...result, repaired: [`title left out: "${title}" taken from the document`] };
        }
        case "edit":
          return report(
            "edit",
            await ops.edit(context, {
              ...artifact,
              base: args["base"] as number,
              edits: args["edits"] as Edit[],
              publish,
            }),
          );
        case "read":
          return read(await ops.read(context, { ...artifact, ...lines(args) }), numberOr(args["from_line"], 1));
        case "status":
          return report("status", await ops.status(context, artifact));
        case "publish":
          return report(
            "publish",
            await ops.publish(context, {
              ...artifact,
              ...(typeof args["base"] === "number" ? { base: args["base"] } : {}),
            }),
          );
      }
    },
  };
}

function lines(args: Readonly<Record<string, unknown>>): { fromLine?: number; toLine?: number } {
  const { from_line: from, to_line: to } = args;
  return { ...(typeof from === "number" ? { fromLine: from } : {}), ...(typeof to === "number" ? { toLine: to } : {}) };
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** Whole lines up to the cap, with the call that reads on. A single line above the cap is cut. */
function read(result: Awaited<ReturnType<ArtifactOps["read"]>>, from: number): ToolResult {
  if (!result.ok) return failure(result.error);
  const { artifact, revision, bytes } = result.artifact;
  const all = result.text.split("\n");
  const shown: string[] = [];
  let size = 0;
  for (const line of all) {
    size += Buffer.byteLength(JSON.stringify(line)) + 1;
    if (size > READ_MAX_BYTES && shown.length > 0) break;
    shown.push(
      line.length > READ_MAX_BYTES
        ? `${line.slice(0, READ_MAX_BYTES / 2).toWellFormed()}… ${line.length} characters in this line`
        : line,
    );
  }
  const last = from + shown.length - 1;
  const more =
    shown.length < all.length
      ? { next: `manage_artifact ${JSON.stringify({ action: "read", from_line: last + 1 })}` }
      : {};
  return {
    ok: true,
    summary: `read lines ${from} to ${last} of revision ${revision}`,
    body: { ok: true, artifact, revision, bytes, from_line: from, to_line: last, text: shown.join("\n"), ...more },
    truncated: shown.length < all.length,
  };
}

function titleOf(content: string): string {
  const title = /<title>([^<]{1,400})<\/title>/i.exec(content)?.[1]?.replace(/\s+/g, " ").trim() ?? "";
  return title.slice(0, ARTIFACT_LIMITS.titleChars).toWellFormed() || "Untitled";
}

function report(action: Action, outcome: ArtifactOutcome): ToolResult {
  if (!outcome.ok) {
    const place = outcome.artifact ? { artifact: outcome.artifact.artifact, revision: outcome.artifact.revision } : {};
    return failure(outcome.error, place);
  }
  const a = outcome.artifact;
  const checks = a.report
    ? { checks: { verdict: a.report.verdict, passed: a.report.passed, failed: a.report.failed } }
    : {};
  return {
    ok: true,
    summary: said(action, a),
    body: {
      ok: true,
      artifact: a.artifact,
      revision: a.revision,
      state: a.state,
      parts: a.parts,
      ...checks,
      ...(a.replayed ? { replayed: true } : {}),
    },
  };
}

function said(action: Action, a: ArtifactSnapshot): string {
  const checks = a.report
    ? `, ${a.report.passed} checks passed${a.report.verdict === "static_only" ? " (static only)" : ""}`
    : "";
  return `${action}: revision ${a.revision} ${a.state}${checks}`;
}
