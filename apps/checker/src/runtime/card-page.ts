import type { Browser, BrowserContext, CDPSession, Frame, Page } from "playwright-core";
import { install } from "./in-page.ts";

const ADDRESS = "https://card.invalid/";
/** The page around the card, as the desktop is: a card is looked at where it will live. */
const EMBEDDER = "https://embedder.invalid/";
const EMBEDDER_PAGE = `<!doctype html><html><body style="margin:0;background:#000"><iframe sandbox="allow-scripts" src="${ADDRESS}" style="display:block;border:0;width:100vw;height:100vh"></iframe></body></html>`;
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; frame-ancestors https://embedder.invalid",
  "x-content-type-options": "nosniff",
};
/** A page can complain for ever. */
const COMPLAINTS_MAX = 20;

export const SMALL = { width: 640, height: 400 } as const;
export const BIG = { width: 1920, height: 1080 } as const;

/** What the page did that it must not do, as the browser reports it. */
export interface Complaints {
  readonly errors: string[];
  readonly blocked: string[];
  readonly dialogs: string[];
}

/** One card in a page of its own context, and so in a renderer process of its own. */
export class CardPage {
  readonly page: Page;
  readonly complaints: Complaints;
  /** Rejects when the renderer dies. */
  readonly crashed: Promise<never>;
  /** When the page last answered anything, on the clock of `performance`. */
  answeredAt = performance.now();
  readonly #context: BrowserContext;
  readonly #session: CDPSession;
  #frame: Frame | undefined;
  #world: number | undefined;

  private constructor(context: BrowserContext, page: Page, session: CDPSession, complaints: Complaints) {
    this.#context = context;
    this.page = page;
    this.#session = session;
    this.complaints = complaints;
    this.crashed = new Promise<never>((_, reject) => page.once("crash", () => reject(new CrashedError())));
    this.crashed.catch(() => {});
  }

  static async open(browser: Browser, html: string): Promise<CardPage> {
    const context = await browser.newContext({ viewport: SMALL, deviceScaleFactor: 1, acceptDownloads: false });
    const page = await context.newPage();
    const complaints: Complaints = { errors: [], blocked: [], dialogs: [] };
    listen(page, complaints);
    let served = false;
    await context.route("**/*", async (route) => {
      const request = route.request();
      const navigates = request.isNavigationRequest();
      if (navigates && request.url() === EMBEDDER && request.frame() === page.mainFrame())
        return route.fulfill({ status: 200, contentType: "text/html", body: EMBEDDER_PAGE });
      if (navigates && request.url() === ADDRESS && !served) {
        served = true;
        return route.fulfill({ status: 200, headers: HEADERS, body: html });
      }
      note(complaints.blocked, request.url());
      return route.abort("blockedbyclient");
    });
    await page.addInitScript(install);
    return new CardPage(context, page, await context.newCDPSession(page), complaints);
  }

  async load(): Promise<void> {
    await this.page.goto(EMBEDDER, { waitUntil: "load", timeout: 0 });
    const frame = this.page.frames().find((each) => each.parentFrame() === this.page.mainFrame());
    if (frame === undefined) throw new Error("the card's frame is gone");
    this.#frame = frame;
    const { frameTree } = await this.#session.send("Page.getFrameTree");
    const id = frameTree.childFrames?.[0]?.frame.id;
    if (id === undefined) throw new Error("the card's frame is gone");
    const world = await this.#session.send("Page.createIsolatedWorld", { frameId: id, worldName: "gate" });
    this.#world = world.executionContextId;
    this.answeredAt = performance.now();
  }

  /** Runs a self-contained function in the card's own world, which may lie: for what only the card can do. */
  async run<A, R>(inside: (argument: A) => R | Promise<R>, argument: A): Promise<R> {
    if (this.#frame === undefined) throw new Error("the card is not loaded");
    const answer = await this.#frame.evaluate(inside as (argument: unknown) => R | Promise<R>, argument);
    this.answeredAt = performance.now();
    return answer;
  }

  /** Runs it beside the card's world: the same document, but nothing the card has overwritten. */
  async look<A, R>(inside: (argument: A) => R | Promise<R>, argument: A): Promise<R> {
    if (this.#world === undefined) throw new Error("the card is not loaded");
    const { result, exceptionDetails } = await this.#session.send("Runtime.evaluate", {
      expression: `(${inside.toString()})(${JSON.stringify(argument)})`,
      contextId: this.#world,
      awaitPromise: true,
      returnByValue: true,
    });
    this.answeredAt = performance.now();
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as R;
  }

  /** Runs it in the embedder's page. */
  async outside<A, R>(inside: (argument: A) => R | Promise<R>, argument: A): Promise<R> {
    const answer = await this.page.evaluate(inside as (argument: unknown) => R | Promise<R>, argument);
    this.answeredAt = performance.now();
    return answer;
  }

  /** The browser's own composited frame: nothing in the page's world can colour it. */
  async shot(): Promise<Buffer> {
    const { data } = await this.#session.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
    this.answeredAt = performance.now();
    return Buffer.from(data, "base64");
  }

  /** False when the page could not be closed in time: then the browser hangs. */
  async close(limitMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), limitMs)));
    const closed = this.#context.close().then(
      () => true,
      () => true,
    );
    const done = await Promise.race([closed, late]);
    clearTimeout(timer);
    return done;
  }
}

export class CrashedError extends Error {
  override readonly name = "CrashedError";
}

function listen(page: Page, complaints: Complaints): void {
  page.on("pageerror", (error) => note(complaints.errors, error.message));
  page.on("dialog", (dialog) => {
    note(complaints.dialogs, `${dialog.type()} "${dialog.message().slice(0, 60)}"`);
    void dialog.dismiss().catch(() => {});
  });
  page.on("popup", (popup) => {
    note(complaints.blocked, "a popup");
    void popup.close().catch(() => {});
  });
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    const text = message.text();
    if (text.startsWith("Ignored call to")) note(complaints.dialogs, text.slice(0, 120));
    else if (/Content Security Policy|ERR_BLOCKED_BY|Blocked (?:opening|form|script)|sandboxed/u.test(text))
      note(complaints.blocked, text.slice(0, 200));
    else note(complaints.errors, text);
  });
  page.on("websocket", (socket) => note(complaints.blocked, socket.url()));
  page.on("framenavigated", (frame) => {
    if (![ADDRESS, EMBEDDER, "about:blank", "about:srcdoc"].includes(frame.url()))
      note(complaints.blocked, frame.url());
  });
}

function note(list: string[], text: string): void {
  if (list.length < COMPLAINTS_MAX) list.push(text.replace(/\s+/gu, " ").slice(0, 200));
}
