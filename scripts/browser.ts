/** Finds a Chromium for the gate and the browser tests, and installs it where that is allowed. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const CANDIDATES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const PACKAGES = ["chromium-headless-shell", "bubblewrap"];
const UBUNTU_NOTE = "on Ubuntu the package chromium is a snap: install a Debian-style chromium or set SWARM_CHROMIUM";

export interface Browser {
  readonly path: string | undefined;
  /** Why there is none, and what to do. Empty when there is one. */
  readonly reason: string;
}

export function findBrowser(): string | undefined {
  const named = process.env["SWARM_CHROMIUM"];
  if (named !== undefined && named !== "") return existsSync(named) ? named : undefined;
  return CANDIDATES.find((path) => existsSync(path));
}

export const INSTALL_COMMAND = `apt-get install -y ${PACKAGES.join(" ")}`;

/** Installs by apt as root or through sudo; says what it does. Never asks by itself: the caller did. */
export async function ensureBrowser(options: { install: boolean; log?: (line: string) => void }): Promise<Browser> {
  const log = options.log ?? ((line: string) => console.error(line));
  const found = findBrowser();
  if (found !== undefined && existsSync("/usr/bin/bwrap")) return { path: found, reason: "" };
  if (found !== undefined && !options.install) return { path: found, reason: "" };
  if (process.env["SWARM_CHROMIUM"])
    return { path: undefined, reason: `SWARM_CHROMIUM names ${process.env["SWARM_CHROMIUM"]}, which does not exist` };
  if (!existsSync("/usr/bin/apt-get"))
    return {
      path: undefined,
      reason: "no Chromium here and no apt-get: install Chromium and set SWARM_CHROMIUM to its path",
    };
  if (!options.install) return { path: undefined, reason: `no Chromium here: run '${INSTALL_COMMAND}' as root` };
  const root = process.getuid?.() === 0;
  const prefix = root ? [] : ["sudo", "-n"];
  if (!root && spawnSync("sudo", ["-n", "true"]).status !== 0) {
    return { path: found, reason: `no root and no password-less sudo: run 'sudo ${INSTALL_COMMAND}' and start again` };
  }
  log(`installing ${PACKAGES.join(" and ")} (${[...prefix, INSTALL_COMMAND].join(" ")}) …`);
  const apt = (args: string[]): number => {
    const [command, ...rest] = [...prefix, "apt-get", "-o", "DPkg::Lock::Timeout=300", ...args] as [
      string,
      ...string[],
    ];
    return (
      spawnSync(command, rest, {
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      }).status ?? 1
    );
  };
  apt(["update", "-q"]);
  const status = apt(["install", "-y", "-q", "--no-install-recommends", ...PACKAGES]);
  const path = findBrowser();
  if (path === undefined)
    return {
      path: undefined,
      reason: `the packages could not be installed (apt-get ended with ${status}): no network, or ${UBUNTU_NOTE}`,
    };
  log(`installed ${path}`);
  return { path, reason: "" };
}
