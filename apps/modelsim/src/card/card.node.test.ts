/** Cards in a real browser: one of each visualiser (all hundred with SWARM_CARDS=all). */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { NODES } from "@swarm/protocol/nodes";
import type { Browser, Page } from "playwright-core";
import { findChromium, launch, openCard } from "../testing/browser.ts";
import { VISUALS, visualFor } from "./choose.ts";
import { generateCard } from "./generate.ts";

const chromium = findChromium();
const ALL = process.env["SWARM_CARDS"] === "all";
const SAMPLE = ALL ? NODES : VISUALS.map((v) => NODES.find((n) => visualFor(n) === v)!);
const SIZES = [
  { width: 640, height: 400 },
  { width: 1920, height: 1080 },
] as const;
/** Out of order, both ends, the first one again. */
const INSTANTS = ALL ? [0, 6250, 1250, 10000, 3750, 8750, 2500, 5000, 0] : [0, 6250, 10000, 1250, 0];

interface Hook {
  readonly version: string;
  ready(): Promise<unknown>;
  seek(ms: number): Promise<unknown>;
}
declare global {
  var __SWARM_ANIMATION_V1__: Hook;
}

function seek(page: Page, ms: number): Promise<unknown> {
  return page.evaluate(async (at) => {
    const answer = await globalThis.__SWARM_ANIMATION_V1__.seek(at);
    return { answer, set: document.documentElement.dataset["swarmAnimationTimeMs"] };
  }, ms);
}

async function still(page: Page, ms: number): Promise<string> {
  assert.deepEqual(await seek(page, ms), { answer: { time_ms: ms }, set: String(ms) });
  return hash("sha256", await page.screenshot(), "hex");
}

/** What a viewer would complain about: parts outside the window, scrolling, tiny or cut texts, an empty picture. */
function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const root = document.documentElement;
    if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) faults.push("the page scrolls");
    for (const element of document.querySelectorAll<HTMLElement>("main [id]")) {
      const box = element.getBoundingClientRect();
      if (box.width < 4 || box.height < 4) faults.push(`${element.id} has no size`);
      if (box.left < 0 || box.top < 0 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5)
        faults.push(`${element.id} is outside`);
    }
    for (const element of document.querySelectorAll<HTMLElement>("main :is(h1, dt, dd, span, p, output)")) {
      if (Number.parseFloat(getComputedStyle(element).fontSize) < 11) faults.push(`small text: ${element.textContent}`);
    }
    for (const selector of ["h1", "#value", "#p50", "#p95", "#peak", "#source", "#readout p"]) {
      const element = document.querySelector<HTMLElement>(selector)!;
      if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
        faults.push(`cut: ${element.textContent}`);
    }
    const boxes = ["header", "stage", "stats", "readout", "trace", "legend"].map((id) => ({
      id,
      box: document.getElementById(id)!.getBoundingClientRect(),
    }));
    for (const a of boxes) {
      for (const b of boxes) {
        if (
          a.id < b.id &&
          a.box.left < b.box.right - 1 &&
          b.box.left < a.box.right - 1 &&
          a.box.top < b.box.bottom - 1 &&
          b.box.top < a.box.bottom - 1
        )
          faults.push(`${a.id} covers ${b.id}`);
      }
    }
    const stats = document.getElementById("stats")!;
    if (stats.scrollHeight > stats.clientHeight + 1) faults.push("the figures do not fit");
    for (const canvas of document.querySelectorAll("canvas")) {
      const data = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data;
      let painted = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i]! > 40) painted++;
      if (painted / (data.length / 4) < 0.01) faults.push(`${canvas.id} is blank`);
    }
    return faults;
  });
}

describe(
  "cards in Chromium",
  {
    skip:
      chromium === undefined
        ? "no Chromium on this machine: install chromium-headless-shell or set SWARM_CHROMIUM"
        : false,
  },
  () => {
    let browser: Browser;
    before(async () => {
      browser = await launch(chromium!);
    });
    after(async () => browser?.close());

    for (const node of SAMPLE) {
      test(`${node.id} (${visualFor(node).name}): the picture depends on the instant alone and everything is in view`, async () => {
        for (const { width, height } of SIZES) {
          await using card = await openCard(browser, generateCard(node), width, height);
          const { page } = card;
          const meta = await page.evaluate(async () => ({
            frozen: Object.isFrozen(globalThis.__SWARM_ANIMATION_V1__),
            version: globalThis.__SWARM_ANIMATION_V1__.version,
            ready: await globalThis.__SWARM_ANIMATION_V1__.ready(),
          }));
          assert.deepEqual(meta, {
            frozen: true,
            version: "swarm.animation/v1",
            ready: { duration_ms: 10000, fps: 60 },
          });
          const instants = width === 640 ? INSTANTS : [0, 5000, 0];
          const shots: string[] = [];
          for (const ms of instants) shots.push(await still(page, ms));
          assert.equal(shots.at(-1), shots[0], "the first instant again gives the same pixels");
          assert.equal(new Set(shots).size, instants.length - 1, "different instants give different pixels");
          assert.deepEqual(await layoutFaults(page), []);
          assert.deepEqual(card.complaints, []);
        }
      });
    }

    test("a reading changes picture and text, another sender's does not, and seek ignores both", async () => {
      const node = SAMPLE[0]!;
      await using card = await openCard(browser, generateCard(node), 640, 400);
      const { page } = card;
      const post = (id: string, value: number): Promise<void> =>
        page.evaluate(
          ([n, v]) => {
            window.postMessage(
              { type: "swarm.data/v1", node: n, value: v, unit: "qq", history: [1, 5, 2, v], at: 0 },
              "*",
            );
            return new Promise<void>((resolve) => setTimeout(resolve, 60));
          },
          [id, value] as const,
        );
      const text = (): Promise<string> =>
        page.evaluate(
          () =>
            `${document.getElementById("value")!.textContent} ${document.getElementById("unit")!.textContent} ${document.getElementById("source")!.textContent}`,
        );
      await page.evaluate(() => window.postMessage({ type: "swarm.data/v1/pace", fps: 0 }, "*"));
      const alone = hash("sha256", await page.screenshot(), "hex");
      await post("999", 777);
      await page.evaluate((id) => {
        const frame = document.createElement("iframe");
        frame.hidden = true;
        document.body.append(frame);
        window.dispatchEvent(
          new MessageEvent("message", {
            source: frame.contentWindow,
            data: { type: "swarm.data/v1", node: id, value: 888, unit: "x", history: [], at: 0 },
          }),
        );
        frame.remove();
      }, node.id);
      assert.match(await text(), /synthetic data$/);
      await post(node.id, 777);
      assert.equal(await text(), "777 qq live");
      assert.notEqual(hash("sha256", await page.screenshot(), "hex"), alone);
      const first = await still(page, 4000);
      await post(node.id, 555);
      assert.match(await text(), /synthetic data$/);
      assert.equal(await still(page, 4000), first);
      assert.deepEqual(card.complaints, []);
    });

    test("inside an embedder it says once that it is ready, adopts the pace, plays on after being hidden without a jump", async () => {
      const node = SAMPLE[1]!;
      const outer = await browser.newPage({ viewport: { width: 700, height: 500 } });
      try {
        await outer.setContent("<body></body>");
        const seen = await outer.evaluate(
          async ([html, id]) => {
            const messages: unknown[] = [];
            addEventListener("message", (event) => messages.push(event.data));
            const frame = document.createElement("iframe");
            frame.setAttribute("sandbox", "allow-scripts");
            frame.width = "640";
            frame.height = "400";
            frame.srcdoc = html!;
            document.body.append(frame);
            await new Promise((resolve) => setTimeout(resolve, 700));
            frame.contentWindow!.postMessage({ type: "swarm.data/v1/pace", fps: 2 }, "*");
            frame.contentWindow!.postMessage(
              { type: "swarm.data/v1", node: id, value: 3, unit: "u", history: [1, 2, 3], at: 0 },
              "*",
            );
            await new Promise((resolve) => setTimeout(resolve, 300));
            return messages;
          },
          [generateCard(node), node.id],
        );
        assert.deepEqual(seen, [{ type: "swarm.data/v1/ready", node: node.id }]);
      } finally {
        await outer.close();
      }
    });

    test("a click and key presses do no harm, and a frame's own cost stays under its sixtieth", async () => {
      for (const node of SAMPLE.filter((_, i) => ALL || i % 3 === 0)) {
        await using card = await openCard(browser, generateCard(node), 640, 400);
        await card.page.mouse.click(200, 180);
        await card.page.keyboard.press("Space");
        await card.page.keyboard.press("ArrowRight");
        await card.page.waitForTimeout(50);
        const cost = await card.page.evaluate(() => {
          const costs: number[] = [];
          for (let i = 0; i < 60; i++) {
            const from = performance.now();
            void globalThis.__SWARM_ANIMATION_V1__.seek(i * 160);
            costs.push(performance.now() - from);
          }
          return costs.sort((a, b) => a - b)[30]!;
        });
        // The median, not the tail: other processes share the machine while tests run.
        assert.ok(cost < 16.7, `${node.id}: ${cost.toFixed(1)} ms a frame`);
        assert.deepEqual(card.complaints, []);
      }
    });
  },
);
