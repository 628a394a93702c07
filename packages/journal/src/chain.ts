import { hash } from "node:crypto";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/**
 * HMAC-SHA-256 as base64url, made of two plain hashes: on this path that is twice as fast as a `createHmac` object.
 * The key is 64 hex digits taken as ASCII, exactly one block, so both padded keys are ASCII too and join
 * the text as a string.
 */
export class ChainKey {
  readonly #inner: string;
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

  constructor(hexKey: string) {
    if (!/^[0-9a-f]{64}$/.test(hexKey)) throw new TypeError("a chain key is 64 lower-case hex digits");
    this.#inner = padded(hexKey, 0x36);
    this.#outer.write(padded(hexKey, 0x5c), "latin1");
  }

  mac(text: string): string {
    this.#outer.write(hash("sha256", this.#inner + text, "binary"), BLOCK_BYTES, "latin1");
    return hash("sha256", this.#outer, "base64url");
  }

  /** The MAC of a record: over its predecessor's MAC, the session's epoch and the record's JSON. */
  recordMac(previousMac: string, epoch: number, json: string): string {
    return this.mac(`${previousMac}${epoch.toString(36)}|${json}`);
  }
}

function padded(key: string, pad: number): string {
  return Array.from(key, (char) => String.fromCharCode(char.charCodeAt(0) ^ pad)).join("");
}

/** Hash of the record MACs of one group, in seq order. */
export function hashOfMacs(macs: readonly string[]): string {
  return hash("sha256", macs.join(""), "base64url");
}

const PAYLOAD_HASH_CHARS = 22;

/** 132 bits over what a mutation does: enough to tell two payloads under one key apart. */
export function payloadHash(session: string, kind: string, payloadJson: string): string {
  return hash("sha256", `${session} ${kind} ${payloadJson}`, "base64url").slice(0, PAYLOAD_HASH_CHARS);
}
