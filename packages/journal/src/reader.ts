import type { AnyRecord } from "@swarm/protocol";
import type { KvStore } from "@swarm/kv";
import { AppError } from "@swarm/std";
import { unsealGroup, unsealRecord, type Group } from "./codec.ts";
import { firstOfGroupKey, groupKey, recordKey, revOfRecordKey, SPACE, spaceEnd } from "./keys.ts";

/** A place in the data that cannot be read. The rest of the session and all other sessions can. */
export interface Damage {
  readonly what: "record" | "group" | "head" | "index" | "checkpoint" | "chain" | "blob" | "chunk";
  readonly message: string;
  readonly session?: string;
  readonly rev?: number;
  readonly seq?: number;
  readonly key?: string;
}

export function damageError(damage: Damage): AppError {
  return new AppError("data_corrupt", damage.message, { details: { ...damage } });
}

export interface SessionPage {
  readonly records: readonly AnyRecord[];
  readonly damage: readonly Damage[];
  /** The last revision this page speaks of, read or damaged. */
  readonly upTo: number;
}

/** Records of a session with `after < rev <= head`, at most `limit` revisions. Damaged and missing ones are named. */
export async function readSession(
  store: KvStore,
  session: string,
  after: number,
  head: number,
  limit: number,
): Promise<SessionPage> {
  const upTo = Math.min(head, after + limit);
  if (upTo <= after) return { records: [], damage: [], upTo: after };
  const entries = await store.range({ gt: recordKey(session, after), lte: recordKey(session, upTo), limit });
  const records: AnyRecord[] = [];
  const damage: Damage[] = [];
  let expected = after + 1;
  const missing = (until: number): void => {
    for (; expected < until; expected++)
      damage.push({ what: "record", session, rev: expected, message: `record ${expected} of ${session} is missing` });
  };
  for (const { key, value } of entries) {
    const rev = revOfRecordKey(key);
    missing(rev);
    const record = parseRecord(value);
    if (record) records.push(record);
    else damage.push({ what: "record", session, rev, key, message: `record ${rev} of ${session} is damaged` });
    expected = rev + 1;
  }
  missing(upTo + 1);
  return { records, damage, upTo };
}

export function parseRecord(value: Uint8Array): AnyRecord | undefined {
  const sealed = unsealRecord(value);
  return sealed && (JSON.parse(sealed.json) as AnyRecord);
}

/** Groups read at once: they are small (one line per record). */
const GROUPS_PAGE = 64;

/**
 * Records with `seq > after` in seq order, at most `limit`. Throws AppError `data_corrupt` when one of them is
 * damaged; `details.seq` names it (and `details.next` the first seq behind a damaged group): ask again around it.
 */
export async function readSince(store: KvStore, after: number, limit: number): Promise<AnyRecord[]> {
  const wanted: { session: string; rev: number; seq: number }[] = [];
  const [start] = await store.range({ gte: SPACE.groups, lte: groupKey(after + 1), reverse: true, limit: 1 });
  let from = start?.key ?? groupKey(after + 1);
  while (wanted.length < limit) {
    const groups = await store.range({ gte: from, lt: spaceEnd(SPACE.groups), limit: GROUPS_PAGE });
    for (const [at, { key, value }] of groups.entries()) {
      const group = unsealGroup(value);
      if (wanted.length >= limit) break;
      if (!group) throw damagedGroup(key, groups[at + 1]?.key);
      collect(group, after, limit, wanted);
    }
    if (groups.length < GROUPS_PAGE) break;
    from = `${groups.at(-1)!.key}~`;
  }
  return await fetchRecords(store, wanted);
}

function collect(
  group: Group,
  after: number,
  limit: number,
  into: { session: string; rev: number; seq: number }[],
): void {
  group.members.forEach((member, index) => {
    const seq = group.first + index;
    if (seq > after && into.length < limit) into.push({ ...member, seq });
  });
}

function damagedGroup(key: string, next: string | undefined): AppError {
  const seq = firstOfGroupKey(key);
  return new AppError(
    "data_corrupt",
    `the commit that begins at seq ${seq} is damaged; its records are readable by session`,
    {
      details: { what: "group", seq, key, ...(next === undefined ? {} : { next: firstOfGroupKey(next) }) },
    },
  );
}

async function fetchRecords(
  store: KvStore,
  wanted: readonly { session: string; rev: number; seq: number }[],
): Promise<AnyRecord[]> {
  const values = await store.getMany(wanted.map(({ session, rev }) => recordKey(session, rev)));
  const records: AnyRecord[] = [];
  for (const [index, value] of values.entries()) {
    const { session, rev, seq } = wanted[index]!;
    const record = value && parseRecord(value);
    if (!record)
      throw damageError({
        what: "record",
        session,
        rev,
        seq,
        message: `record ${rev} of ${session} (seq ${seq}) is ${value ? "damaged" : "missing"}`,
      });
    records.push(record);
  }
  return records;
}
