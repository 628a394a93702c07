/**
 * A plan. Subtask and checkpoint completion are independent: neither requires nor forces the other,
 * so no reachable state refuses every move.
 */
export interface Subtask {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
}
export interface Checkpoint {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
  readonly subtasks: readonly Subtask[];
}
export interface Plan {
  readonly revision: number;
  readonly goal: string;
  readonly decisions: readonly string[];
  readonly constraints: readonly string[];
  readonly successCriteria: readonly string[];
  readonly checkpoints: readonly Checkpoint[];
}
