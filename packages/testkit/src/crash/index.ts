/** The crash harness of the journal: kill -9 on real files, power loss on a simulated machine, and the saboteurs that must turn both red. */
export type { Acknowledged, Findings } from "./check.ts";
export { checkJournal } from "./check.ts";
export { runPowerLoss } from "./power.ts";
export { runCrashRounds, type CrashOptions, type CrashSummary } from "./rounds.ts";
export { sabotage, SABOTEURS, type Saboteur } from "./saboteurs.ts";
