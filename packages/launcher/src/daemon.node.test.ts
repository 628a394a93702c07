import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ensureDaemon, findRunning, runFilePath, startTicksOf, stopDaemon } from "./index.ts";

const root = mkdtempSync(join(tmpdir(), "swarm-launcher-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** A stand-in that keeps the launcher's contract: exclusive lock, run file, /ready. */
const DAEMON = join(root, "daemon.mjs");
writeFileSync(
  DAEMON,
  `import { createServer } from "node:http";
import { mkdirSync, readFileSync, writeFileSync, rmSync } from "node:fs";
const home = process.argv[process.argv.indexOf("--home") + 1];
const delay = Number(process.argv[process.argv.indexOf("--delay") + 1] || 0);
if (process.argv.includes("--die")) { console.error("swarmd: the journal did not open"); process.exit(3); }
try { mkdirSync(home + "/lock"); } catch { console.error("swarmd: data_dir_locked"); process.exit(4); }
process.on("SIGTERM", () => { rmSync(home + "/run.json"); rmSync(home + "/lock", { recursive: true }); process.exit(0); });
const server = createServer((q, s) => s.end("ok"));
setTimeout(() => server.listen(0, "127.0.0.1", () => {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const api = "http://127.0.0.1:" + server.address().port;
  writeFileSync(home + "/run.json", JSON.stringify({ pid: process.pid, startTicks: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]), version: "test", api, desktop: api, artifacts: api }));
}), delay);
`,
);
const command = [process.execPath, DAEMON];
let homes = 0;
function home(): string {
  const dir = join(root, `home-${homes++}`);
  mkdirSync(dir);
  return dir;
}

test("twenty starters at once get one daemon, and a stopped one is nobody (H-14)", async () => {
  const dir = home();
  const found = await Promise.all(
    Array.from({ length: 20 }, () => ensureDaemon({ home: dir, command, args: ["--delay", "300"] })),
  );
  assert.equal(new Set(found.map((f) => f.daemon.pid)).size, 1);
  assert.equal(found.filter((f) => f.started).length, 1);
  assert.equal(await stopDaemon(dir), "stopped");
  assert.equal(findRunning(dir), undefined);
});

test("a run file whose pid now belongs to another program is nobody (H-13)", async () => {
  const dir = home();
  const other = spawn("sleep", ["60"], { stdio: "ignore" });
  writeFileSync(
    runFilePath(dir),
    JSON.stringify({
      pid: other.pid,
      startTicks: 1,
      version: "x",
      api: "http://127.0.0.1:1",
      desktop: "",
      artifacts: "",
    }),
  );
  assert.equal(findRunning(dir), undefined);
  assert.ok(startTicksOf(other.pid!) !== undefined);
  const { daemon, started } = await ensureDaemon({ home: dir, command, args: [] });
  assert.equal(started, true);
  assert.notEqual(daemon.pid, other.pid);
  assert.equal(startTicksOf(other.pid!) !== undefined, true, "the stranger was not harmed");
  other.kill("SIGKILL");
  await stopDaemon(dir);
});

test("a daemon that dies at once is reported with its own words (M-05)", async () => {
  await assert.rejects(ensureDaemon({ home: home(), command, args: ["--die"] }), {
    code: "daemon_died",
    message: "the journal did not open",
  });
});

test("a slow start is followed and said, not called dead (M-05)", async () => {
  const dir = home();
  const said: string[] = [];
  const { started } = await ensureDaemon({
    home: dir,
    command,
    args: ["--delay", "4000"],
    say: (line) => said.push(line),
  });
  assert.equal(started, true);
  assert.match(said[0] ?? "", /starting, 3 s so far/);
  await stopDaemon(dir);
});
