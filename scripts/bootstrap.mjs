#!/usr/bin/env node
// First step of every command: plain JavaScript, only node: imports, Node 18 syntax, because it runs on whatever
// Node the machine has. Installs dependencies when the lock file changed, then re-executes with the pinned Node.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const STAMP = join(ROOT, "node_modules", ".swarm-lock-hash");
const INSTALL_LOCK = join(ROOT, ".cache", "install.lock");
const INSTALL_WAIT_MS = 10 * 60 * 1000;

const COMMANDS = {
  century: ["apps/century/src/main.ts"],
  bench: ["scripts/bench.ts"],
  swarm: ["apps/cli/src/main.ts"],
  test: ["scripts/test.ts"],
  check: ["scripts/check.ts"],
  chaos: ["scripts/chaos.ts"],
  build: ["scripts/build.ts"],
};

function say(text) {
  process.stderr.write(`swarm: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

function lockHash() {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", ".npmrc"]) {
    const path = join(ROOT, file);
    if (existsSync(path)) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

function installed(hash) {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === hash;
}

function pidAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Runs `work` alone among all Swarm commands in this checkout; the lock of a dead owner is taken over. */
function alone(work) {
  mkdirSync(dirname(INSTALL_LOCK), { recursive: true });
  const until = Date.now() + INSTALL_WAIT_MS;
  for (;;) {
    try {
      writeFileSync(INSTALL_LOCK, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") fail(`cannot write ${INSTALL_LOCK}: ${error.message}. Make the folder writable.`);
      let owner = 0;
      try {
        owner = Number(readFileSync(INSTALL_LOCK, "utf8"));
      } catch {
        continue;
      }
      if (owner > 0 && !pidAlive(owner)) {
        rmSync(INSTALL_LOCK, { force: true });
        continue;
      }
      if (Date.now() > until) fail(`another install (pid ${owner}) has run for ten minutes. End it and try again.`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    }
  }
  try {
    work();
  } finally {
    rmSync(INSTALL_LOCK, { force: true });
  }
}

function install(hash) {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20)
    fail(`Node ${process.versions.node} is too old to install with: install Node 20 or newer, then run this again.`);
  say("installing the pinned Node and the dependencies (npm ci) …");
  const started = Date.now();
  const result = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (result.error) fail(`npm could not be started (${result.error.message}). Install npm, then run this again.`);
  if (result.status !== 0) {
    fail(
      "npm ci failed (see above). Without a network: connect once, then run this again; nothing else is downloaded later.",
    );
  }
  writeFileSync(STAMP, hash);
  say(`installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

/** The pinned runtime; on a system that has none in the registry, its own Node when it is new enough. */
function runtime() {
  const pinned = join(ROOT, "node_modules", ".bin", "node");
  if (existsSync(pinned) && spawnSync(pinned, ["--version"]).status === 0) return pinned;
  if (Number(process.versions.node.split(".")[0]) >= 24) {
    say(`no pinned Node for ${process.platform}-${process.arch}: using Node ${process.versions.node} of this machine`);
    return process.execPath;
  }
  return fail(`no pinned Node for ${process.platform}-${process.arch}: install Node 24 or newer, then run this again.`);
}

const [command, ...args] = process.argv.slice(2);
const target = COMMANDS[command];
if (!target) fail(`unknown command '${command || ""}': use one of ${Object.keys(COMMANDS).join(", ")}`);
const hash = lockHash();
if (!installed(hash)) alone(() => (installed(hash) ? undefined : install(hash)));
const run = spawnSync(runtime(), ["--disable-warning=ExperimentalWarning", join(ROOT, target[0]), ...args], {
  cwd: process.cwd(),
  stdio: "inherit",
  env: {
    ...process.env,
    SWARM_ROOT: ROOT,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(ROOT, ".cache", "compile"),
  },
});
if (run.signal) process.kill(process.pid, run.signal);
process.exit(run.status === null ? 1 : run.status);
