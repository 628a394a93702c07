import type { AnyRecord, ErrorCode, Kind, Payloads } from "@swarm/protocol";
import { invariant } from "@swarm/std";

/** What the journal needs to know of a kind; registered when it is opened. All functions are pure and synchronous. */
export interface KindDefinition<K extends Kind = Kind> {
  readonly kind: K;
  /** The payload as it will be kept, or throws: the mutation is then refused as `bad_request`. */
  schema(payload: unknown): Payloads[K];
  /** The epoch this payload raises its session to: refused as `fenced` unless it is the current one + 1. */
  epochOf?(payload: Payloads[K]): number | undefined;
  /** Refuses a mutation for what its session's projection says just before it. */
  readonly guard?: {
    readonly projection: string;
    check(state: unknown, payload: Payloads[K]): { readonly code: ErrorCode; readonly message: string } | undefined;
  };
  /** Index entries written (or removed) in the record's own batch. */
  indexes?(record: AnyRecord): readonly IndexWrite[];
}

/** `index` holds no "/". Values are JSON. */
export type IndexWrite =
  | { readonly index: string; readonly key: string; readonly value: unknown }
  | { readonly index: string; readonly key: string; readonly remove: true };

/**
 * A fold over a session's records. Pure; answers a new state and never changes the one it was given; the state is
 * JSON. Raise `version` when `reduce` changes: checkpoints of other versions are not used.
 */
export interface ProjectionDefinition<S = unknown> {
  readonly name: string;
  readonly version: number;
  reduce(state: S | undefined, record: AnyRecord): S;
}

export interface Registry {
  readonly kinds: ReadonlyMap<string, KindDefinition>;
  readonly projections: ReadonlyMap<string, ProjectionDefinition>;
}

export function createRegistry(
  kinds: readonly KindDefinition[],
  projections: readonly ProjectionDefinition[],
): Registry {
  const registry = { kinds: new Map<string, KindDefinition>(), projections: new Map<string, ProjectionDefinition>() };
  for (const projection of projections) {
    invariant(!registry.projections.has(projection.name), `projection ${projection.name} is registered twice`);
    registry.projections.set(projection.name, projection);
  }
  for (const kind of kinds) {
    invariant(!registry.kinds.has(kind.kind), `kind ${kind.kind} is registered twice`);
    invariant(
      kind.guard === undefined || registry.projections.has(kind.guard.projection),
      `kind ${kind.kind} is guarded by an unknown projection`,
    );
    registry.kinds.set(kind.kind, kind);
  }
  return registry;
}
