import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { buildDesktop, launch, withDesktop } from "./browser.ts";
import { TOKEN } from "./fake-daemon.ts";
import { FIXTURE_MARK } from "./scenario.ts";

const JS_GZIP_MAX = 250 * 1024;
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

describe("the bundle", () => {
  it("holds no sample data, no inline script or style, and stays under 250 KB of gzip", async () => {
    let js = 0;
    for (const name of await readdir(built.dist, { recursive: true })) {
      if (!/\.(js|css|html)$/.test(name)) continue;
      const text = await readFile(join(built.dist, name), "utf8");
      assert.ok(!text.includes(FIXTURE_MARK), `${name} holds generated sessions`);
      assert.ok(!/Event Bus Dispatcher|sample data/i.test(text), `${name} holds sample data`);
      if (name.endsWith(".js")) js += gzipSync(text).length;
      if (name.endsWith(".html"))
        assert.ok(!/<script(?![^>]*\bsrc=)|<style|\sstyle=/.test(text), `${name} has inline code`);
      if (name.endsWith(".js")) assert.ok(!/<[a-z]+[^>"'`]* style=/.test(text), `${name} sets styles by markup`);
    }
    assert.ok(js > 10_000 && js < JS_GZIP_MAX, `${js} bytes`);
  });
});

describe("signing in", () => {
  it("the code is traded for a token once and leaves the address", async () => {
    await withDesktop(browser, built.dist, 4, async ({ page, base, errors }) => {
      await page.waitForSelector(".card");
      assert.equal(new URL(page.url()).hash, "");
      assert.equal(await page.evaluate(() => localStorage.getItem("swarm-token")), TOKEN);
      await page.goto(`${base}/#/inbox`);
      await page.waitForSelector("h1:has-text('Inbox')");
      assert.deepEqual(errors, []);
    });
  });

  it("without a token the page says what to run", async () => {
    await withDesktop(browser, built.dist, 1, async ({ page, base }) => {
      await page.waitForSelector(".card");
      await page.evaluate(() => localStorage.clear());
      await page.goto(`${base}/`);
      await page.reload();
      await page.waitForSelector("text=swarm up");
      await page.goto(`${base}/#used-up-code`);
      await page.reload();
      assert.equal(await page.locator(".card").count(), 0);
    });
  });
});

describe("the Swarm page", () => {
  it("shows every session, drawn near the view only, and counts them by what they do", async () => {
    await withDesktop(browser, built.dist, 100, async ({ page, daemon, errors }) => {
      await page.waitForSelector(".card img");
      assert.equal(
        await page
          .locator(".card")
          .first()
          .evaluate((e) => e.parentElement?.getAttribute("aria-setsize")),
        "100",
      );
      assert.equal(await page.locator(".strip i:not(.gap)").count(), 100);
      assert.ok((await page.locator(".card").count()) < 60);
      const failed = daemon.world.scenes.filter((s) =>
        ["failed", "blocked", "budget_exhausted"].includes(s.summary.state ?? ""),
      ).length;
      assert.match(
        (await page.locator(".chips button", { hasText: "Failed" }).textContent()) ?? "",
        new RegExp(`\\b${failed}$`),
      );
      await page.locator(".chips button", { hasText: "Failed" }).click();
      await page.waitForFunction((n) => document.querySelectorAll(".card").length === n, failed);
      assert.deepEqual(errors, []);
    });
  });

  it("a change repaints its card in place and a new session goes to the end", async () => {
    await withDesktop(browser, built.dist, 12, async ({ page, daemon }) => {
      await page.waitForSelector(".card");
      const order = (): Promise<string[]> =>
        page.locator(".card").evaluateAll((cards) => cards.map((c) => c.getAttribute("data-id") ?? ""));
      const before = await order();
      const scene = daemon.world.scenes.find((s) => s.summary.phase === "running")!;
      const card = page.locator(`.card[data-id="${scene.id}"]`);
      await card.evaluate((e) => e.setAttribute("data-same", "yes"));
      daemon.record(
        scene,
        "tool.finished",
        {
          run: scene.summary.run as never,
          step: 9,
          call: "z",
          name: "x",
          ok: true,
          summary: "a fresh word",
          output: "",
          durationMs: 1,
          truncated: false,
        },
        Date.now(),
      );
      await card.locator("text=a fresh word").waitFor();
      assert.equal(await card.getAttribute("data-same"), "yes");
      assert.deepEqual(await order(), before);
    });
  });

  it("a thousand sessions stay a few dozen cards in the document, also at the end of the list", async () => {
    await withDesktop(browser, built.dist, 1000, async ({ page }) => {
      await page.waitForSelector(".card img");
      await page.locator("#main").evaluate((e) => e.scrollTo(0, e.scrollHeight));
      await page.waitForFunction(() =>
        [...document.querySelectorAll(".cell")].some((c) => c.getAttribute("aria-posinset") === "1000"),
      );
      assert.ok((await page.locator(".card").count()) < 60);
    });
  });

  it("a hovered card runs in a sandbox; at most four run at once", async () => {
    await withDesktop(browser, built.dist, 30, async ({ page }) => {
      await page.waitForSelector(".card img");
      for (const card of (await page.locator(".card:has(img)").all()).slice(0, 6)) {
        await card.dispatchEvent("focus");
        await page.waitForTimeout(350);
      }
      await page.waitForSelector(".card iframe");
      const frames = await page
        .locator(".card iframe")
        .evaluateAll((all) =>
          all.map((f) => [f.getAttribute("sandbox"), new URL((f as HTMLIFrameElement).src).hostname]),
        );
      assert.ok(frames.length <= 4, `${frames.length} run`);
      for (const [sandbox, host] of frames) assert.deepEqual([sandbox, host], ["allow-scripts", "s1.localhost"]);
    });
  });

  it("cancel of several asks first and then ends each", async () => {
    await withDesktop(browser, built.dist, 30, async ({ page, daemon }) => {
      await page.waitForSelector(".card");
      const open = daemon.world.scenes.filter((s) => s.summary.phase === "running").slice(0, 2);
      for (const scene of open) await page.locator(`.card[data-id="${scene.id}"]`).click({ modifiers: ["Control"] });
      await page.locator(".bulk button", { hasText: "Cancel" }).click();
      assert.equal(daemon.requests.filter((r) => r.path.endsWith("/cancel")).length, 0);
      await page.locator(".bulk button", { hasText: "Cancel 2 runs?" }).click();
      await page.waitForSelector(".toast");
      const asked = daemon.requests.filter((r) => r.path.endsWith("/cancel")).map((r) => r.path.split("/")[3]);
      assert.deepEqual(new Set(asked), new Set(open.map((s) => s.id)));
      assert.equal(asked.length, 2);
    });
  });
});

describe("the session page", () => {
  it("streams text as it comes; the record takes its place in the same element", async () => {
    await withDesktop(browser, built.dist, 60, async ({ page, daemon, base, errors }) => {
      const scene = daemon.world.scenes.find((s) => s.records.at(-1)?.kind === "step.started")!;
      const started = scene.records.at(-1)!;
      assert.ok(started.kind === "step.started");
      const { run, step } = started.payload;
      await page.goto(`${base}/#/session/${scene.id}`);
      await page.waitForSelector(".turn");
      daemon.live({ session: scene.id, run, step, stream: "text", offset: 0, text: "The first words " });
      await page.waitForSelector(".say:has-text('The first words')");
      const element = await page.locator(".say", { hasText: "The first words" }).elementHandle();
      daemon.live({ session: scene.id, run, step, stream: "text", offset: 16, text: "and the rest" });
      await page.waitForSelector(".say:has-text('The first words and the rest')");
      const finish = daemon.world.scenes.flatMap((s) => s.records).find((r) => r.kind === "step.finished")!;
      assert.ok(finish.kind === "step.finished");
      daemon.record(
        scene,
        "step.finished",
        { ...finish.payload, run, step, text: "The first words and the rest, whole.", calls: [] },
        Date.now(),
      );
      await page.waitForSelector(".say:has-text('whole.')");
      assert.equal(await element?.evaluate((e) => e.isConnected && e.textContent?.includes("whole.")), true);
      assert.deepEqual(errors, []);
    });
  });

  it("a call shows its last lines while it is written and becomes a tool card when it is whole", async () => {
    await withDesktop(browser, built.dist, 60, async ({ page, daemon, base }) => {
      const scene = daemon.world.scenes.find((s) => s.records.at(-1)?.kind === "step.started")!;
      const started = scene.records.at(-1)!;
      assert.ok(started.kind === "step.started");
      const { run, step } = started.payload;
      await page.goto(`${base}/#/session/${scene.id}`);
      await page.waitForSelector(".turn");
      const before = await page.locator(".tool").count();
      daemon.live({
        session: scene.id,
        run,
        step,
        stream: "args:0",
        offset: 0,
        text: '{"content":"<p>one</p>\\n<p>two',
      });
      await page.waitForSelector(".writing .term:has-text('<p>two')");
      const args = '{"content":"<p>one</p>\\n<p>two</p>"}';
      const finish = daemon.world.scenes.flatMap((s) => s.records).find((r) => r.kind === "step.finished")!;
      assert.ok(finish.kind === "step.finished");
      const calls = [{ id: "w", name: "manage_artifact", args }];
      daemon.record(scene, "step.finished", { ...finish.payload, run, step, text: "", calls }, Date.now());
      await page.waitForFunction(
        (n) => document.querySelectorAll(".tool").length === n && document.querySelector(".writing") === null,
        before + 1,
      );
    });
  });

  it("streaming does not move a reader who scrolled up", async () => {
    await withDesktop(browser, built.dist, 60, async ({ page, daemon, base }) => {
      const scene = daemon.world.scenes.find(
        (s) => s.records.at(-1)?.kind === "step.started" && s.records.length > 15,
      )!;
      const started = scene.records.at(-1)!;
      assert.ok(started.kind === "step.started");
      const { run, step } = started.payload;
      const words = "word ".repeat(800);
      await page.goto(`${base}/#/session/${scene.id}`);
      await page.waitForSelector(".turn");
      daemon.live({ session: scene.id, run, step, stream: "text", offset: 0, text: words });
      const bottom = (): Promise<number> =>
        page.locator(".flow").evaluate((f) => f.scrollHeight - f.scrollTop - f.clientHeight);
      await page.waitForFunction(() => (document.querySelector(".flow")?.scrollTop ?? 0) > 100);
      assert.ok((await bottom()) < 40, "follows at the end");
      await page.locator(".flow").evaluate((f) => f.scrollTo(0, 20));
      await page.waitForSelector(".newest");
      daemon.live({ session: scene.id, run, step, stream: "text", offset: words.length, text: words });
      await page.waitForFunction(
        (n) => (document.querySelector(".flow")?.textContent?.length ?? 0) > n,
        words.length * 2,
      );
      assert.equal(await page.locator(".flow").evaluate((f) => f.scrollTop), 20);
    });
  });

  it("opening an ended session marks it seen, and steer sends the words", async () => {
    await withDesktop(browser, built.dist, 60, async ({ page, daemon, base }) => {
      const unseen = daemon.world.scenes.find((s) => s.summary.unseen)!;
      await page.goto(`${base}/#/session/${unseen.id}`);
      await page.waitForSelector(".pcard.end");
      await page.waitForFunction(() => document.querySelector(".li[aria-current] .new") === null);
      assert.ok(daemon.requests.some((r) => r.path === `/v1/sessions/${unseen.id}/seen`));
      await page.keyboard.press("Enter");
      await page.keyboard.type("one more thing");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".msg.me:has-text('one more thing')");
      assert.deepEqual(daemon.requests.find((r) => r.path.endsWith("/messages"))?.body, { text: "one more thing" });
    });
  });

  it("going from one session to another leaves nothing of the first", async () => {
    await withDesktop(browser, built.dist, 60, async ({ page, daemon, base }) => {
      const [a, b] = daemon.world.scenes.filter((s) => s.end === "delivered" && s.summary.group === "Century Run");
      await page.goto(`${base}/#/session/${a!.id}`);
      await page.waitForSelector(".pcard.end");
      await page.goto(`${base}/#/session/${b!.id}`);
      await page.waitForSelector(`h1:has-text("${b!.summary.title}")`);
      await page.waitForSelector(".pcard.end");
      assert.equal(await page.locator(".turn").count(), b!.summary.turns);
    });
  });
});

describe("questions", () => {
  it("are answered in the Inbox and from the Swarm page, which then shows the next", async () => {
    await withDesktop(browser, built.dist, 100, async ({ page, daemon, base }) => {
      const waiting = (): number => daemon.world.scenes.filter((s) => s.summary.question).length;
      const n = waiting();
      assert.ok(n >= 2);
      await page.waitForSelector(".need .cnt");
      await page.goto(`${base}/#/inbox`);
      await page.locator(".pcard .opts button").first().click();
      await page.waitForFunction((left) => document.querySelectorAll(".it").length === left, n - 1);
      assert.equal(waiting(), n - 1);
    });
  });
});

describe("a token that is no longer good", () => {
  it("ends in the page that says what to run, and the page does not ask again", async () => {
    await withDesktop(browser, built.dist, 4, async ({ page, daemon }) => {
      await page.waitForSelector(".card");
      daemon.token = "rotated";
      daemon.dropClients();
      await page.waitForSelector(".gate:has-text('no longer valid')");
      const asked = daemon.requests.length;
      await page.waitForTimeout(1200);
      assert.equal(daemon.requests.length, asked);
      assert.equal(await page.evaluate(() => localStorage.getItem("swarm-token")), null);
    });
  });
});

describe("artifacts", () => {
  it("Verify checks bytes and signature in this browser: valid as signed, not valid with one byte more", async () => {
    await withDesktop(browser, built.dist, 60, async ({ page, daemon, base }) => {
      const scene = daemon.world.scenes.find((s) => s.summary.artifact?.state === "published")!;
      await page.goto(`${base}/#/artifacts/${scene.summary.artifact!.id}`);
      await page.locator("button", { hasText: "Verify" }).click();
      await page.waitForSelector(".st.ok:has-text('signature valid')");
      daemon.tampered = true;
      await page.locator("button", { hasText: "Verify" }).click();
      await page.waitForSelector("text=Bytes changed");
      assert.equal(await page.locator(".st.ok:has-text('signature valid')").count(), 0);
    });
  });

  it("the scrubber goes over the gate's pictures and back to running", async () => {
    await withDesktop(browser, built.dist, 60, async ({ page, daemon, base }) => {
      const scene = daemon.world.scenes.find((s) => s.summary.artifact?.verdict === "verified")!;
      await page.goto(`${base}/#/artifacts/${scene.summary.artifact!.id}`);
      await page.waitForSelector(".stage iframe");
      await page.locator(".th").nth(2).click();
      await page.waitForSelector(".stage img");
      assert.match((await page.locator(".tc").textContent()) ?? "", /^2,500 \/ 10,000 ms$/);
      assert.equal(await page.locator(".stage iframe").count(), 0);
      await page.keyboard.press("Escape");
      await page.locator("button[aria-label=Run]").click();
      await page.waitForSelector(".stage iframe");
    });
  });

  it("a stage that was not run is said with its reason and never as passed", async () => {
    await withDesktop(browser, built.dist, 100, async ({ page, daemon, base }) => {
      const scene = daemon.world.scenes.find((s) => s.summary.artifact?.verdict === "static_only")!;
      await page.goto(`${base}/#/artifacts/${scene.summary.artifact!.id}`);
      await page.waitForSelector(".ck.w:has-text('no Chromium on this machine')");
      assert.match(
        (await page.locator(".cols h3").first().textContent()) ?? "",
        /static only: passed 7 of 7, 1 not run/,
      );
    });
  });
});

describe("keys and dialogs", () => {
  it("the palette finds a session and opens it; letters typed there are no commands", async () => {
    await withDesktop(browser, built.dist, 60, async ({ page, daemon }) => {
      await page.waitForSelector(".card");
      const theme = await page.evaluate(() => document.documentElement.dataset["theme"]);
      await page.keyboard.press("Control+k");
      await page.keyboard.type("ttft");
      await page.keyboard.press("Enter");
      await page.waitForSelector("h1:has-text('TTFT Jitter')");
      assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), theme, "t was text");
      await page.keyboard.press("t");
      assert.notEqual(await page.evaluate(() => document.documentElement.dataset["theme"]), theme);
      const list = daemon.world.scenes.filter((s) => s.summary.group === "Century Run");
      await page.keyboard.press("j");
      await page.waitForSelector(
        `h1:has-text("${list[list.findIndex((s) => s.summary.title === "TTFT Jitter") + 1]!.summary.title}")`,
      );
    });
  });

  it("New run sends the task as it was written and opens the session", async () => {
    await withDesktop(browser, built.dist, 10, async ({ page, daemon }) => {
      await page.waitForSelector(".card");
      await page.keyboard.press("n");
      await page.keyboard.type("Do this\nand that");
      await page.keyboard.press("Control+Enter");
      await page.waitForFunction(() => location.hash.startsWith("#/session/"));
      const sent = daemon.requests.find((r) => r.method === "POST" && r.path === "/v1/sessions");
      assert.deepEqual(sent?.body, { task: "Do this\nand that", interactive: true });
    });
  });

  it("a long text kept by hash is fetched and folded", async () => {
    await withDesktop(browser, built.dist, 20, async ({ page, daemon, base }) => {
      await page.goto(`${base}/#/session/${daemon.world.scenes[9]!.id}`);
      await page.waitForSelector(".msg.me:has-text('Long brief of')");
      await page.locator("button", { hasText: "Show all" }).click();
      assert.ok(((await page.locator(".msg.me").textContent()) ?? "").length > 5000);
    });
  });
});

describe("truth", () => {
  const stale = async (
    act: (rig: { daemon: { stop(): Promise<void>; frozen: boolean } }) => Promise<void>,
  ): Promise<void> => {
    await withDesktop(browser, built.dist, 30, async ({ page, daemon }) => {
      await page.waitForSelector(".card img");
      await page.waitForSelector(".stat:has-text('memory')");
      await act({ daemon });
      const from = Date.now();
      await page.waitForSelector(".stat.lost:has-text('no data since')", { timeout: 10_000 });
      assert.ok(Date.now() - from <= 3500, `${Date.now() - from} ms`);
      const text = await page.evaluate(() => document.querySelector(".app")?.textContent ?? "");
      assert.ok(!/\$\d|\bMiB\b|\d+%|tok\/s/.test(text), text);
      const numbers = await page.locator(".nav .n, .chips .n, .prog .mut").allTextContents();
      assert.ok(
        numbers.every((t) => !/\d/.test(t)),
        numbers.join(" "),
      );
      assert.match((await page.locator(".sums").textContent()) ?? "", /^no data since \d\d:\d\d:\d\d$/);
    });
  };
  it("a daemon that died: within 3 s every number is gone and the page says since when", () =>
    stale(({ daemon }) => daemon.stop()));
  it("a daemon that hangs with the line open: the same", () =>
    stale(({ daemon }) => {
      daemon.frozen = true;
      return Promise.resolve();
    }));

  it("when the daemon is back the page goes on by itself and asks only for what it lacks", async () => {
    await withDesktop(browser, built.dist, 12, async ({ page, daemon }) => {
      await page.waitForSelector(".stat:has-text('memory')");
      const seq = daemon.world.seq;
      await daemon.stop();
      await page.waitForSelector(".stat.lost");
      const { FakeDaemon } = await import("./fake-daemon.ts");
      await using again = Object.assign(new FakeDaemon(daemon.world, built.dist), {
        async [Symbol.asyncDispose]() {
          await again.stop();
        },
      });
      await again.start(daemon.port);
      await page.waitForSelector(".stat:not(.lost):has-text('Connected')");
      await page.waitForSelector(".sums:has-text('delivered')");
      const asked = again.subscriptions.find((f) => f.type === "subscribe" && f.topic === "sessions");
      assert.ok(asked?.type === "subscribe" && asked.after === seq, JSON.stringify(asked));
    });
  });
});
