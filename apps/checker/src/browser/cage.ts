import { existsSync, realpathSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { probeSandbox, sandboxed } from "@swarm/sandbox";

const BROWSERS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
];
const NOBODY = "65534";
const PREFIX = "swarm-checker-";
/** Where the network cannot be taken away, everything goes to a port nobody listens on. */
const DEAD_PROXY = ["--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>"];

/** One way to start the browser so that a hostile page reaches nothing. */
export interface Cage {
  readonly name: string;
  readonly executable: string;
  readonly args: readonly string[];
  /** Chromium's own sandbox. Off only inside the full bubblewrap, which takes its place. */
  readonly chromiumSandbox: boolean;
}

export function findBrowser(env: Record<string, string | undefined>): string | undefined {
  const named = env["SWARM_CHROMIUM"];
  if (named !== undefined && named !== "") return existsSync(named) ? named : undefined;
  return BROWSERS.find((path) => existsSync(path));
}

/** The cages this machine may have, best first; which of them works is found by starting it. */
export class CageFolder implements AsyncDisposable {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(): Promise<CageFolder> {
    await removeAbandoned();
    const path = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
    await chmod(path, 0o755);
    // the browser driver puts its profiles there too: all goes with the folder
    process.env["TMPDIR"] = path;
    return new CageFolder(path);
  }

  async cages(browser: string): Promise<Cage[]> {
    const cages: Cage[] = [];
    const root = process.getuid?.() === 0;
    const box = await probeSandbox();
    if (box.sandbox) {
      // the profile lives in the box's own /tmp, in memory: nothing of it is left
      const line = (nested: boolean) =>
        sandboxed({ ...box, nested, readOnly: files(browser), command: [realpathSync(browser)] })
          .map(quote)
          .join(" ");
      if (box.nested) {
        const executable = await this.#script("nested", `exec ${line(true)} "$@"`);
        cages.push({ name: "bubblewrap around Chromium's sandbox", executable, args: [], chromiumSandbox: true });
      }
      const executable = await this.#script("bubblewrap", `exec ${line(false)} "$@"`);
      cages.push({ name: "bubblewrap", executable, args: [], chromiumSandbox: false });
    }
    if (!root) cages.push({ name: "chromium sandbox", executable: browser, args: DEAD_PROXY, chromiumSandbox: true });
    else if (existsSync("/usr/bin/setpriv")) {
      const body = `for a in "$@"; do case "$a" in --user-data-dir=*) chown ${NOBODY}:${NOBODY} "\${a#*=}";; esac; done
export HOME=/tmp
exec /usr/bin/setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups --no-new-privs ${quote(browser)} "$@"`;
      const executable = await this.#script("setpriv", body);
      cages.push({ name: "unprivileged user", executable, args: DEAD_PROXY, chromiumSandbox: true });
    }
    return cages;
  }

  async #script(name: string, body: string): Promise<string> {
    const path = join(this.#path, name);
    await writeFile(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#path, { recursive: true, force: true });
  }
}

/** Folders of checkers that were killed. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split("-")[0]) : Number.NaN;
    if (Number.isNaN(pid) || existsSync(`/proc/${pid}`)) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

/** What the browser reads beside the system's programs and fonts. */
function files(browser: string): string[] {
  const folder = dirname(realpathSync(browser));
  return ["/etc/chromium.d", "/etc/chromium", "/var/cache/fontconfig", ...(folder.startsWith("/usr/") ? [] : [folder])];
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
