import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { buildDesktop, launch, withDesktop } from "./browser.ts";

let browser: Browser;
let built: Awaited<ReturnType<typeof buildDesktop>>;

before(async () => {
  built = await buildDesktop();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await built?.[Symbol.asyncDispose]();
});

describe("accessibility", () => {
  for (const theme of ["dark", "light"] as const) {
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      it(`axe finds nothing at ${width} in ${theme}: swarm, table, session, inbox, artifacts, dialogs`, async () => {
        await withDesktop(
          browser,
          built.dist,
          60,
          async ({ page, daemon, base }) => {
            await page.waitForSelector(".card img");
            const check = async (where: string): Promise<void> => {
              await page.waitForTimeout(350);
              await page.evaluate(axe.source);
              const found = await page.evaluate(async () => {
                const run = (
                  globalThis as unknown as {
                    axe: {
                      run(
                        o: unknown,
                      ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
                    };
                  }
                ).axe;
                const { violations } = await run.run({
                  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
                });
                return violations.map(
                  (v) =>
                    `${v.id}: ${v.nodes
                      .slice(0, 3)
                      .map((n) => `${n.html.slice(0, 160)} ${n.failureSummary}`)
                      .join(" | ")}`,
                );
              });
              assert.deepEqual(found, [], where);
            };
            await check("swarm");
            await page.keyboard.press("v");
            await check("table");
            await page.keyboard.press("v");
            await page.keyboard.press("Control+k");
            await check("palette");
            await page.keyboard.press("Escape");
            await page.keyboard.press("n");
            await check("new run");
            await page.keyboard.press("Escape");
            await page.goto(
              `${base}/#/session/${daemon.world.scenes.find((s) => s.end === "delivered" && s.summary.repairs > 0)!.id}`,
            );
            await page.waitForSelector(".pcard.end");
            await check("session");
            await page.goto(`${base}/#/inbox`);
            await page.waitForSelector(".pcard");
            await check("inbox");
            await page.goto(`${base}/#/artifacts`);
            await page.waitForSelector(".ac img");
            await check("artifacts");
          },
          { width, height, theme },
        );
      });
    }
  }
});
