/** `npm run check`: types, lint, format, arrows, dead code. All run, all failures are shown. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const bin = (name: string): string => join(ROOT, "node_modules", ".bin", name);

const CHECKS: readonly { name: string; command: readonly string[] }[] = [
  { name: "types", command: [bin("tsc"), "-p", "."] },
  { name: "types of the desktop", command: [bin("tsc"), "-p", "apps/desktop"] },
  { name: "lint", command: [bin("oxlint"), "--type-aware", "--deny-warnings"] },
  { name: "format", command: [bin("oxfmt"), "--check", "."] },
  {
    name: "arrows and house rules",
    command: [process.execPath, "--disable-warning=ExperimentalWarning", "--test", "tests/house.test.ts"],
  },
  { name: "dead code", command: [process.execPath, bin("knip"), "--no-progress"] },
];

let failed = 0;
for (const { name, command } of CHECKS) {
  const [file, ...args] = command as [string, ...string[]];
  const started = Date.now();
  const result = spawnSync(file, args, { cwd: ROOT, encoding: "utf8" });
  const ok = result.status === 0;
  console.log(`${ok ? "✓" : "✗"} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  if (ok) continue;
  failed++;
  console.log(`${result.stdout}${result.stderr}`.slice(0, 20_000));
}
console.log(failed === 0 ? "all checks passed" : `${failed} of ${CHECKS.length} checks failed`);
process.exit(failed === 0 ? 0 : 1);
