import type { AnyRecord } from "@swarm/protocol";
import type { Journal } from "@swarm/journal";
import { MESSAGE_INDEX, messageKey, tally, type Tally } from "../journal/kinds.ts";
import { parseText, stepOf } from "./workload.ts";

/** An acknowledgement in the parent's hands: writer's step and what it was told. */
export interface Acknowledged {
  readonly round: string;
  readonly writer: number;
  readonly n: number;
  readonly applied: readonly { readonly seq: number; readonly rev: number }[];
}

export interface Findings {
  readonly records: number;
  /** Acknowledged mutations that are not there as they were acknowledged. */
  readonly lost: readonly string[];
  /** Anything applied in part: a call, a record without its blob or index entry, or the other way round. */
  readonly torn: readonly string[];
  /** Other broken laws: gaps, chains, heads, projections, replays. */
  readonly broken: readonly string[];
}

const PAGE = 1000;
const REPLAYS = 20;

/** Checks a reopened journal against what was acknowledged. */
export async function checkJournal(journal: Journal, acknowledged: readonly Acknowledged[]): Promise<Findings> {
  const records = await allRecords(journal);
  const byKey = new Map(records.map((record) => [parseText(textOf(record)).key, record]));
  const lost: string[] = [];
  for (const ack of acknowledged) {
    const { keys } = stepOf(journal, ack.round, ack.writer, ack.n);
    for (const [i, key] of keys.entries()) {
      const record = byKey.get(key);
      const told = ack.applied[i]!;
      if (!record) lost.push(`${key} (seq ${told.seq}) is gone`);
      else if (record.seq !== told.seq || record.rev !== told.rev)
        lost.push(`${key} was told ${told.seq}:${told.rev}, is ${record.seq}:${record.rev}`);
    }
  }
  const torn = [...(await tornIndexes(journal, records)), ...(await tornCalls(journal, records, byKey))];
  const broken = (await journal.verify()).problems.map(({ message }) => message);
  records.forEach(({ seq }, i) => seq === i + 1 || broken.push(`seq ${seq} stands at place ${i + 1}`));
  broken.push(...(await wrongProjections(journal, records)), ...(await wrongReplays(journal, acknowledged)));
  return { records: records.length, lost, torn, broken };
}

function textOf(record: AnyRecord): string {
  return record.kind === "message.added" && typeof record.payload.text === "string" ? record.payload.text : "";
}

async function allRecords(journal: Journal): Promise<AnyRecord[]> {
  const records: AnyRecord[] = [];
  for (
    let page = await journal.recordsSince(0, PAGE);
    page.length > 0;
    page = await journal.recordsSince(records.length, PAGE)
  )
    records.push(...page);
  return records;
}

async function tornIndexes(journal: Journal, records: readonly AnyRecord[]): Promise<string[]> {
  const entries = new Map<string, unknown>();
  for (let after = ""; ;) {
    const page = await journal.index(MESSAGE_INDEX, { ...(after ? { after } : {}), limit: PAGE });
    for (const { key, value } of page) entries.set(key, value);
    if (page.length < PAGE) break;
    after = page.at(-1)!.key;
  }
  const torn: string[] = [];
  for (const { session, rev, seq } of records) {
    const key = messageKey(session, rev);
    const entry = entries.get(key) as { seq: number } | undefined;
    if (entry?.seq !== seq) torn.push(`record ${seq} has no index entry`);
    entries.delete(key);
  }
  for (const key of entries.keys()) torn.push(`index entry ${key} has no record`);
  return torn;
}

async function tornCalls(
  journal: Journal,
  records: readonly AnyRecord[],
  byKey: ReadonlyMap<string, AnyRecord>,
): Promise<string[]> {
  const torn: string[] = [];
  const blobs = new Set<string>();
  for (const record of records) {
    const { pair, blob } = parseText(textOf(record));
    if (pair && !byKey.has(pair)) torn.push(`record ${record.seq} is there without its pair ${pair}`);
    if (blob) blobs.add(blob);
  }
  for (const blob of blobs) if (!(await journal.readBlob(blob))) torn.push(`blob ${blob} is named and not there`);
  return torn;
}

async function wrongProjections(journal: Journal, records: readonly AnyRecord[]): Promise<string[]> {
  const states = new Map<string, Tally>();
  for (const record of records) states.set(record.session, tally.reduce(states.get(record.session), record));
  const wrong: string[] = [];
  for (const [session, state] of states) {
    const found = await journal.project<Tally>("tally", session);
    if (JSON.stringify(found) !== JSON.stringify(state))
      wrong.push(`projection of ${session} is ${JSON.stringify(found)}, the fold ${JSON.stringify(state)}`);
  }
  return wrong;
}

/** The newest acknowledged calls again: the first result, nothing new. */
async function wrongReplays(journal: Journal, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const wrong: string[] = [];
  const before = journal.cursor().seq;
  for (const { round, writer, n, applied } of acknowledged.slice(-REPLAYS)) {
    const { mutations, keys } = stepOf(journal, round, writer, n);
    const again = await journal.apply(mutations);
    if (again.some((a, i) => !a.replayed || a.seq !== applied[i]!.seq))
      wrong.push(`the retry of ${keys[0]} was answered ${JSON.stringify(again)}`);
  }
  if (journal.cursor().seq !== before) wrong.push("a retry made a record");
  return wrong;
}
