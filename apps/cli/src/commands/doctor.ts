import { accessSync, constants, existsSync, readFileSync, statfsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findRunning, readToken, resolveHome } from "@swarm/launcher";
import { errorMessage } from "@swarm/std";
import { createApiClient } from "@swarm/sync/client";
import { green, print, printJson, red, yellow } from "../output.ts";
import type { Command } from "./command.ts";
import { installRoot } from "./up.ts";

type Level = "ok" | "degraded" | "broken";
interface Check {
  readonly name: string;
  readonly level: Level;
  readonly message: string;
}

const LOW_DISK_BYTES = 512 * 1024 * 1024;
const PINNED_MAJOR = 24;

/** Exit code 0: all well or degraded with a sentence; 1: something is broken. */
export const doctor: Command = {
  name: "doctor",
  usage: "doctor",
  what: "Look over this machine and the running daemon: what works, what is missing, what to do.",
  async run(_args, { json }) {
    const home = resolveHome();
    const checks = [
      runtime(),
      engine(),
      dataDir(home),
      disk(home),
      await browser(),
      sandbox(),
      ...(await daemon(home)),
    ];
    const broken = checks.some((c) => c.level === "broken");
    if (json) printJson({ ok: !broken, checks });
    else
      for (const c of checks)
        print(
          `${c.level === "ok" ? green("✓") : c.level === "degraded" ? yellow("!") : red("✗")} ${c.name}: ${c.message}`,
        );
    return broken ? 1 : 0;
  },
};

function runtime(): Check {
  const major = Number(process.versions.node.split(".")[0]);
  return major >= PINNED_MAJOR
    ? { name: "runtime", level: "ok", message: `Node ${process.versions.node} on ${process.platform}-${process.arch}` }
    : {
        name: "runtime",
        level: "broken",
        message: `Node ${process.versions.node} is too old: start through npm run swarm, which brings its own`,
      };
}

function engine(): Check {
  try {
    createRequire(join(installRoot(), "packages/kv/package.json"))("classic-level");
    return { name: "store engine", level: "ok", message: "classic-level loads under this Node" };
  } catch (error) {
    return {
      name: "store engine",
      level: "broken",
      message: `classic-level does not load (${errorMessage(error).split("\n")[0]}): run npm ci again`,
    };
  }
}

function dataDir(home: string): Check {
  const existing = existsSync(home) ? home : dirname(home);
  try {
    accessSync(existing, constants.W_OK);
    return { name: "data directory", level: "ok", message: home };
  } catch {
    return existsSync(existing)
      ? {
          name: "data directory",
          level: "broken",
          message: `${existing} cannot be written: make it writable or set SWARM_HOME`,
        }
      : { name: "data directory", level: "ok", message: `${home} will be made` };
  }
}

function disk(home: string): Check {
  let dir = home;
  while (!existsSync(dir)) dir = dirname(dir);
  const s = statfsSync(dir);
  const free = s.bavail * s.bsize;
  const text = `${(free / 1073741824).toFixed(1)} GiB free`;
  return free < LOW_DISK_BYTES
    ? {
        name: "disk",
        level: "degraded",
        message: `${text}: free some, the journal stops acknowledging when none is left`,
      }
    : { name: "disk", level: "ok", message: text };
}

async function browser(): Promise<Check> {
  const { findBrowser, INSTALL_COMMAND } = (await import(
    join(installRoot(), "scripts", "browser.ts")
  )) as typeof import("../../../../scripts/browser.ts");
  const path = findBrowser();
  return path === undefined
    ? { name: "browser", level: "degraded", message: `no Chromium: the runtime gate is left out; ${INSTALL_COMMAND}` }
    : { name: "browser", level: "ok", message: path };
}

function sandbox(): Check {
  if (!existsSync("/usr/bin/bwrap"))
    return { name: "sandbox", level: "degraded", message: "no bubblewrap: apt-get install bubblewrap" };
  const max = tryRead("/proc/sys/user/max_user_namespaces");
  return max === "0"
    ? { name: "sandbox", level: "degraded", message: "user namespaces are off on this machine: bubblewrap cannot work" }
    : { name: "sandbox", level: "ok", message: "bubblewrap is here" };
}

async function daemon(home: string): Promise<Check[]> {
  const running = findRunning(home);
  if (running === undefined) return [{ name: "daemon", level: "ok", message: "not running (swarm up starts it)" }];
  try {
    const s = await createApiClient({ baseUrl: running.api, token: readToken(home) ?? "" }).status();
    return [
      { name: "daemon", level: "ok", message: `pid ${s.pid} answers at ${s.addresses.api}` },
      s.store.state === "ok"
        ? { name: "journal", level: "ok", message: `seq ${s.cursor.seq}, incarnation ${s.cursor.incarnation}` }
        : { name: "journal", level: "broken", message: `read only: ${s.store.reason}` },
      s.checker.runtime
        ? { name: "runtime gate", level: "ok", message: "runs" }
        : { name: "runtime gate", level: "degraded", message: s.checker.reason },
    ];
  } catch (error) {
    return [
      {
        name: "daemon",
        level: "broken",
        message: `pid ${running.pid} does not answer (${errorMessage(error)}): see its log in ${home}/logs`,
      },
    ];
  }
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
