/** `npm test [-- filter …]`: builds what tests need, runs every test file, ends with "N passed, N failed". */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { buildAll } from "./build.ts";
import { ensureBrowser } from "./browser.ts";

const root = join(import.meta.dirname, "..");
const filters = process.argv.slice(2);

const files = globSync(
  ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.ts", "apps/*/test/**/*.test.ts", "tests/**/*.test.ts"],
  { cwd: root },
)
  .filter((file) => !file.includes("node_modules"))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${filters.join(" ")}`);
  process.exit(1);
}

const browser = await ensureBrowser({ install: process.env["CI"] === "true" || process.getuid?.() === 0 });
console.error(
  browser.path ? `tests: browser ${browser.path}` : `tests: no browser, its tests are skipped: ${browser.reason}`,
);
await buildAll({ quiet: true });

/** Two files at once: the machine's cores; browser and crash tests start processes of their own. */
const CONCURRENCY = 2;
const child = spawn(
  process.execPath,
  [
    "--disable-warning=ExperimentalWarning",
    "--test",
    `--test-concurrency=${CONCURRENCY}`,
    "--test-timeout=300000",
    "--test-reporter=./scripts/reporter.ts",
    ...files,
  ],
  { cwd: root, stdio: "inherit" },
);
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
