import type { Finding } from "@swarm/protocol";

/** Findings in the order they are made; each check has one. */
export class Ledger {
  readonly #findings = new Map<string, Finding>();

  pass(check: string, message: string): void {
    if (!this.#findings.has(check)) this.#findings.set(check, { check, ok: true, message });
  }

  fail(check: string, message: string, fix: string): void {
    if (this.#findings.get(check)?.ok !== false) this.#findings.set(check, { check, ok: false, message, fix });
  }

  judge(check: string, ok: boolean, passed: string, message: string, fix: string): void {
    if (ok) this.pass(check, passed);
    else this.fail(check, message, fix);
  }

  findings(): Finding[] {
    return [...this.#findings.values()];
  }
}
