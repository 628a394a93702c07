import { existsSync, realpathSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const BROWSERS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
];
const NOBODY = "65534";
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
    const path = await mkdtemp(join(tmpdir(), "swarm-checker-"));
    await chmod(path, 0o755);
    return new CageFolder(path);
  }

  async cages(browser: string): Promise<Cage[]> {
    const cages: Cage[] = [];
    const root = process.getuid?.() === 0;
    const bubblewrap = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"].find((path) => existsSync(path));
    if (bubblewrap !== undefined) {
      const executable = await this.#script("bubblewrap", `exec ${bubblewrapLine(bubblewrap, browser)} "$@"`);
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

/** No network, no other process, no file but the system's own read-only, a profile that lives in memory. */
function bubblewrapLine(bubblewrap: string, browser: string): string {
  const words = [
    bubblewrap,
    ..."--unshare-user --unshare-all --cap-drop ALL --die-with-parent --new-session --clearenv".split(" "),
    ...`--uid ${NOBODY} --gid ${NOBODY} --setenv HOME /tmp --setenv PATH /usr/bin:/bin`.split(" "),
    ..."--ro-bind /usr /usr".split(" "),
    ...["bin", "sbin", "lib", "lib32", "lib64"].flatMap((name) => systemFolder(name)),
    ...["fonts", "ld.so.cache", "alternatives", "chromium.d", "chromium"].flatMap((name) => readable(`/etc/${name}`)),
    ...readable("/var/cache/fontconfig"),
    ...(realpathSync(browser).startsWith("/usr/") ? [] : readable(dirname(realpathSync(browser)))),
    ..."--proc /proc --dev /dev --tmpfs /tmp --tmpfs /dev/shm --chdir /tmp".split(" "),
    realpathSync(browser),
  ];
  return words.map(quote).join(" ");
}

function readable(path: string): string[] {
  return ["--ro-bind-try", path, path];
}

/** `/lib` is a link into `/usr` on merged systems and a folder of its own on others. */
function systemFolder(name: string): string[] {
  const path = `/${name}`;
  if (!existsSync(path)) return [];
  const real = realpathSync(path);
  return real.startsWith("/usr/") ? ["--symlink", real.slice(1), path] : ["--ro-bind", path, path];
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
