import type { Plan } from "@swarm/protocol";
import type { PlanStore } from "@swarm/protocol/ports";
import { isAppError } from "@swarm/std";
import { completeIn, openIds, planIds, samePlan, setPlan, type PlanChange, type PlanInput } from "../plan.ts";
import { failure, type Tool, type ToolResult } from "../tool.ts";

const ACTIONS = ["set", "get", "complete"] as const;
type Action = (typeof ACTIONS)[number];

const EXAMPLES: Readonly<Record<Action, object>> = {
  set: {
    action: "set",
    goal: "The card is published",
    checkpoints: [{ id: "a", title: "Draw", subtasks: [{ id: "a1", title: "Canvas" }] }],
  },
  get: { action: "get" },
  complete: { action: "complete", complete: ["a", "a1"] },
};
const TEXTS = { type: "array", maxItems: 32, items: { type: "string", maxLength: 500 } } as const;

export function planManage(plans: PlanStore): Tool {
  return {
    declaration: {
      name: "plan_manage",
      description:
        "Keep the plan of this session. set writes the plan; complete marks any number of subtasks and checkpoints done in one call, in any order; get reads it. Completing a subtask never needs or closes its checkpoint.",
      parameters: {
        type: "object",
        additionalProperties: false,
        required: ["action"],
        properties: {
          action: { type: "string", enum: ACTIONS, description: "What to do." },
          base_revision: {
            type: "integer",
            minimum: 0,
            description: "The plan's revision you saw last; left out: the newest.",
          },
          goal: {
            type: "string",
            maxLength: 1000,
            description: "set: what will be true at the end. Fields of set that are left out keep what they say.",
          },
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
                subtasks: {
                  type: "array",
                  maxItems: 32,
                  description: "Parts of it.",
                  items: {
                    type: "object",
                    additionalProperties: false,
                    required: ["id", "title"],
                    properties: {
                      id: {
                        type: "string",
                        minLength: 1,
                        maxLength: 64,
                        description: "Unique in the plan, checkpoints included.",
                      },
                      title: { type: "string", minLength: 1, maxLength: 200, description: "What is done." },
                    },
                  },
                },
              },
            },
          },
          complete: {
            type: "array",
            maxItems: 256,
            items: { type: "string", maxLength: 64 },
            description: "complete: ids of all subtasks and checkpoints that are done, in one call.",
          },
        },
      },
      effect: "write",
      idempotent: true,
      timeoutMs: 30_000,
    },
    example: (action) => EXAMPLES[action as Action] ?? EXAMPLES.set,
    needs: { complete: ["complete"] },
    async execute(args, context) {
      const current = await plans.get(context.session);
      const action = args["action"] as Action;
      if (action === "get")
        return {
          ok: true,
          summary: current ? `plan at revision ${current.revision}` : "no plan yet",
          body: { ok: true, plan: current ?? null },
        };
      const change = apply(current, action, args);
      // a call that was carried out before a crash finds its own work done: that is no stale base
      if (change.ok && samePlan(current, change.plan)) return done(current!, "unchanged");
      const base = args["base_revision"];
      if (typeof base === "number" && base !== (current?.revision ?? 0)) return stale(base, current);
      if (!change.ok) return failure(change.error);
      try {
        await plans.put(context, change.plan);
      } catch (error) {
        if (!isAppError(error) || error.code !== "rev_conflict") throw error;
        return stale(current?.revision ?? 0, await plans.get(context.session));
      }
      return done(change.plan, action === "set" ? "plan set" : "completed");
    },
  };
}

/** `complete` may stand beside `set`: then it is applied to the plan just set. */
function apply(
  current: Plan | undefined,
  action: Exclude<Action, "get">,
  args: Readonly<Record<string, unknown>>,
): PlanChange {
  const ids = args["complete"] as readonly string[] | undefined;
  if (action === "complete") return completeIn(current, ids ?? []);
  const { goal, decisions, constraints, success_criteria: successCriteria, checkpoints } = args;
  const given = Object.entries({ goal, decisions, constraints, successCriteria, checkpoints }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length === 0 && ids === undefined)
    return {
      ok: false,
      error: {
        code: "invalid_arguments",
        class: "schema",
        message: "set needs at least one of goal, decisions, constraints, success_criteria, checkpoints",
        next: `plan_manage ${JSON.stringify(EXAMPLES.set)}`,
      },
    };
  const set = setPlan(current, Object.fromEntries(given) as PlanInput);
  if (!set.ok || ids === undefined) return set;
  const completed = completeIn(set.plan, ids);
  return completed.ok ? { ok: true, plan: { ...completed.plan, revision: set.plan.revision } } : completed;
}

/** The current plan comes back with the refusal: the next call can be right. */
function stale(base: number, current: Plan | undefined): ToolResult {
  const head = current?.revision ?? 0;
  return failure(
    {
      code: "stale_base",
      class: "cas_conflict",
      message: `base_revision ${base} is not the current revision ${head}; the current plan stands beside this error`,
      next: `the same call with base_revision ${head}`,
    },
    { plan: current ?? null },
  );
}

function done(plan: Plan, what: string): ToolResult {
  const all = planIds(plan.checkpoints).length;
  const open = openIds(plan);
  return {
    ok: true,
    summary: `${what}: ${all - open.length} of ${all} done`,
    body: { ok: true, revision: plan.revision, done: all - open.length, open },
  };
}
