import type {
  ArtifactOps,
  PermissionGate,
  PlanStore,
  QuestionDesk,
  ToolContext,
  ToolDeclaration,
  ToolError,
  ToolOutcome,
  ToolRunner,
} from "@swarm/protocol/ports";
import { AppError, errorMessage, isAppError, isObject } from "@swarm/std";
import { parseArguments } from "./arguments.ts";
import { capText, OUTPUT_MAX_BYTES, shortError } from "./cap.ts";
import { askUser } from "./catalogue/ask-user.ts";
import { handoff } from "./catalogue/handoff.ts";
import { manageArtifact } from "./catalogue/manage-artifact.ts";
import { planManage } from "./catalogue/plan-manage.ts";
import { runLimited } from "./limit.ts";
import { findTool, nearestNames } from "./names.ts";
import { failure, type Tool, type ToolResult } from "./tool.ts";
import { fieldSchema, validate, type Invalid } from "./validate.ts";

export interface ToolRunnerOptions {
  readonly artifacts: ArtifactOps;
  readonly plans: PlanStore;
  readonly questions: QuestionDesk;
  readonly permission: PermissionGate;
  /** Tool names of each profile. */
  readonly profiles: Readonly<Record<string, readonly string[]>>;
}

/** Not an outcome: the run itself was stopped or lost its lease, or the store is away and the run must wait. */
const PASSES_THROUGH = new Set(["cancelled", "drained", "lease_lost", "fenced"]);
/** Trouble of the machine, not of Swarm. */
const MACHINE_CODES = new Set(["disk_full", "storage_unavailable"]);
/** Of the failing field's schema, the part that an error shows. */
const SCHEMA_CHARS = 300;

export function createToolRunner(options: ToolRunnerOptions): ToolRunner {
  const all = [askUser(options.questions), handoff(), manageArtifact(options.artifacts), planManage(options.plans)];
  const tools = new Map<string, Tool>(all.map((t) => [t.declaration.name, t]));
  const lists = new Map<string, readonly ToolDeclaration[]>(
    Object.entries(options.profiles).map(([profile, names]) => [profile, listOf(tools, names)]),
  );
  return {
    list(profile) {
      const list = lists.get(profile);
      if (list === undefined)
        throw new AppError("bad_request", `There is no profile '${profile}': use ${[...lists.keys()].join(" or ")}`);
      return list;
    },
    async run(name, rawArgs, context) {
      const found = findTool(tools, name);
      if (found === undefined) return outcomeOf(unknownTool(tools, name), []);
      const { tool } = found;
      const repaired = [...found.repaired];
      const parsed = parseArguments(rawArgs);
      if (!parsed.ok) return outcomeOf(failure(argumentError(tool, undefined, parsed.code, parsed.problem)), repaired);
      const valid = validate(tool.declaration.parameters, parsed.value);
      if (!valid.ok) return outcomeOf(failure(schemaError(tool, parsed.value, valid)), repaired);
      const needed = missingField(tool, valid.value);
      if (needed !== undefined) return outcomeOf(failure(schemaError(tool, valid.value, needed)), repaired);
      repaired.push(...parsed.repaired, ...valid.repaired);
      return outcomeOf(await permitAndRun(tool, options.permission, valid.value, context), repaired);
    },
  };
}

function listOf(tools: ReadonlyMap<string, Tool>, names: readonly string[]): readonly ToolDeclaration[] {
  return names.toSorted().map((name) => {
    const tool = tools.get(name);
    if (tool === undefined) throw new AppError("bad_request", `A profile names a tool that does not exist: ${name}`);
    return tool.declaration;
  });
}

async function permitAndRun(
  tool: Tool,
  permission: PermissionGate,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const { name, effect } = tool.declaration;
  try {
    const decision = await permission.decide({ session: context.session, tool: name, effect, args });
    if (!decision.allow)
      return failure({
        code: "denied",
        class: "permission",
        message: `denied by ${decision.rule}: ${decision.reason}`,
      });
    return await runLimited(tool, args, context);
  } catch (error) {
    if (context.signal.aborted || (isAppError(error) && PASSES_THROUGH.has(error.code))) throw error;
    return failure(ownFault(name, error));
  }
}

/** A tool that throws did something that no model can answer for. */
function ownFault(name: string, error: unknown): ToolError {
  if (isAppError(error) && MACHINE_CODES.has(error.code)) {
    return {
      code: error.code,
      class: "limit",
      message: `${name} could not write: ${error.message}`,
      next: "the same call again, later",
    };
  }
  return {
    code: isAppError(error) ? error.code : "internal",
    class: "internal",
    message: `${name} failed inside Swarm: ${errorMessage(error)}`,
  };
}

function unknownTool(tools: ReadonlyMap<string, Tool>, name: string): ToolResult {
  const shown = JSON.stringify(name.slice(0, 80).toWellFormed());
  const nearest = nearestNames([...tools.keys()], name);
  return failure({
    code: "unknown_tool",
    class: "unknown_tool",
    message: `there is no tool ${shown}; the nearest are ${nearest.join(", ")}`,
    next: `one of ${nearest.join(", ")}`,
  });
}

function missingField(tool: Tool, args: Readonly<Record<string, unknown>>): Invalid | undefined {
  const action = args["action"];
  if (typeof action !== "string" || tool.needs === undefined) return undefined;
  const path = tool.needs[action]?.find(
    (name) => args[name] === undefined || (Array.isArray(args[name]) && (args[name] as unknown[]).length === 0),
  );
  if (path === undefined) return undefined;
  return {
    ok: false,
    path,
    problem: args[path] === undefined ? `is missing: ${action} needs it` : "must not be empty",
    schema: fieldSchema(tool.declaration.parameters, path),
  };
}

function schemaError(tool: Tool, args: unknown, invalid: Invalid): ToolError {
  const action = isObject(args) && typeof args["action"] === "string" ? args["action"] : undefined;
  const schema =
    invalid.schema === undefined ? "" : `. Its schema: ${JSON.stringify(invalid.schema).slice(0, SCHEMA_CHARS)}`;
  return argumentError(
    tool,
    action,
    "invalid_arguments",
    `${invalid.path || "arguments"}: ${invalid.problem}${schema}`,
  );
}

function argumentError(tool: Tool, action: string | undefined, code: string, message: string): ToolError {
  return {
    code,
    class: code === "limit" ? "limit" : "schema",
    message,
    next: `${tool.declaration.name} ${JSON.stringify(tool.example(action))}`,
  };
}

function outcomeOf(result: ToolResult, before: readonly string[]): ToolOutcome {
  const repaired = [...before, ...(result.repaired ?? [])];
  const body = result.ok ? result.body : shortError(result.body);
  const said = repaired.length === 0 ? body : { ...body, repaired: repaired.slice(0, REPAIRS_SHOWN) };
  const { text, truncated } = capText(JSON.stringify(said), OUTPUT_MAX_BYTES);
  const { ok, summary, error } = result;
  return {
    ok,
    summary: summary.toWellFormed(),
    output: text,
    repaired,
    truncated: truncated || result.truncated === true,
    ...(error === undefined ? {} : { error }),
    ...(result.handoff === undefined ? {} : { handoff: result.handoff }),
  };
}

const REPAIRS_SHOWN = 8;
