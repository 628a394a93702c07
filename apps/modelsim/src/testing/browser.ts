/** A real Chromium for card tests. */
import { existsSync } from "node:fs";
import { chromium, type Browser, type Page } from "playwright-core";

const CANDIDATES = [process.env["SWARM_CHROMIUM"] ?? "", "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function findChromium(): string | undefined {
  return CANDIDATES.find((path) => path !== "" && existsSync(path));
}

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGS });
}

export interface CardPage extends AsyncDisposable {
  readonly page: Page;
  /** Console errors, page errors and requests beyond the document itself. */
  readonly complaints: string[];
}

/** Opens a document as the one answer of its own origin: every other request fails and is noted. */
export async function openCard(browser: Browser, html: string, width: number, height: number): Promise<CardPage> {
  const page = await browser.newPage({ viewport: { width, height } });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`console: ${message.text()}`);
  });
  await page.route("**/*", async (route) => {
    if (route.request().url() === "https://card.invalid/")
      return route.fulfill({ contentType: "text/html; charset=utf-8", body: html });
    complaints.push(`request: ${route.request().url()}`);
    return route.abort();
  });
  await page.goto("https://card.invalid/");
  return { page, complaints, [Symbol.asyncDispose]: () => page.close() };
}
