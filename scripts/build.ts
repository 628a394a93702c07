/**
 * Bundles what runs for long or in the browser: the daemon (one file: 26 MiB less memory than stripping types at
 * start) and the desktop. Skipped when no source changed.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as esbuild } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

function sourceHash(patterns: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of globSync([...patterns, "package-lock.json", "scripts/build.ts"], {
    cwd: ROOT,
    exclude: (path) => path.includes("node_modules") || path.endsWith("/dist"),
  }).sort()) {
    if (!statSync(join(ROOT, file)).isFile()) continue;
    hash.update(file);
    hash.update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex");
}

async function once(
  name: string,
  patterns: readonly string[],
  output: string,
  quiet: boolean,
  work: () => Promise<void>,
): Promise<void> {
  const stamp = join(ROOT, ".cache", `build-${name}`);
  const hash = sourceHash(patterns);
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  const started = Date.now();
  await work();
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  writeFileSync(stamp, hash);
  if (!quiet) console.error(`swarm: built ${name} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

export const DAEMON_BUNDLE = join(ROOT, "dist", "swarmd.mjs");
export const DESKTOP_DIST = join(ROOT, "apps", "desktop", "dist");

export async function buildAll(options: { quiet?: boolean } = {}): Promise<void> {
  const quiet = options.quiet ?? false;
  await once("daemon", ["packages/*/src/**/*.ts", "apps/swarmd/src/**/*.ts"], DAEMON_BUNDLE, quiet, async () => {
    await esbuild({
      entryPoints: [join(ROOT, "apps/swarmd/src/main.ts")],
      outfile: DAEMON_BUNDLE,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node24",
      minifySyntax: true,
      minifyWhitespace: true,
      keepNames: false,
      external: ["classic-level"],
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
      logLevel: "warning",
    });
  });
  await once(
    "desktop",
    [
      "apps/desktop/src/**/*",
      "apps/desktop/public/**/*",
      "apps/desktop/index.html",
      "apps/desktop/vite.config.ts",
      "packages/{std,protocol,sync}/src/**/*.ts",
    ],
    join(DESKTOP_DIST, "index.html"),
    quiet,
    async () => {
      const { build } = await import("vite");
      await build({ root: join(ROOT, "apps/desktop"), logLevel: "warn" });
    },
  );
}

if (import.meta.main) await buildAll();
