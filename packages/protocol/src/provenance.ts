import { canonicalJson } from "@swarm/std";
import type { Provenance } from "./artifact.ts";

/**
 * Offline check of a published artifact, in Node and in the browser (WebCrypto Ed25519).
 * `changed`: the bytes are not the signed ones. `foreign_key`: signed by another key. `bad_signature`: the
 * statement was changed. `missing_check`: signed, but the gate had not passed it.
 */
export type ProvenanceVerdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly error: "changed" | "foreign_key" | "bad_signature" | "missing_check";
      readonly message: string;
    };

export async function verifyProvenance(
  bytes: Uint8Array,
  provenance: Provenance,
  publicKey: Uint8Array,
): Promise<ProvenanceVerdict> {
  const fingerprint = await keyFingerprint(publicKey);
  if (provenance.keyFingerprint !== fingerprint) {
    return {
      ok: false,
      error: "foreign_key",
      message: `signed by key ${provenance.keyFingerprint}, this daemon's key is ${fingerprint}`,
    };
  }
  const key = await crypto.subtle.importKey("raw", own(publicKey), { name: "Ed25519" }, false, ["verify"]);
  const signature = Uint8Array.from(atob(provenance.signature), (c) => c.charCodeAt(0));
  const valid = await crypto.subtle.verify(
    "Ed25519",
    key,
    own(signature),
    own(new TextEncoder().encode(signedText(provenance))),
  );
  if (!valid)
    return { ok: false, error: "bad_signature", message: "the provenance statement was changed after it was signed" };
  const sha256 = hex(await crypto.subtle.digest("SHA-256", own(bytes)));
  if (sha256 !== provenance.sha256) {
    return { ok: false, error: "changed", message: `the file's SHA-256 is ${sha256}, signed was ${provenance.sha256}` };
  }
  const { checks } = provenance;
  if (checks.verdict === "rejected" || checks.failed > 0 || checks.passed === 0) {
    return {
      ok: false,
      error: "missing_check",
      message: `the gate did not pass it: ${checks.passed} passed, ${checks.failed} failed`,
    };
  }
  return { ok: true };
}

/** The text that is signed: canonical JSON of everything but the signature. */
export function signedText(provenance: Provenance): string {
  const { signature: _signature, ...statement } = provenance;
  return canonicalJson(statement);
}

/** First 16 hex digits of the key's SHA-256. */
export async function keyFingerprint(publicKey: Uint8Array): Promise<string> {
  return hex(await crypto.subtle.digest("SHA-256", own(publicKey))).slice(0, 16);
}

function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
function hex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, "0")).join("");
}
