import type { Fault } from "./fault.ts";

/** Key formats that are never right in a published document. The value itself is never repeated in a message. */
const FORMATS: readonly (readonly [string, RegExp])[] = [
  ["AWS access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/u],
  ["GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})/u],
  ["GitLab token", /\bglpat-[A-Za-z0-9_-]{20,}/u],
  ["Google API key", /\bAIza[0-9A-Za-z_-]{35}/u],
  ["model provider key", /\bsk-(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{32,}/u],
  ["Slack token", /\bxox[abprs]-[A-Za-z0-9-]{20,}/u],
  ["Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,}/u],
  ["npm token", /\bnpm_[A-Za-z0-9]{36}\b/u],
  ["private key", /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/u],
  ["web token", /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}/u],
];

export function findSecrets(html: string): Fault[] {
  const faults: Fault[] = [];
  for (const [name, format] of FORMATS) {
    const match = format.exec(html);
    if (match === null) continue;
    faults.push({
      check: "secret",
      message: `the document holds what looks like a ${name}`,
      fix: "remove the credential from the document",
      offset: match.index,
    });
  }
  return faults;
}
