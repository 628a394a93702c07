import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signedText, type Provenance } from "@swarm/protocol";
import { AppError, errorMessage, errnoCode } from "@swarm/std";

/** Signs with the daemon's Ed25519 key. The private key never leaves this module. */
export interface Signer {
  /** Raw, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** First 16 hex digits of the public key's SHA-256. */
  readonly fingerprint: string;
  /** Base64 of the 64-byte signature. */
  sign(text: string): string;
}

/** Length of the SubjectPublicKeyInfo header before the raw key (RFC 8410). */
const SPKI_HEADER_BYTES = 12;

/** Reads the key pair of the data directory, made at the first start: `keys/signing.pem` (0600) and `keys/signing.pub` (base64). */
export function openSigner(home: string): Signer {
  const dir = join(home, "keys");
  const path = join(dir, "signing.pem");
  let pem: string;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    pem = readOrMake(path);
  } catch (error) {
    throw new AppError(
      "data_dir_unwritable",
      `The signing key ${path} cannot be read or made: ${errorMessage(error)}`,
      { retry: "after-fix", cause: error },
    );
  }
  const key = createPrivateKey(pem);
  const publicKey = new Uint8Array(
    createPublicKey(key).export({ type: "spki", format: "der" }).subarray(SPKI_HEADER_BYTES),
  );
  writeFileSync(join(dir, "signing.pub"), `${Buffer.from(publicKey).toString("base64")}\n`, { mode: 0o644 });
  return {
    publicKey,
    fingerprint: createHash("sha256").update(publicKey).digest("hex").slice(0, 16),
    sign: (text) => sign(null, Buffer.from(text, "utf8"), key).toString("base64"),
  };
}

function readOrMake(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoCode(error) !== "ENOENT") throw error;
    const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    writeFileSync(path, pem, { mode: 0o600, flag: "wx" });
    return pem;
  }
}

/** The signed statement. Only a gate that passed is signed: the caller decides, `verifyProvenance` checks it again. */
export function signProvenance(
  signer: Signer,
  statement: Omit<Provenance, "keyFingerprint" | "signature">,
): Provenance {
  const unsigned: Provenance = { ...statement, keyFingerprint: signer.fingerprint, signature: "" };
  return { ...unsigned, signature: signer.sign(signedText(unsigned)) };
}
