/**
 * modelsim: a server that speaks the wires of real model providers and behaves like a model, from the request alone.
 * Refuses to know: the gate, the agent, the gateway, and anything about a session but the bytes it is sent.
 */
export { generateCard } from "./card/generate.ts";
export type { CardSubject } from "./card/subject.ts";
export {
  DEFAULT_SCENARIO,
  parseScenario,
  readScenario,
  type Fault,
  type FaultRule,
  type Scenario,
} from "./scenario.ts";
export { startSimulator, type Simulator, type SimulatorOptions } from "./server.ts";
export type { LogEntry, Stats } from "./ledger.ts";
