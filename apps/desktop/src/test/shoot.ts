/** Pictures of the pages over a fake daemon: `node apps/desktop/src/test/shoot.ts OUT_DIR [sessions]`. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { CODE, FakeDaemon } from "./fake-daemon.ts";
import { World } from "./scenario.ts";

const out = process.argv[2] ?? "/tmp/desktop-shots";
const only = process.argv[4];
mkdirSync(out, { recursive: true });
const world = new World(Number(process.argv[3] ?? 100), Date.now());
const daemon = new FakeDaemon(world, join(import.meta.dirname, "../../dist"));
const base = await daemon.start();
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium-headless-shell",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});

const streaming = world.scenes.filter((s) => s.end === "running" && s.summary.artifact).at(2)!;
const run = streaming.summary.run!;
const step = streaming.records.findLast((r) => r.kind === "step.started")!.payload.step;
daemon.live({
  session: streaming.id,
  run,
  step,
  stream: "text",
  offset: 0,
  text: "Revision 2 is out. While the gate runs I am checking that the p95 line stays readable at 640 × 400, because the label sits 4 px from the",
});

const routes: Record<string, string> = {
  art: `#/artifacts/${world.scenes.find((s) => s.summary.artifact?.state === "published")!.summary.artifact!.id}`,
  swarm: "#/",
  table: "#/",
  session: `#/session/${streaming.id}`,
  done: `#/session/${world.scenes.find((s) => s.end === "delivered" && s.summary.repairs > 0)!.id}`,
  ask: `#/session/${world.scenes.find((s) => s.end === "asks")!.id}`,
  inbox: "#/inbox",
  artifacts: "#/artifacts",
  stuck: "#/?show=stuck",
  palette: "#/",
  newrun: "#/",
  keys: "#/",
};

async function shoot(page: Page, name: string, route: string, size: string, theme: string): Promise<void> {
  await page.goto(`${base}/${route}`);
  await page.waitForSelector(".app");
  await page.waitForTimeout(700);
  if (name === "table") await page.keyboard.press("v");
  if (name === "palette") {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("ttft");
  }
  if (name === "newrun") await page.keyboard.press("n");
  if (name === "keys") await page.keyboard.press("?");
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(out, `${name}-${size}-${theme}.png`) });
  if (name === "table") await page.keyboard.press("v");
  await page.keyboard.press("Escape");
}

for (const [size, viewport] of [
  ["desk", { width: 1440, height: 900 }],
  ["phone", { width: 390, height: 844 }],
  ["mid", { width: 1000, height: 800 }],
] as const) {
  for (const theme of ["dark", "light"] as const) {
    if (size === "mid" && theme === "light") continue;
    const context = await browser.newContext({ viewport, colorScheme: theme, hasTouch: size === "phone" });
    const page = await context.newPage();
    page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && console.log(size, theme, m.text()));
    page.on("pageerror", (e) => console.log(size, theme, "ERROR", e.message));
    await page.goto(`${base}/#${CODE}`);
    await page.waitForTimeout(300);
    for (const [name, route] of Object.entries(routes))
      if (only === undefined || only.split(",").includes(name)) await shoot(page, name, route, size, theme);
    await context.close();
  }
}
await browser.close();
await daemon.stop();
