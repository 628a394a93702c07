/**
 * std: the ground. What every storey may use and nothing that knows Swarm: assertions, ids, errors,
 * async helpers, ports of the world, counters. Refuses to know: any domain word, file, socket or process.
 */
export { invariant, unreachable } from "./assert.ts";
export { backoffMs, Deferred, Mailbox, Semaphore, sleep } from "./async.ts";
export { AppError, errnoCode, errorMessage, isAppError, type Retry } from "./error.ts";
export {
  isId,
  newId,
  type ArtifactId,
  type Branded,
  type IdKind,
  type ProgramId,
  type QuestionId,
  type RunId,
  type SessionId,
} from "./id.ts";
export { canonicalJson, cleanText, isObject } from "./json.ts";
export { Counter, Histogram, quantileOf } from "./metrics.ts";
export { silentLogger, systemClock, type Clock, type Logger } from "./ports.ts";
