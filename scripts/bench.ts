/** `npm run bench -- <name> [--json] [options]`: one benchmark, each with a baseline in the same run. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

const BENCHES: Record<string, { readonly file: string; readonly what: string }> = {
  sessions: {
    file: "apps/century/src/bench/sessions.ts",
    what: "n whole sessions on a real daemon against the bare loop: memory, CPU, disk, delay",
  },
  journal: {
    file: "packages/journal/src/journal.bench.ts",
    what: "durable mutations per second against a raw group-commit log",
  },
  gateway: {
    file: "packages/gateway/src/gateway.bench.ts",
    what: "100 streams through the chat wire against a bare reader",
  },
};

const [name, ...args] = process.argv.slice(2);
const bench = name === undefined ? undefined : BENCHES[name];
if (bench === undefined) {
  console.error(
    `${name === undefined ? "name a benchmark" : `no benchmark '${name}'`}: npm run bench -- <name> [--json]`,
  );
  for (const [id, { what }] of Object.entries(BENCHES)) console.error(`  ${id.padEnd(10)} ${what}`);
  process.exit(2);
}
const result = spawnSync(
  process.execPath,
  ["--disable-warning=ExperimentalWarning", "--expose-gc", join(ROOT, bench.file), ...args],
  { stdio: "inherit" },
);
process.exit(result.status ?? 1);
