/** A hostile page in a real browser, on another port of the same machine. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { fixture } from "./testing/fixture.ts";

const CHROMIUM = [process.env["SWARM_CHROMIUM"] ?? "", "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(
  (p) => p !== "" && existsSync(p),
);
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const ATTACK = `<!doctype html><title>hostile</title><script>
const results = {};
window.attack = async (api, desktop) => {
  for (const base of [api, desktop]) {
    const tries = {
      get: () => fetch(base + "/v1/status").then((r) => r.text()),
      post: () => fetch(base + "/v1/sessions", { method: "POST", headers: { "content-type": "application/json" }, body: '{"task":"steal"}' }).then((r) => r.text()),
      plain: () => fetch(base + "/v1/sessions", { method: "POST", mode: "no-cors", headers: { "content-type": "text/plain" }, body: '{"task":"steal"}' }).then((r) => r.type),
      cancel: () => fetch(base + "/v1/sessions/cancel", { method: "POST", mode: "no-cors", body: "{}" }).then((r) => r.type),
      exchange: () => fetch(base + "/v1/auth/exchange", { method: "POST", mode: "no-cors", body: '{"code":"code1"}' }).then((r) => r.type),
      socket: () => new Promise((resolve) => { const s = new WebSocket(base.replace("http", "ws") + "/v1/stream", ["swarm.v1", "ticket0"]); s.onopen = () => resolve("OPEN"); s.onerror = () => resolve("refused"); }),
      image: () => new Promise((resolve) => { const i = new Image(); i.onload = () => resolve("LOADED"); i.onerror = () => resolve("refused"); i.src = base + "/v1/blobs/abc"; }),
      frame: () => new Promise((resolve) => { const f = document.createElement("iframe"); f.onload = () => { try { resolve("READ " + f.contentDocument.title); } catch { resolve("refused"); } }; f.src = base + "/"; document.body.append(f); setTimeout(() => resolve("refused"), 1500); }),
    };
    for (const [name, run] of Object.entries(tries)) results[name + " " + base] = await run().catch((e) => "refused " + e.message);
    const form = Object.assign(document.createElement("form"), { method: "POST", action: base + "/v1/sessions", target: "sink", enctype: "text/plain" });
    form.append(Object.assign(document.createElement("input"), { name: '{"task":"steal","x":"', value: '"}' }));
    document.body.append(Object.assign(document.createElement("iframe"), { name: "sink" }), form);
    form.submit();
  }
  return results;
};
</script><body></body>`;

test(
  "a page of another origin reads nothing and starts nothing, by fetch, form, socket, image or frame",
  { skip: CHROMIUM === undefined ? "no Chromium on this machine" : false },
  async () => {
    const { chromium } = await import("playwright-core");
    await using f = await fixture();
    f.desk.createStreamTicket();
    const site = createServer((_q, s) => {
      s.setHeader("content-type", "text/html");
      s.end(ATTACK);
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const browser = await chromium.launch({ executablePath: CHROMIUM!, args: FLAGS });
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      const results = await page.evaluate<Record<string, string>>(
        `window.attack(${JSON.stringify(f.server.addresses.api)}, ${JSON.stringify(f.server.addresses.desktop)})`,
      );
      await page.waitForTimeout(300);
      assert.equal(Object.keys(results).length, 16);
      for (const [name, result] of Object.entries(results))
        assert.match(result, /^refused|^opaque$/, `${name}: ${result}`);
      assert.deepEqual(f.called, [], "no command was reached");
      assert.deepEqual(f.attached, [], "no stream was opened");
      assert.equal(f.desk.exchange("code1") !== undefined, true, "the login code was not used up");
    } finally {
      await browser.close();
      site.close();
    }
  },
);
