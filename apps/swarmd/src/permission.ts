import type { PermissionGate } from "@swarm/protocol/ports";

/**
 * The tools of this version touch only the session's own artifacts, plan and questions: all are allowed. Tools that
 * read files or run commands come with the policy package and its decisions.
 */
export const allowAll: PermissionGate = {
  decide: async () => ({ allow: true, rule: "built-in: own artifacts, plan and questions" }),
};
