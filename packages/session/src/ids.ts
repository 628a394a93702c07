import { createHash } from "node:crypto";
import type { RunId, SessionId } from "@swarm/std";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const SIGNS = 16;

function derived(prefix: string, ...parts: readonly string[]): string {
  const bytes = createHash("sha256")
    .update([prefix, ...parts].join("\0"))
    .digest();
  let out = `${prefix}_`;
  for (const byte of bytes.subarray(0, SIGNS)) out += ALPHABET[byte & 31];
  return out;
}

/** The same caller and key are the same session, whoever asks again: that is what makes creation idempotent. */
export function sessionOf(actor: string, key: string): SessionId {
  return derived("ses", actor, key) as SessionId;
}

export function runOf(actor: string, key: string): RunId {
  return derived("run", actor, key) as RunId;
}

/** The run that answers what came too late for `run`. */
export function followUpRun(run: string): RunId {
  return derived("run", "follow", run) as RunId;
}
