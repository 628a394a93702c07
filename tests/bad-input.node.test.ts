/** Wrong input and a hostile world: each gets a clear sentence that says what to do, and the journal stays whole. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createApiClient } from "@swarm/sync/client";
import { century, swarm, testDaemon, until } from "./daemon.ts";

test("a taken port is named with its owner and another one is offered", async () => {
  const other = createServer((_q, s) => s.end("mine"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const home = mkdtempSync(join(tmpdir(), "swarm-port-"));
  try {
    const { code, err } = await swarm(
      { ...process.env, SWARM_HOME: home, NO_COLOR: "1" },
      "up",
      "--api-port",
      String(port),
      "--desktop-port",
      "0",
      "--artifact-port",
      "0",
      "--no-sim",
    );
    assert.equal(code, 1);
    assert.match(err, new RegExp(`${port}.*taken|taken.*${port}`, "s"));
    assert.match(err, new RegExp(`pid ${process.pid}`));
  } finally {
    other.close();
    rmSync(home, { recursive: true, force: true });
  }
});

test("a data directory that another daemon owns is refused with the owner's pid", async () => {
  await using daemon = await testDaemon(["--no-sim", "--no-runtime-gate"]);
  const { execFile } = await import("node:child_process");
  const { BUNDLE } = await import("./daemon.ts");
  const err = await new Promise<string>((resolve) =>
    execFile(
      process.execPath,
      [BUNDLE, "--home", daemon.home, "--api-port", "0", "--desktop-port", "0", "--artifact-port", "0", "--no-sim"],
      (_e, _o, stderr) => resolve(stderr),
    ),
  );
  assert.match(err, /data_dir_locked/);
  assert.match(err, new RegExp(String(daemon.run.pid)));
});

test("an unwritable data directory is said, with what to do", async () => {
  const parent = mkdtempSync(join(tmpdir(), "swarm-ro-"));
  const file = join(parent, "file");
  writeFileSync(file, "a file where a directory should be");
  try {
    const { code, err } = await swarm(
      { ...process.env, SWARM_HOME: join(file, "home"), NO_COLOR: "1" },
      "up",
      "--no-sim",
    );
    assert.equal(code, 1);
    assert.match(err, /cannot be written.*SWARM_HOME/s);
  } finally {
    chmodSync(parent, 0o700);
    rmSync(parent, { recursive: true, force: true });
  }
});

test("without a daemon every command says to start one and exits with 3", async () => {
  const home = mkdtempSync(join(tmpdir(), "swarm-none-"));
  mkdirSync(home, { recursive: true });
  try {
    for (const command of [["status"], ["sessions"], ["run", "x"], ["cancel", "--all"], ["artifacts"]]) {
      const { code, err } = await swarm({ ...process.env, SWARM_HOME: home, NO_COLOR: "1" }, ...command);
      assert.equal(code, 3, command.join(" "));
      assert.match(err, /^Run 'swarm up' first/);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("an unknown tier is refused before anything starts", async () => {
  const { code, err } = await century({ ...process.env }, "--tier", "9");
  assert.equal(code, 2);
  assert.match(err, /Unknown tier '9'/);
});

test("a wrong key, a provider that is down and a model that does not exist end in one sentence each", async () => {
  const refuse = createServer((_q, s) => {
    s.writeHead(401, { "content-type": "application/json" });
    s.end(JSON.stringify({ error: { message: "Incorrect API key provided", code: "invalid_api_key" } }));
  });
  await new Promise<void>((resolve) => refuse.listen(0, "127.0.0.1", resolve));
  const wrong = JSON.stringify({
    name: "wrong",
    wire: "chat",
    baseURL: `http://127.0.0.1:${(refuse.address() as AddressInfo).port}/v1`,
  });
  await using daemon = await testDaemon(["--no-sim", "--no-runtime-gate", "--provider", wrong]);
  try {
    const { session } = await daemon.api.createSession({ task: "hello", model: "wrong/m", profile: "assistant" }, "k1");
    const ended = await until("the run ends", async () => {
      const s = await daemon.api.session(session);
      return s.phase === "ended" && s;
    });
    assert.equal(ended.state, "failed");
    assert.match(ended.now, /key/i);
    assert.equal(ended.errors.internal ?? 0, 0);
    await assert.rejects(daemon.api.createSession({ task: "hello", model: "nobody/m" }, "k2"), /no model|provider/);
  } finally {
    refuse.close();
  }
});

test("NUL bytes and lone surrogates in a task are cleaned or refused in words, a 5 MB task is refused with the limit", async () => {
  await using daemon = await testDaemon(["--no-runtime-gate"]);
  const { session } = await daemon.api.createSession(
    { task: "Say hello \u0000 and \ud800 goodbye", model: "sim/perfect", profile: "assistant" },
    "nul",
  );
  await until("the run ends", async () => (await daemon.api.session(session)).phase === "ended");
  const kept = JSON.stringify((await daemon.api.records(session, { limit: 100 })).items);
  assert.ok(kept.isWellFormed() && !kept.includes("\\u0000") && !kept.includes("\\ud800"));
  await assert.rejects(daemon.api.createSession({ task: "x".repeat(5 * 1024 * 1024) }, "big"), /4|limit|MiB|large/i);
  const status = await daemon.api.status();
  assert.equal(status.store.state, "ok");
});

test("a stranger without the token gets nothing", async () => {
  await using daemon = await testDaemon(["--no-sim", "--no-runtime-gate"]);
  await assert.rejects(createApiClient({ baseUrl: daemon.run.api, token: "wrong" }).status(), (e: Error) =>
    /token/i.test(e.message),
  );
});

test(
  "a full disk makes runs wait, not fail: reads go on, and with room again everything is delivered",
  { skip: process.getuid?.() === 0 ? false : "needs the right to mount a small file system" },
  async (t) => {
    const { spawnSync } = await import("node:child_process");
    const mountPoint = mkdtempSync(join(tmpdir(), "swarm-full-"));
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", mountPoint]).status !== 0) {
      rmSync(mountPoint, { recursive: true, force: true });
      t.skip("a small file system cannot be mounted here");
      return;
    }
    const filler = join(mountPoint, "filler");
    try {
      await using daemon = await testDaemon(["--no-runtime-gate", "--sim-speed", "10"], join(mountPoint, "home"));
      const task = "Build the dashboard card for node 041: TTFT Jitter.\nUnit: ms";
      const ids = await Promise.all(
        [1, 2, 3].map(
          async (i) => (await daemon.api.createSession({ task, model: "sim/perfect" }, `full-${i}`)).session,
        ),
      );
      await until("work is in flight", async () => (await daemon.api.session(ids[0]!)).turns >= 1);
      spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1M"]);
      await until("the store says so", async () => {
        await daemon.api.createSession({ task, model: "sim/perfect" }, "refused").catch(() => undefined);
        return (await daemon.api.status()).store.state === "read_only";
      });
      await assert.rejects(daemon.api.createSession({ task, model: "sim/perfect" }, "refused-2"), {
        code: "disk_full",
      });
      assert.equal((await daemon.api.session(ids[0]!)).id, ids[0], "reads go on");
      rmSync(filler);
      for (const id of ids) {
        const ended = await until("delivered after all", async () => {
          const s = await daemon.api.session(id);
          return s.phase === "ended" && s;
        });
        assert.equal(ended.state, "delivered");
        assert.equal(ended.errors.internal ?? 0, 0);
      }
    } finally {
      rmSync(filler, { force: true });
      spawnSync("umount", ["-l", mountPoint]);
      rmSync(mountPoint, { recursive: true, force: true });
    }
  },
);
