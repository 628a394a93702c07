import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { arch, cpus, loadavg, release, totalmem } from "node:os";
import type { HostFacts } from "../report/raw.ts";

/** The machine and the versions, as they are at the start. */
export function hostFacts(options: { version: string; browser: string | undefined; root: string }): HostFacts {
  return {
    cpu: cpus()[0]?.model.trim() || arch(),
    cores: cpus().length,
    memoryMib: Math.round(totalmem() / 1048576),
    kernel: release(),
    os: osName(),
    node: process.versions.node,
    version: options.version,
    commit: commit(options.root),
    loadBefore: loadavg()[0] ?? 0,
    browser: options.browser === undefined ? null : browserVersion(options.browser),
  };
}

function osName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}

function commit(root: string): string | null {
  try {
    return execFileSync("git", ["rev-parse", "--short=12", "HEAD"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return null;
  }
}

function browserVersion(path: string): string {
  try {
    return execFileSync(path, ["--version", "--no-sandbox"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
    }).trim();
  } catch {
    return path;
  }
}
