import { chromium, type Browser } from "playwright-core";
import { errorMessage, Semaphore } from "@swarm/std";
import { CageFolder, findBrowser, type Cage } from "./cage.ts";
import { guardMemory } from "./memory-guard.ts";

/** Pages measured at once: more would share the cores that the frame cost is measured on. */
const PAGES_MAX = 2;
const IDLE_MS = 60_000;
const LAUNCH_MS = 30_000;
const CLOSE_MS = 3_000;
const ARGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-breakpad",
  "--hide-scrollbars",
  "--font-render-hinting=none",
  "--force-color-profile=srgb",
  // a page that allocates without end dies in its own renderer, long before the machine is short of memory
  "--js-flags=--max-old-space-size=384",
];

export type Ability =
  | { readonly runtime: true; readonly cage: Cage }
  | { readonly runtime: false; readonly reason: string };

/** One warm browser for all pages: started on first need, closed when idle, replaced when it hangs or dies. */
export class BrowserHost implements AsyncDisposable {
  readonly #slots = new Semaphore(PAGES_MAX);
  readonly #env: Record<string, string | undefined>;
  readonly #say: (text: string) => void;
  #folder: Promise<CageFolder> | undefined;
  #ability: Promise<Ability> | undefined;
  #browser: Promise<Browser> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #using = 0;
  #guard: Disposable | undefined;

  constructor(env: Record<string, string | undefined>, say: (text: string) => void) {
    this.#env = env;
    this.#say = say;
  }

  /** Found by starting the browser once; remembered, because a machine does not change its mind. */
  ability(): Promise<Ability> {
    this.#ability ??= this.#probe();
    return this.#ability;
  }

  /** Runs `job` in the warm browser, at most `PAGES_MAX` at a time. */
  async use<T>(job: (browser: Browser) => Promise<T>, signal: AbortSignal): Promise<T> {
    const release = await this.#slots.acquire(signal);
    this.#using++;
    this.#guard ??= guardMemory(this.#say);
    clearTimeout(this.#idle);
    try {
      return await job(await this.#open());
    } finally {
      this.#using--;
      release();
      if (this.#using === 0) {
        this.#guard[Symbol.dispose]();
        this.#guard = undefined;
        this.#idle = setTimeout(() => void this.#close(), IDLE_MS);
        this.#idle.unref();
      }
    }
  }

  /** Gives up on `browser`: it hangs. The next page gets a new one. */
  async replace(browser: Browser): Promise<void> {
    const current = await this.#browser?.catch(() => undefined);
    if (current === browser) this.#browser = undefined;
    this.#say("the browser hangs and is replaced");
    await closeWithin(browser);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    await this.#close();
    await (await this.#folder)?.[Symbol.asyncDispose]();
  }

  async #probe(): Promise<Ability> {
    const browser = findBrowser(this.#env);
    if (browser === undefined) return { runtime: false, reason: "no Chromium was found" };
    this.#folder ??= CageFolder.open();
    const cages = await (await this.#folder).cages(browser);
    const reasons: string[] = [];
    for (const cage of cages) {
      try {
        this.#keep(await launch(cage));
        return { runtime: true, cage };
      } catch (error) {
        reasons.push(`${cage.name}: ${firstLine(errorMessage(error))}`);
      }
    }
    return {
      runtime: false,
      reason: `no sandbox for Chromium works here (${reasons.join("; ") || "no bubblewrap, no setpriv"})`,
    };
  }

  async #open(): Promise<Browser> {
    const ability = await this.ability();
    if (!ability.runtime) throw new Error(ability.reason);
    if (this.#browser === undefined) {
      const started = launch(ability.cage);
      this.#browser = started;
      try {
        this.#keep(await started);
      } catch (error) {
        this.#browser = undefined;
        throw error;
      }
    }
    return this.#browser;
  }

  #keep(browser: Browser): void {
    const kept = Promise.resolve(browser);
    this.#browser = kept;
    browser.once("disconnected", () => {
      if (this.#browser === kept) this.#browser = undefined;
    });
  }

  async #close(): Promise<void> {
    const browser = await this.#browser?.catch(() => undefined);
    this.#browser = undefined;
    if (browser !== undefined) await closeWithin(browser);
  }
}

function launch(cage: Cage): Promise<Browser> {
  return chromium.launch({
    executablePath: cage.executable,
    args: [...ARGS, ...cage.args],
    chromiumSandbox: cage.chromiumSandbox,
    timeout: LAUNCH_MS,
    // the process that owns the browser decides when it ends
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
  });
}

async function closeWithin(browser: Browser): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
  await Promise.race([browser.close().catch(() => {}), late]);
  clearTimeout(timer);
}

function firstLine(text: string): string {
  return (text.split("\n").find((line) => line.trim() !== "") ?? "").slice(0, 160);
}
