import { hash } from "node:crypto";
import type { Journal } from "@swarm/journal";
import type { AnyMutation } from "@swarm/protocol/ports";
import { messageOf } from "../journal/kinds.ts";

/** Sessions are fewer than writers, so that writers meet in them. */
const SESSIONS = 60;
const PAIR_EVERY = 7;
const BLOB_EVERY = 5;
const STREAM_EVERY = 3;

/** One step of a writer: its calls can be made again from its name alone, for retries. */
export interface Step {
  readonly mutations: readonly AnyMutation[];
  readonly keys: readonly string[];
}

/** What writer `writer` of round `round` does in its `n`-th step. Texts begin with the key and name what belongs to them. */
export function stepOf(journal: Pick<Journal, "blob">, round: string, writer: number, n: number): Step {
  const key = `${round}.${writer}.${n}`;
  const filler = hash("sha512", key, "hex").repeat(1 + ((writer + n) % 6));
  const session = `ses_${(writer + n) % SESSIONS}`;
  if (n % PAIR_EVERY === 0) {
    const other = `${key}.pair`;
    const mutations = [
      messageOf(session, key, `${key}|pair|${other}|${filler}`),
      messageOf(`ses_${(writer * 3 + n) % SESSIONS}`, other, `${other}|pair|${key}|`),
    ];
    return { mutations, keys: [key, other] };
  }
  const blobs = n % BLOB_EVERY === 0 ? [journal.blob(Buffer.from(`blob of ${n % 50} ${"<p>x</p>".repeat(300)}`))] : [];
  const dropStreams = n % STREAM_EVERY === 0 ? [streamOf(round, writer)] : [];
  const text = `${key}|blob|${blobs[0]?.ref.blob ?? ""}|${filler}`;
  return { mutations: [messageOf(session, key, text, { blobs, dropStreams })], keys: [key] };
}

export const streamOf = (round: string, writer: number): string => `stream ${round} ${writer}`;

/** What a text of `stepOf` says of itself. */
export function parseText(text: string): { key: string; pair: string; blob: string } {
  const [key, what, name] = text.split("|");
  return { key: key!, pair: what === "pair" ? name! : "", blob: what === "blob" ? name! : "" };
}
