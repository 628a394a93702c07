import type { Checkpoint, Plan } from "@swarm/protocol";
import type { PlanStore } from "@swarm/protocol/ports";
import { isAppError } from "@swarm/std";
import { failure, type Tool, type ToolResult } from "../tool.ts";

const ACTIONS = ["set", "get", "complete"] as const;
const TEXTS = { type: "array", maxItems: 32, items: { type: "string", maxLength: 500 } } as const;

export function planManage(plans: PlanStore): Tool {
  return {
    declaration: {
      name: "plan_manage",
      description: "Keep the plan of this session. set writes the whole plan; complete marks any number of subtasks and checkpoints done in one call, in any order; get reads it. Completing a subtask never needs or closes its checkpoint.",
      parameters: {
        type: "object",
        additionalProperties: false,
        required: ["action"],
        properties: {
          action: { type: "string", enum: ACTIONS, description: "What to do." },
          base_revision: { type: "integer", minimum: 0, description: "The plan's revision you saw last; left out: the newest." },
          goal: { type: "string", maxLength: 1000, description: "set: what will be true at the end." },
          decisions: { ...TEXTS, description: "set: what you decided and why." },
          constraints: { ...TEXTS, description: "set: what must hold." },
          success_criteria: { ...TEXTS, description: "set: how it will be judged." },
          checkpoints: {
            type: "array",
            maxItems: 24,
            description: "set: the steps.",
            items: {
              type: "object",
              additionalProperties: false,
              required: ["id", "title"],
              properties: {
                id: { type: "string", minLength: 1, maxLength: 64, description: "Short and unique in the plan." },
                title: { type: "string", minLength: 1, maxLength: 200, description: "What is done here." },
                subtasks: { type: "array", maxItems: 32, description: "Parts of it.", items: { type: "object", additionalProperties: false, required: ["id", "title"], properties: { id: { type: "string", minLength: 1, maxLength: 64, description: "Unique in the plan." }, title: { type: "string", minLength: 1, maxLength: 200, description: "What is done." } } } },
              },
            },
          },
          complete: { type: "array", maxItems: 256, items: { type: "string", maxLength: 64 }, description: "complete: ids of subtasks and checkpoints that are done." },
        },
      },
      effect: "write",
      idempotent: true,
      timeoutMs: 30_000,
    },
    example: { action: "complete", complete: ["draw", "draw-canvas"] },
    async execute(args, context) {
      const current = await plans.get(context.session);
      const base = args["base_revision"];
      if (typeof base === "number" && base !== (current?.revision ?? 0)) {
        return failure({ code: "stale_base", class: "cas_conflict", message: `base_revision ${base} is not the current revision ${current?.revision ?? 0}; the current plan is below`, next: `the same call with base_revision ${current?.revision ?? 0}` }, { plan: current ?? null });
      }
      const action = args["action"] as (typeof ACTIONS)[number];
      if (action === "get") return { ok: true, summary: current ? `plan at revision ${current.revision}` : "no plan yet", body: { ok: true, plan: current ?? null } };
      const next = action === "set" ? setPlan(current, args) : completeIn(current, (args["complete"] ?? []) as readonly string[]);
      if (!next.ok) return next.result;
      if (samePlan(current, next.plan)) return done(current!, "unchanged");
      try {
        await plans.put(context, next.plan);
      } catch (error) {
        if (isAppError(error) && error.code === "rev_conflict") return failure({ code: "stale_base", class: "cas_conflict", message: "the plan changed in the meantime", next: 'plan_manage with action "get", then the same call' });
        throw error;
      }
      return done(next.plan, action === "set" ? "plan set" : "completed");
    },
  };
}

type Next = { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly result: ToolResult };

interface RawCheckpoint {
  readonly id: string;
  readonly title: string;
  readonly subtasks?: readonly { readonly id: string; readonly title: string }[];
}

/** What was done stays done where the id is still there. */
export function setPlan(current: Plan | undefined, args: Readonly<Record<string, unknown>>): Next {
  const raw = (args["checkpoints"] ?? []) as readonly RawCheckpoint[];
  const ids = raw.flatMap((c) => [c.id, ...(c.subtasks ?? []).map((s) => s.id)]);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) return { ok: false, result: failure({ code: "duplicate_id", class: "schema", message: `the id "${twice}" stands twice in the plan: ids of checkpoints and subtasks are unique`, next: "the same call with unique ids" }) };
  const done = new Set(current?.checkpoints.flatMap((c) => [...(c.done ? [c.id] : []), ...c.subtasks.filter((s) => s.done).map((s) => s.id)]));
  const checkpoints: Checkpoint[] = raw.map((c) => ({ id: c.id, title: c.title, done: done.has(c.id), subtasks: (c.subtasks ?? []).map((s) => ({ id: s.id, title: s.title, done: done.has(s.id) })) }));
  const texts = (name: string): readonly string[] => (args[name] ?? []) as readonly string[];
  return { ok: true, plan: { revision: (current?.revision ?? 0) + 1, goal: typeof args["goal"] === "string" ? args["goal"] : (current?.goal ?? ""), decisions: texts("decisions"), constraints: texts("constraints"), successCriteria: texts("success_criteria"), checkpoints } };
}

/** Marks ids done; unknown ones are named, and the known ones of the same call are not lost. */
export function completeIn(current: Plan | undefined, ids: readonly string[]): Next {
  if (current === undefined) return { ok: false, result: failure({ code: "no_plan", class: "not_found", message: "there is no plan yet", next: 'plan_manage with action "set"' }) };
  const known = new Set(current.checkpoints.flatMap((c) => [c.id, ...c.subtasks.map((s) => s.id)]));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) return { ok: false, result: failure({ code: "unknown_id", class: "not_found", message: `not in the plan: ${unknown.join(", ")}; its ids are ${[...known].join(", ")}`, next: "the same call with these ids" }) };
  if (ids.length === 0) return { ok: false, result: failure({ code: "invalid_arguments", class: "schema", message: "complete: name at least one id", next: `plan_manage with action "complete" and complete: ["${[...known][0] ?? "id"}"]` }) };
  const wanted = new Set(ids);
  const checkpoints = current.checkpoints.map((c) => ({ ...c, done: c.done || wanted.has(c.id), subtasks: c.subtasks.map((s) => ({ ...s, done: s.done || wanted.has(s.id) })) }));
  return { ok: true, plan: { ...current, revision: current.revision + 1, checkpoints } };
}

function samePlan(a: Plan | undefined, b: Plan): boolean {
  return a !== undefined && JSON.stringify({ ...a, revision: 0 }) === JSON.stringify({ ...b, revision: 0 });
}

function done(plan: Plan, what: string): ToolResult {
  const all = plan.checkpoints.flatMap((c) => [c, ...c.subtasks]);
  const open = all.filter((t) => !t.done).map((t) => t.id);
  return { ok: true, summary: `${what}: ${all.length - open.length} of ${all.length} done`, body: { ok: true, revision: plan.revision, done: all.length - open.length, open } };
}
