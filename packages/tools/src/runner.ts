import type { ArtifactOps, PermissionGate, PlanStore, QuestionDesk, ToolContext, ToolDeclaration, ToolError, ToolOutcome, ToolRunner } from "@swarm/protocol/ports";
import { AppError } from "@swarm/std";
import { parseArguments } from "./arguments.ts";
import { askUser } from "./catalogue/ask-user.ts";
import { handoff } from "./catalogue/handoff.ts";
import { manageArtifact } from "./catalogue/manage-artifact.ts";
import { planManage } from "./catalogue/plan-manage.ts";
import { failure, type Tool, type ToolResult } from "./tool.ts";
import { validate, type Validation } from "./validate.ts";

/** Text to the model is cut to head and tail above this. */
const OUTPUT_MAX_CHARS = 32 * 1024;
const ERROR_MAX_CHARS = 1000;

export interface ToolRunnerOptions {
  readonly artifacts: ArtifactOps;
  readonly plans: PlanStore;
  readonly questions: QuestionDesk;
  readonly permission: PermissionGate;
  /** Tool names of each profile. */
  readonly profiles: Readonly<Record<string, readonly string[]>>;
}

export function createToolRunner(options: ToolRunnerOptions): ToolRunner {
  const tools = new Map<string, Tool>([askUser(options.questions), handoff(), manageArtifact(options.artifacts), planManage(options.plans)].map((t) => [t.declaration.name, t]));
  const lists = new Map<string, readonly ToolDeclaration[]>(
    Object.entries(options.profiles).map(([profile, names]) => [profile, names.toSorted().map((n) => tools.get(n)!.declaration)]),
  );
  return {
    list(profile) {
      const list = lists.get(profile);
      if (list === undefined) throw new AppError("bad_request", `There is no profile '${profile}': use ${[...lists.keys()].join(" or ")}`);
      return list;
    },
    async run(name, rawArgs, context) {
      const repaired: string[] = [];
      const tool = findTool(tools, name, repaired);
      if (tool === undefined) return outcome(failure({ code: "unknown_tool", class: "unknown_tool", message: `there is no tool "${name.slice(0, 80)}"; the nearest are ${nearest([...tools.keys()], name).join(", ")}` }), []);
      const parsed = parseArguments(rawArgs);
      if (!parsed.ok) return outcome(failure({ code: "invalid_arguments", class: "schema", message: parsed.problem, next: `${tool.declaration.name} with valid JSON, for example ${JSON.stringify(tool.example)}` }), repaired);
      const valid = validate(tool.declaration.parameters, parsed.value);
      if (!valid.ok) return outcome(failure(schemaError(tool, valid)), repaired);
      repaired.push(...parsed.repaired, ...valid.repaired);
      const decision = await options.permission.decide({ session: context.session, tool: tool.declaration.name, effect: tool.declaration.effect, args: valid.value });
      if (!decision.allow) return outcome(failure({ code: "denied", class: "permission", message: `denied by ${decision.rule}: ${decision.reason}` }), repaired);
      return outcome(await limited(tool, valid.value, context), repaired);
    },
  };
}

/** Runs the tool under its own time limit and the run's signal. */
async function limited(tool: Tool, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult> {
  const limit = AbortSignal.timeout(tool.declaration.timeoutMs);
  const signal = AbortSignal.any([context.signal, limit]);
  try {
    return await tool.execute(args, { ...context, signal });
  } catch (error) {
    if (context.signal.aborted || !limit.aborted) throw error;
    return failure({ code: "timeout", class: "timeout", message: `${tool.declaration.name} took longer than ${tool.declaration.timeoutMs / 1000} s and was stopped` });
  }
}

function findTool(tools: ReadonlyMap<string, Tool>, name: string, repaired: string[]): Tool | undefined {
  const exact = tools.get(name);
  if (exact !== undefined) return exact;
  const flat = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  for (const [known, tool] of tools) {
    if (known.replaceAll("_", "") !== flat) continue;
    repaired.push(`tool name "${name.slice(0, 80)}" read as ${known}`);
    return tool;
  }
  return undefined;
}

function schemaError(tool: Tool, invalid: Extract<Validation, { ok: false }>): ToolError {
  const schema = invalid.schema === undefined ? "" : ` Its schema: ${JSON.stringify(invalid.schema).slice(0, 300)}.`;
  return { code: "invalid_arguments", class: "schema", message: `${invalid.path || "arguments"}: ${invalid.problem}.${schema}`, next: `${tool.declaration.name} ${JSON.stringify(tool.example)}` };
}

function outcome(result: ToolResult, repaired: readonly string[]): ToolOutcome {
  const body = repaired.length > 0 ? { ...result.body, repaired } : result.body;
  const text = result.ok ? JSON.stringify(body) : JSON.stringify(shortened(body));
  const cut = text.length > OUTPUT_MAX_CHARS;
  const output = cut ? `${text.slice(0, OUTPUT_MAX_CHARS / 2).toWellFormed()}\n… ${text.length - OUTPUT_MAX_CHARS} characters left out …\n${text.slice(-OUTPUT_MAX_CHARS / 2).toWellFormed()}` : text;
  return { ok: result.ok, summary: result.summary, output, repaired, truncated: cut, ...(result.error === undefined ? {} : { error: result.error }), ...(result.handoff === undefined ? {} : { handoff: result.handoff }) };
}

/** An error that a model reads stays short, whatever a tool put into it. */
function shortened(body: object): object {
  const { error } = body as { error?: { message: string } };
  if (error === undefined || error.message.length <= ERROR_MAX_CHARS) return body;
  return { ...body, error: { ...error, message: `${error.message.slice(0, ERROR_MAX_CHARS - 1).toWellFormed()}…` } };
}

/** Three nearest by edit distance. */
function nearest(names: readonly string[], name: string): string[] {
  return names.map((n) => ({ n, d: distance(n, name.slice(0, 64)) })).sort((a, b) => a.d - b.d).slice(0, 3).map(({ n }) => n);
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
