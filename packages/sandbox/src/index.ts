/**
 * sandbox: boxes for programs that are not trusted: a bubblewrap command that holds also for root, a probe that says
 * whether it works here, and a child runner with capped output that leaves no process. Refuses to know: what is run
 * and why, permissions, tools.
 */
export { bubblewrapCommand, NOBODY, type BubblewrapOptions } from "./bubblewrap.ts";
export { CappedOutput, type Output } from "./capped-output.ts";
export { probeSandbox, sandboxed, type SandboxAbility } from "./host/ability.ts";
export { killGroup, runChild, withDeathSignal, type ChildOptions, type ChildResult } from "./host/run-child.ts";
