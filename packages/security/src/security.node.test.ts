import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { verifyProvenance, type Provenance } from "@swarm/protocol";
import { openSigner, openTokens, signProvenance } from "./index.ts";

const root = mkdtempSync(join(tmpdir(), "swarm-security-"));
after(() => rmSync(root, { recursive: true, force: true }));
const bytes = new TextEncoder().encode("<!doctype html><title>card</title>");

function statement(checks: Partial<Provenance["checks"]> = {}): Omit<Provenance, "keyFingerprint" | "signature"> {
  return {
    artifact: "art_1",
    revision: 2,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    session: "ses_1",
    run: "run_1",
    model: "sim/perfect",
    checks: { verdict: "verified", passed: 30, failed: 0, notRun: 0, ...checks },
    at: "2026-12-01T00:00:00.000Z",
  };
}

test("a signed artifact verifies; a changed byte, a foreign key, a changed statement and a missing check are four different errors", async () => {
  const signer = openSigner(join(root, "a"));
  const signed = signProvenance(signer, statement());
  assert.deepEqual(await verifyProvenance(bytes, signed, signer.publicKey), { ok: true });
  const error = async (b: Uint8Array, p: Provenance, key = signer.publicKey): Promise<string> => {
    const verdict = await verifyProvenance(b, p, key);
    return verdict.ok ? "ok" : verdict.error;
  };
  const changed = bytes.slice();
  changed[5] = 0x58;
  assert.equal(await error(changed, signed), "changed");
  assert.equal(await error(bytes, signed, openSigner(join(root, "b")).publicKey), "foreign_key");
  assert.equal(await error(bytes, { ...signed, model: "google/gemini" }), "bad_signature");
  assert.equal(await error(bytes, signProvenance(signer, statement({ failed: 1 }))), "missing_check");
  assert.equal(await error(bytes, signProvenance(signer, statement({ verdict: "rejected" }))), "missing_check");
});

test("the key pair is made once, private to its owner, and the same after a restart", () => {
  const home = join(root, "c");
  const first = openSigner(home);
  assert.equal(openSigner(home).fingerprint, first.fingerprint);
  assert.equal(statSync(join(home, "keys", "signing.pem")).mode & 0o777, 0o600);
  assert.equal(
    Buffer.from(readFileSync(join(home, "keys", "signing.pub"), "utf8"), "base64").equals(first.publicKey),
    true,
  );
});

test("a code and a ticket work once and only in time; the token file is private and rotation ends the old token", () => {
  const home = join(root, "d");
  let now = 0;
  const tokens = openTokens(home, () => now);
  const bearer = readFileSync(join(home, "token"), "utf8").trim();
  assert.equal(statSync(join(home, "token")).mode & 0o777, 0o600);
  assert.ok(tokens.check(bearer));
  assert.equal(tokens.check(`${bearer}x`), undefined);
  assert.equal(tokens.check(""), undefined);
  const code = tokens.createLoginCode();
  assert.equal(tokens.exchange(code), bearer);
  assert.equal(tokens.exchange(code), undefined, "a second use");
  const late = tokens.createLoginCode();
  now += 60_001;
  assert.equal(tokens.exchange(late), undefined, "too late");
  const ticket = tokens.createStreamTicket();
  assert.equal(tokens.redeemStreamTicket(ticket), true);
  assert.equal(tokens.redeemStreamTicket(ticket), false);
  const frame = tokens.createFrameTicket({ artifact: "art_1", revision: 1 });
  assert.deepEqual(tokens.frameOf(frame.ticket), { artifact: "art_1", revision: 1 });
  assert.deepEqual(tokens.frameOf(frame.ticket), { artifact: "art_1", revision: 1 }, "a frame may load again");
  const next = tokens.rotate();
  assert.equal(tokens.check(bearer), undefined);
  assert.ok(tokens.check(next));
  assert.ok(openTokens(home, () => now).check(next), "the same after a restart");
});
