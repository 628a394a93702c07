import type { AnyRecord, Payloads } from "@swarm/protocol";
import type { AnyMutation } from "@swarm/protocol/ports";
import type { IndexWrite, KindDefinition, ProjectionDefinition } from "@swarm/journal";

/** Plain kinds for tests of the journal: messages that are counted and indexed, leases that raise the epoch. */
export interface Tally {
  readonly messages: number;
  readonly chars: number;
  readonly epoch: number;
  /** Seqs folded, as one running hash: another order or a missing record gives another number. */
  readonly hash: number;
}

export const tally: ProjectionDefinition<Tally> = {
  name: "tally",
  version: 1,
  reduce(state = { messages: 0, chars: 0, epoch: 0, hash: 17 }, record) {
    const hash = (Math.imul(state.hash, 31) + record.seq) | 0;
    switch (record.kind) {
      case "message.added":
        return { ...state, hash, messages: state.messages + 1, chars: state.chars + textOf(record.payload).length };
      case "run.leased":
        return { ...state, hash, epoch: record.payload.epoch };
      default:
        return { ...state, hash };
    }
  },
};

const textOf = (payload: Payloads["message.added"]): string =>
  typeof payload.text === "string" ? payload.text : payload.text.blob;

/** Messages of a session: one entry a record, in the record's batch. */
export const MESSAGE_INDEX = "messages";
export const messageKey = (session: string, rev: number): string => `${session}/${String(rev).padStart(8, "0")}`;

/** Most messages that `session.seen` (guarded) allows before it. */
export const GUARD_MAX = 5;

const message: KindDefinition<"message.added"> = {
  kind: "message.added",
  schema(payload) {
    const { text } = payload as { text?: unknown };
    if (typeof text !== "string" && typeof text !== "object") throw new TypeError("text is missing");
    return payload as Payloads["message.added"];
  },
  indexes(record: AnyRecord): IndexWrite[] {
    return [{ index: MESSAGE_INDEX, key: messageKey(record.session, record.rev), value: { seq: record.seq } }];
  },
};

const lease: KindDefinition<"run.leased"> = {
  kind: "run.leased",
  schema: (payload) => payload as Payloads["run.leased"],
  epochOf: (payload) => payload.epoch,
};

const seen: KindDefinition<"session.seen"> = {
  kind: "session.seen",
  schema: (payload) => payload as Payloads["session.seen"],
  guard: {
    projection: "tally",
    check(state) {
      const messages = (state as Tally | undefined)?.messages ?? 0;
      return messages > GUARD_MAX ? { code: "invalid_state", message: `${messages} messages are too many` } : undefined;
    },
  },
};

/** Removes what `message.added` indexed at `rev`. */
const removal: KindDefinition<"daemon.stopped"> = {
  kind: "daemon.stopped",
  schema: (payload) => payload as Payloads["daemon.stopped"],
  indexes: (record) => [
    { index: MESSAGE_INDEX, key: (record.payload as Payloads["daemon.stopped"]).reason, remove: true },
  ],
};

export const tallyKinds: readonly KindDefinition[] = [message, lease, seen, removal];
export const tallyProjections: readonly ProjectionDefinition[] = [tally];

export function messageOf(session: string, key: string, text: string, more: Partial<AnyMutation> = {}): AnyMutation {
  return {
    session,
    key,
    kind: "message.added",
    actor: "tester",
    payload: { text, by: "person" },
    ...more,
  } as AnyMutation;
}
export function leaseOf(session: string, epoch: number, more: Partial<AnyMutation> = {}): AnyMutation {
  return {
    session,
    key: `lease ${session} ${epoch}`,
    kind: "run.leased",
    actor: "tester",
    payload: { run: "run_1", epoch, resumed: epoch > 1 },
    ...more,
  } as AnyMutation;
}
export function seenOf(session: string, key: string, more: Partial<AnyMutation> = {}): AnyMutation {
  return { session, key, kind: "session.seen", actor: "tester", payload: { rev: 1 }, ...more } as AnyMutation;
}
