import { crc32 } from "node:zlib";

/**
 * Every value carries a CRC: the engine returns flipped bytes without an error. A sealed text is eight hex
 * digits of CRC-32 over the UTF-8 bytes of what follows.
 */
const CRC_CHARS = 8;
export const MAC_CHARS = 43;

export function seal(body: string): string {
  return crc32(body).toString(16).padStart(CRC_CHARS, "0") + body;
}

/** The body, or undefined when the value is damaged. */
export function unseal(value: Uint8Array): string | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const crc = Number.parseInt(bytes.toString("latin1", 0, CRC_CHARS), 16);
  return crc === crc32(bytes.subarray(CRC_CHARS)) ? bytes.toString("utf8", CRC_CHARS) : undefined;
}

/** A record on disk: its MAC, the session's epoch after it (base 36), a bar, the record's JSON as published. */
export interface SealedRecord {
  readonly mac: string;
  readonly epoch: number;
  readonly json: string;
}

export function sealRecord({ mac, epoch, json }: SealedRecord): string {
  return seal(`${mac}${epoch.toString(36)}|${json}`);
}

export function unsealRecord(value: Uint8Array): SealedRecord | undefined {
  const body = unseal(value);
  if (body === undefined) return undefined;
  const bar = body.indexOf("|", MAC_CHARS);
  return {
    mac: body.slice(0, MAC_CHARS),
    epoch: Number.parseInt(body.slice(MAC_CHARS, bar), 36),
    json: body.slice(bar + 1),
  };
}

/** The newest state of a session's chain. `rev` 0: the session does not exist. */
export interface SessionHead {
  readonly rev: number;
  readonly epoch: number;
  /** MAC of the record `rev`. */
  readonly mac: string;
}
export const NO_HEAD: SessionHead = { rev: 0, epoch: 0, mac: "" };

export function sealHead(head: SessionHead): string {
  return seal(`${head.rev.toString(36)} ${head.epoch.toString(36)} ${head.mac}`);
}

export function unsealHead(value: Uint8Array): SessionHead | undefined {
  const [rev, epoch, mac] = unseal(value)?.split(" ") ?? [];
  return mac === undefined ? undefined : { rev: Number.parseInt(rev!, 36), epoch: Number.parseInt(epoch!, 36), mac };
}

/** What an idempotency key led to. `hash` is that of kind, session and payload; `at` is wall ms, for retention. */
export interface IdempotencyEntry {
  readonly hash: string;
  readonly seq: number;
  readonly rev: number;
  readonly at: number;
  readonly session: string;
}

export function sealEntry(entry: IdempotencyEntry): string {
  return seal(
    `${entry.hash} ${entry.seq.toString(36)} ${entry.rev.toString(36)} ${entry.at.toString(36)} ${entry.session}`,
  );
}

export function unsealEntry(value: Uint8Array): IdempotencyEntry | undefined {
  const [hash, seq, rev, at, session] = unseal(value)?.split(" ") ?? [];
  if (session === undefined) return undefined;
  return {
    hash: hash!,
    seq: Number.parseInt(seq!, 36),
    rev: Number.parseInt(rev!, 36),
    at: Number.parseInt(at!, 36),
    session,
  };
}

/**
 * One commit: its records in seq order, the hash of their MACs and the MAC of the commit before it. The global
 * chain keeps hashes only, so it stays whole when a session's records are gone.
 */
export interface Group {
  readonly first: number;
  readonly members: readonly { readonly session: string; readonly rev: number }[];
  readonly hash: string;
  readonly previousMac: string;
}

/** The text a group's MAC covers. */
export function groupBody(group: Group): string {
  const members = group.members.map(({ session, rev }) => `${session}/${rev.toString(36)}`).join(",");
  return `${group.first.toString(36)} ${group.hash} ${group.previousMac || "-"} ${members}`;
}

export function sealGroup(mac: string, body: string): string {
  return seal(mac + body);
}

export function unsealGroup(value: Uint8Array): (Group & { readonly mac: string }) | undefined {
  const body = unseal(value);
  if (body === undefined) return undefined;
  const [first, hash, previousMac, members] = body.slice(MAC_CHARS).split(" ");
  return {
    mac: body.slice(0, MAC_CHARS),
    first: Number.parseInt(first!, 36),
    hash: hash!,
    previousMac: previousMac === "-" ? "" : previousMac!,
    members: members!.split(",").map((member) => {
      const [session, rev] = member.split("/");
      return { session: session!, rev: Number.parseInt(rev!, 36) };
    }),
  };
}
