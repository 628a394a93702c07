import type { Checkpoint, Plan } from "@swarm/protocol";
import type { ToolError } from "@swarm/protocol/ports";

/**
 * A plan's changes, pure. Subtasks and checkpoints complete independently, in any order, any number at once: there is
 * no state that refuses every move. What was done stays done while its id is in the plan.
 */
export interface PlanInput {
  readonly goal?: string;
  readonly decisions?: readonly string[];
  readonly constraints?: readonly string[];
  readonly successCriteria?: readonly string[];
  readonly checkpoints?: readonly {
    readonly id: string;
    readonly title: string;
    readonly subtasks?: readonly { readonly id: string; readonly title: string }[];
  }[];
}
export type PlanChange = { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly error: ToolError };

/** Fields that are left out keep what they say. Ids are unique over checkpoints and subtasks. */
export function setPlan(current: Plan | undefined, input: PlanInput): PlanChange {
  const checkpoints =
    input.checkpoints === undefined ? (current?.checkpoints ?? []) : withDone(input.checkpoints, current);
  const ids = planIds(checkpoints);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) {
    return refused(
      "duplicate_id",
      "schema",
      `the id "${twice}" stands twice in the plan: ids of checkpoints and subtasks are unique together`,
      "the same call with unique ids, for example a, a1, a2, b, b1",
    );
  }
  return {
    ok: true,
    plan: {
      revision: (current?.revision ?? 0) + 1,
      goal: input.goal ?? current?.goal ?? "",
      decisions: input.decisions ?? current?.decisions ?? [],
      constraints: input.constraints ?? current?.constraints ?? [],
      successCriteria: input.successCriteria ?? current?.successCriteria ?? [],
      checkpoints,
    },
  };
}

/** Marks ids done, all or none: unknown ones are named and nothing is changed. */
export function completeIn(current: Plan | undefined, ids: readonly string[]): PlanChange {
  if (current === undefined)
    return refused("no_plan", "not_found", "there is no plan yet", 'plan_manage with action "set"');
  const known = planIds(current.checkpoints);
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length > 0) {
    return refused(
      "unknown_id",
      "not_found",
      `not in the plan: ${unknown.join(", ")}; nothing was changed`,
      `the same call with ids of ${known.join(", ")}`,
    );
  }
  const wanted = new Set(ids);
  const checkpoints = current.checkpoints.map((c) => ({
    ...c,
    done: c.done || wanted.has(c.id),
    subtasks: c.subtasks.map((s) => ({ ...s, done: s.done || wanted.has(s.id) })),
  }));
  return { ok: true, plan: { ...current, revision: current.revision + 1, checkpoints } };
}

export function planIds(checkpoints: readonly Checkpoint[]): string[] {
  return checkpoints.flatMap((c) => [c.id, ...c.subtasks.map((s) => s.id)]);
}

export function openIds(plan: Plan): string[] {
  return plan.checkpoints
    .flatMap((c) => [c, ...c.subtasks])
    .filter((t) => !t.done)
    .map((t) => t.id);
}

/** Whether two plans say the same, whatever their revision. */
export function samePlan(a: Plan | undefined, b: Plan): boolean {
  return a !== undefined && JSON.stringify({ ...a, revision: 0 }) === JSON.stringify({ ...b, revision: 0 });
}

function withDone(checkpoints: NonNullable<PlanInput["checkpoints"]>, current: Plan | undefined): Checkpoint[] {
  const done = new Set(
    current?.checkpoints
      .flatMap((c) => [c, ...c.subtasks])
      .filter((t) => t.done)
      .map((t) => t.id),
  );
  return checkpoints.map((c) => ({
    id: c.id,
    title: c.title,
    done: done.has(c.id),
    subtasks: (c.subtasks ?? []).map((s) => ({ id: s.id, title: s.title, done: done.has(s.id) })),
  }));
}

function refused(code: string, errorClass: ToolError["class"], message: string, next: string): PlanChange {
  return { ok: false, error: { code, class: errorClass, message, next } };
}
