/**
 * session: one actor per session and the host that runs a thousand of them: admission, fairness, leases, questions,
 * resume, drain. Refuses to know: how a model is reached, what a tool does, who watches.
 */
export type { AdmissionLimits } from "./admission.ts";
export { openSessionHost, type SessionHost, type SessionHostOptions } from "./host.ts";
export { sessionKinds } from "./kinds.ts";
export { sessionProjections } from "./projections.ts";
