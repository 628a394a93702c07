import type { KvStore } from "@swarm/kv";
import { AppError } from "@swarm/std";
import { hashOfMacs, type ChainKey } from "./chain.ts";
import { groupBody, seal, unseal, unsealGroup, unsealRecord } from "./codec.ts";
import { META, recordKey, SPACE, spaceEnd } from "./keys.ts";
import type { Damage } from "./reader.ts";

/** Where the log ends: the newest durable seq and the MAC of its group. */
export interface Tail {
  readonly seq: number;
  readonly mac: string;
}

export function sealTail(tail: Tail): string {
  return seal(`${tail.seq.toString(36)} ${tail.mac}`);
}

/**
 * Finds the end of the log and checks its newest group: it is kept twice, as the last group and as a value of its
 * own, so one damaged copy stops nothing. Throws AppError `data_corrupt` when both are.
 */
export async function readTail(store: KvStore, chain: ChainKey): Promise<{ tail: Tail; damage: Damage[] }> {
  const [newest] = await store.range({ gte: SPACE.groups, lt: spaceEnd(SPACE.groups), reverse: true, limit: 1 });
  if (!newest) return { tail: { seq: 0, mac: "" }, damage: [] };
  const stamped = parseTail(await store.get(META.head));
  const group = unsealGroup(newest.value);
  if (!group) {
    if (!stamped)
      throw new AppError("data_corrupt", "both copies of the journal's head are damaged", {
        details: { key: newest.key },
      });
    return {
      tail: stamped,
      damage: [
        {
          what: "group",
          key: newest.key,
          seq: stamped.seq,
          message: `the newest commit (up to seq ${stamped.seq}) is damaged`,
        },
      ],
    };
  }
  const tail: Tail = { seq: group.first + group.members.length - 1, mac: group.mac };
  const damage: Damage[] = [];
  if (stamped?.seq !== tail.seq || stamped.mac !== tail.mac)
    damage.push({
      what: "head",
      seq: tail.seq,
      message: "the journal's stamped head is not that of its newest commit",
    });
  if (chain.mac(groupBody(group)) !== group.mac)
    damage.push({
      what: "chain",
      seq: tail.seq,
      message: `the newest commit (seq ${tail.seq}) does not carry this journal's MAC`,
    });
  const records = await store.getMany(group.members.map(({ session, rev }) => recordKey(session, rev)));
  const macs = records.map((value) => (value ? (unsealRecord(value)?.mac ?? "") : ""));
  if (hashOfMacs(macs) !== group.hash)
    damage.push({
      what: "record",
      seq: tail.seq,
      message: `a record of the newest commit (seq ${group.first} to ${tail.seq}) is damaged`,
    });
  return { tail, damage };
}

function parseTail(value: Uint8Array | undefined): Tail | undefined {
  const [seq, mac] = (value && unseal(value))?.split(" ") ?? [];
  return mac === undefined ? undefined : { seq: Number.parseInt(seq!, 36), mac };
}
