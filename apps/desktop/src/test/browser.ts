import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { build } from "vite";
import { CODE, FakeDaemon } from "./fake-daemon.ts";
import { World } from "./scenario.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: FLAGS });
}

/** The page as it is shipped, built into a folder of its own. */
export async function buildDesktop(): Promise<{ dist: string } & AsyncDisposable> {
  const dist = await mkdtemp(join(tmpdir(), "swarm-desktop-"));
  const root = join(import.meta.dirname, "../..");
  await build({
    root,
    configFile: join(root, "vite.config.ts"),
    logLevel: "error",
    build: { outDir: dist, emptyOutDir: true, reportCompressedSize: false },
  });
  return { dist, [Symbol.asyncDispose]: () => rm(dist, { recursive: true, force: true }) };
}

export interface Rig {
  readonly daemon: FakeDaemon;
  readonly page: Page;
  readonly base: string;
  /** Console errors and page errors so far. */
  readonly errors: readonly string[];
}

/** A fresh daemon and a signed-in page; both gone when `use` returns. */
export async function withDesktop(
  browser: Browser,
  dist: string,
  sessions: number,
  use: (rig: Rig) => Promise<void>,
  options: { width?: number; height?: number; theme?: "dark" | "light" } = {},
): Promise<void> {
  const daemon = new FakeDaemon(new World(sessions, Date.now()), dist);
  const base = await daemon.start();
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.theme ?? "dark",
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  try {
    await page.goto(`${base}/#${CODE}`);
    await use({ daemon, page, base, errors });
  } finally {
    await context.close();
    await daemon.stop();
  }
}
