/** Key formats that are a secret wherever they stand. A name and a pattern each; the value itself is never shown. */
const FORMATS: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["a Google API key", /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/],
  ["a GitHub token", /\b(?:gh[opusr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{30,})\b/],
  ["a GitLab token", /\bglpat-[0-9A-Za-z_-]{20,}/],
  ["a Slack token", /\bxox[abprs]-[0-9A-Za-z-]{10,}/],
  ["a Stripe key", /\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}\b/],
  ["a model provider's key", /\bsk-(?:ant-|proj-|or-)?[0-9A-Za-z_-]{20,}/],
  ["a bearer token", /\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}/],
];

export function findSecrets(text: string): { readonly what: string; readonly offset: number }[] {
  return FORMATS.flatMap(([what, pattern]) => {
    const at = text.search(pattern);
    return at < 0 ? [] : [{ what, offset: at }];
  });
}
