import type { AnyRecord } from "@swarm/protocol";
import type { KvEntry, KvStore } from "@swarm/kv";
import { hashOfMacs, type ChainKey } from "./chain.ts";
import {
  groupBody,
  NO_HEAD,
  unseal,
  unsealEntry,
  unsealGroup,
  unsealHead,
  unsealRecord,
  type SessionHead,
} from "./codec.ts";
import { decodeBlob } from "./blob.ts";
import { headKey, recordKey, revOfRecordKey, sessionOfRecordKey, SPACE, spaceEnd } from "./keys.ts";
import type { Damage } from "./reader.ts";

const PAGE = 500;
const PROBLEMS_MAX = 1000;

export interface VerifyReport {
  readonly ok: boolean;
  readonly records: number;
  readonly sessions: number;
  readonly groups: number;
  readonly blobs: number;
  /** The newest seq. */
  readonly seq: number;
  /** At most 1,000. */
  readonly problems: readonly Damage[];
}

/**
 * Reads the whole store and checks every law of the log: seq without gap, rev contiguous, both MAC chains,
 * heads, idempotency entries, blobs and their counts, the CRC of every value.
 */
export async function verifyStore(store: KvStore, chain: ChainKey): Promise<VerifyReport> {
  const problems: Damage[] = [];
  const report = (damage: Damage): void => void (problems.length < PROBLEMS_MAX && problems.push(damage));
  const { seq, groups } = await verifyGroups(store, chain, report);
  const { records, sessions } = await verifySessions(store, chain, report);
  if (records !== seq)
    report({ what: "record", seq, message: `${records} records are kept, the newest seq is ${seq}` });
  await verifyEntries(store, report);
  const blobs = await verifyBlobs(store, report);
  await verifyChecksums(store, report);
  return { ok: problems.length === 0, records, sessions, groups, blobs, seq, problems };
}

type Report = (damage: Damage) => void;

async function* pages(store: KvStore, space: string): AsyncGenerator<KvEntry[]> {
  await using iterator = store.iterate({ gte: space, lt: spaceEnd(space) });
  for (let page = await iterator.next(PAGE); page.length > 0; page = await iterator.next(PAGE)) yield page;
}

async function verifyGroups(store: KvStore, chain: ChainKey, report: Report): Promise<{ seq: number; groups: number }> {
  let seq = 0;
  let groups = 0;
  let previousMac = "";
  for await (const page of pages(store, SPACE.groups)) {
    for (const { key, value } of page) {
      groups++;
      const group = unsealGroup(value);
      if (!group) {
        report({ what: "group", key, message: `the commit at ${key} is damaged` });
        continue;
      }
      if (group.first !== seq + 1)
        report({ what: "group", key, seq: group.first, message: `seq jumps from ${seq} to ${group.first}` });
      if (group.previousMac !== previousMac)
        report({
          what: "chain",
          key,
          seq: group.first,
          message: `the commit at seq ${group.first} does not follow the one before it`,
        });
      if (chain.mac(groupBody(group)) !== group.mac)
        report({ what: "chain", key, seq: group.first, message: `the commit at seq ${group.first} was changed` });
      const values = await store.getMany(group.members.map(({ session, rev }) => recordKey(session, rev)));
      const macs = values.map((found, index) => {
        const at = group.first + index;
        const record = found && unsealRecord(found);
        if (!record)
          report({
            what: "record",
            ...group.members[index]!,
            seq: at,
            message: `record seq ${at} is ${found ? "damaged" : "missing"}`,
          });
        else if ((JSON.parse(record.json) as AnyRecord).seq !== at)
          report({ what: "record", ...group.members[index]!, seq: at, message: `seq ${at} names another record` });
        return record?.mac ?? "";
      });
      if (hashOfMacs(macs) !== group.hash)
        report({
          what: "chain",
          key,
          seq: group.first,
          message: `the records of the commit at seq ${group.first} are not those it was made of`,
        });
      seq = group.first + group.members.length - 1;
      previousMac = group.mac;
    }
  }
  return { seq, groups };
}

async function verifySessions(
  store: KvStore,
  chain: ChainKey,
  report: Report,
): Promise<{ records: number; sessions: number }> {
  let records = 0;
  const heads = new Map<string, SessionHead>();
  for await (const page of pages(store, SPACE.records)) {
    for (const { key, value } of page) {
      records++;
      const [session, rev] = [sessionOfRecordKey(key), revOfRecordKey(key)];
      const before = heads.get(session) ?? NO_HEAD;
      if (rev !== before.rev + 1)
        report({ what: "record", session, rev, message: `${session} jumps from revision ${before.rev} to ${rev}` });
      const record = unsealRecord(value);
      if (!record) report({ what: "record", session, rev, key, message: `record ${rev} of ${session} is damaged` });
      else if (chain.recordMac(before.mac, record.epoch, record.json) !== record.mac)
        report({
          what: "chain",
          session,
          rev,
          message: `record ${rev} of ${session} was changed or does not follow the one before it`,
        });
      heads.set(session, { rev, epoch: record?.epoch ?? before.epoch, mac: record?.mac ?? "" });
    }
  }
  for await (const page of pages(store, SPACE.heads)) {
    for (const { key, value } of page) {
      const session = key.slice(SPACE.heads.length);
      const head = unsealHead(value);
      const last = heads.get(session);
      const same = head && last && head.rev === last.rev && head.epoch === last.epoch && head.mac === last.mac;
      if (!same)
        report({
          what: "head",
          session,
          key,
          message: head ? `the head of ${session} is not its last record` : `the head of ${session} is damaged`,
        });
    }
  }
  for (const session of heads.keys())
    if (store.getSync(headKey(session)) === undefined)
      report({ what: "head", session, message: `${session} has records and no head` });
  return { records, sessions: heads.size };
}

async function verifyEntries(store: KvStore, report: Report): Promise<void> {
  for await (const page of pages(store, SPACE.idempotency)) {
    const entries = page.map(({ key, value }) => ({ key, entry: unsealEntry(value) }));
    const values = await store.getMany(entries.map(({ entry }) => (entry ? recordKey(entry.session, entry.rev) : "-")));
    for (const [index, { key, entry }] of entries.entries()) {
      const record = values[index] && unsealRecord(values[index]);
      if (!entry) report({ what: "index", key, message: `an idempotency entry is damaged (${key})` });
      else if (!record || (JSON.parse(record.json) as AnyRecord).seq !== entry.seq)
        report({
          what: "record",
          session: entry.session,
          rev: entry.rev,
          seq: entry.seq,
          key,
          message: `an idempotency entry names seq ${entry.seq}, which is not there`,
        });
    }
  }
}

async function verifyBlobs(store: KvStore, report: Report): Promise<number> {
  const uses = new Map<string, number>();
  for await (const page of pages(store, SPACE.blobUses)) {
    for (const { key, value } of page) {
      const body = unseal(value);
      if (body === undefined) report({ what: "index", key, message: `the list of blobs at ${key} is damaged` });
      else for (const sha256 of JSON.parse(body) as string[]) uses.set(sha256, (uses.get(sha256) ?? 0) + 1);
    }
  }
  for await (const page of pages(store, SPACE.blobs)) {
    for (const { key, value } of page) {
      const sha256 = key.slice(SPACE.blobs.length);
      const count = store.getSync(SPACE.blobCounts + sha256);
      const kept = count && unseal(count);
      if (kept !== String(uses.get(sha256)))
        report({
          what: "blob",
          key,
          message: `blob ${sha256} counts ${kept} uses, found were ${uses.get(sha256) ?? 0}`,
        });
      uses.set(sha256, 0);
      try {
        decodeBlob(value, sha256);
      } catch {
        report({ what: "blob", key, message: `blob ${sha256} is damaged` });
      }
    }
  }
  for (const [sha256, left] of uses)
    if (left > 0) report({ what: "blob", key: SPACE.blobs + sha256, message: `blob ${sha256} is missing` });
  return uses.size;
}

/** The spaces whose contents only their owners understand. */
async function verifyChecksums(store: KvStore, report: Report): Promise<void> {
  for (const [what, space] of [
    ["index", SPACE.indexes],
    ["checkpoint", SPACE.checkpoints],
    ["chunk", SPACE.chunks],
    ["head", SPACE.meta],
  ] as const) {
    for await (const page of pages(store, space)) {
      for (const { key, value } of page)
        if (unseal(value) === undefined)
          report({ what, key, message: `the value at ${JSON.stringify(key)} is damaged` });
    }
  }
}
