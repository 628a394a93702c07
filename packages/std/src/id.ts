/** Branded ids: a prefix tells the kind, the rest is 80 random bits in Crockford base 32 (16 signs). */
declare const brand: unique symbol;
export type Branded<T extends string> = string & { readonly [brand]: T };

export type SessionId = Branded<"ses">;
export type RunId = Branded<"run">;
export type ArtifactId = Branded<"art">;
export type QuestionId = Branded<"qst">;
export type ProgramId = Branded<"prg">;

const PREFIX = { ses: "ses_", run: "run_", art: "art_", qst: "qst_", prg: "prg_", tkt: "tkt_", bch: "bch_" } as const;
export type IdKind = keyof typeof PREFIX;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export function newId<K extends IdKind>(kind: K): Branded<K> {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let out: string = PREFIX[kind];
  for (const b of bytes) out += ALPHABET[b & 31];
  return out as Branded<K>;
}

export function isId<K extends IdKind>(kind: K, value: unknown): value is Branded<K> {
  return typeof value === "string" && value.startsWith(PREFIX[kind]) && /^[a-z]{3}_[0-9a-z]{1,64}$/.test(value);
}
