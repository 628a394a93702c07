/** A real daemon for whole-product tests: own data directory, random ports, gone afterwards. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureDaemon, readToken, stopDaemon, type RunFile } from "@swarm/launcher";
import { createApiClient, type ApiClient } from "@swarm/sync/client";

export const ROOT = join(import.meta.dirname, "..");
export const BUNDLE = join(ROOT, "dist", "swarmd.mjs");

export interface TestDaemon extends AsyncDisposable {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  run: RunFile;
  api: ApiClient;
  /** Starts it again on the same data directory. */
  start(): Promise<void>;
  kill(): Promise<void>;
}

export async function testDaemon(
  args: readonly string[] = [],
  home: string = mkdtempSync(join(tmpdir(), "swarm-test-")),
): Promise<TestDaemon> {
  const env = { ...process.env, SWARM_HOME: home, SWARM_ROOT: ROOT, NO_COLOR: "1" };
  const open = async (): Promise<{ run: RunFile; api: ApiClient }> => {
    const { daemon } = await ensureDaemon({
      home,
      command: [process.execPath, "--disable-warning=ExperimentalWarning", BUNDLE],
      args: ["--api-port", "0", "--desktop-port", "0", "--artifact-port", "0", "--sim-speed", "20", ...args],
      env,
    });
    return { run: daemon, api: createApiClient({ baseUrl: daemon.api, token: readToken(home) ?? "" }) };
  };
  const daemon: TestDaemon = {
    home,
    env,
    ...(await open()),
    async start() {
      Object.assign(daemon, await open());
    },
    async kill() {
      process.kill(daemon.run.pid, "SIGKILL");
      while (alive(daemon.run.pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async [Symbol.asyncDispose]() {
      await stopDaemon(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
  return daemon;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The command line as a person calls it. */
export function swarm(env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return program(join(ROOT, "apps/cli/src/main.ts"), env, args);
}

export function century(
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  return program(join(ROOT, "apps/century/src/main.ts"), env, args);
}

function program(
  file: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", file, ...args],
      { env, maxBuffer: 64 * 1024 * 1024 },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, out, err });
      },
    );
  });
}

export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  timeoutMs = 120_000,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error(`waited ${timeoutMs / 1000} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
