import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { CappedOutput, probeSandbox, runChild, sandboxed, type BubblewrapOptions, type ChildResult } from "./index.ts";

const ability = await probeSandbox();
const skip = ability.sandbox ? false : ability.reason;
const folder = mkdtempSync(join(tmpdir(), "swarm-sandbox-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const limits = { env: { PATH: "/usr/bin:/bin" }, timeoutMs: 20_000, outputMaxBytes: 65_536 };
function boxed(script: string, more: Partial<BubblewrapOptions> = {}): Promise<ChildResult> {
  return runChild({ command: sandboxed({ command: ["/bin/sh", "-c", script], ...more }), ...limits });
}
function sh(script: string, more: object = {}): Promise<ChildResult> {
  return runChild({ command: ["/bin/sh", "-c", script], ...limits, ...more });
}

test(
  "inside the box it is user 65534 without capabilities, network, other processes or the caller's environment",
  { skip },
  async () => {
    const seen = await boxed(
      'id -u; grep -E "Cap(Eff|Bnd|Prm)" /proc/self/status | tr -d "\\t"; grep -c : /proc/net/dev; ls -d /proc/[0-9]* | wc -l; env | grep -c SECRET; ls -A /home /root /var /run 2>/dev/null | wc -l',
    );
    const [uid, ...rest] = seen.stdout.text.trim().split("\n");
    assert.equal(uid, "65534", seen.stderr.text);
    assert.deepEqual(rest.slice(0, 3), [
      "CapPrm:0000000000000000",
      "CapEff:0000000000000000",
      "CapBnd:0000000000000000",
    ]);
    const [interfaces, processes, secrets, files] = rest.slice(3).map(Number);
    assert.deepEqual([interfaces, secrets, files], [1, 0, 0]);
    assert.ok(processes! <= 6);
  },
);

test(
  "root cannot be had back: mounting, remounting, writing to /usr and new user namespaces fail",
  { skip },
  async () => {
    for (const attempt of [
      "mount -o remount,rw /usr",
      "touch /usr/swarm-canary",
      "mount -t tmpfs none /mnt",
      "unshare --user --map-root-user true",
      "chroot /usr true",
    ]) {
      const result = await boxed(attempt);
      assert.notDeepEqual([result.end, "code" in result && result.code], ["exited", 0], attempt);
    }
    assert.equal(existsSync("/usr/swarm-canary"), false);
  },
);

test(
  "where root can make the box as an unprivileged user, no process of it is root, seen from outside",
  { skip: ability.sandbox && ability.unprivileged ? false : "not root here" },
  async () => {
    const mark = `swarm-outside-${process.pid}`;
    const running = runChild({
      command: sandboxed({ command: ["/bin/sh", "-c", `sleep 1; : ${mark}`], unprivileged: true }),
      ...limits,
    });
    const uids = new Set<string>();
    for (let ended = false; !ended;) {
      for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        try {
          if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`/bin/sh\0-c\0sleep 1; : ${mark}`)) continue;
          uids.add(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "");
        } catch {
          // just gone
        }
      }
      ended = await Promise.race([
        running.then(() => true),
        new Promise<boolean>((resolve) => setTimeout(resolve, 50, false)),
      ]);
    }
    assert.deepEqual([...uids], ["65534"]);
  },
);

test("only a folder that was granted can be written, and only there", { skip }, async () => {
  const result = await boxed("echo kept > /work/file; echo lost > /tmp/file; cat /work/file", {
    writable: [{ outside: folder, inside: "/work" }],
  });
  assert.equal(result.stdout.text, "kept\n", result.stderr.text);
  assert.equal(readFileSync(join(folder, "file"), "utf8"), "kept\n");
});

test("a time-out kills the whole group, background children included", async () => {
  const mark = join(folder, "pid");
  const result = await sh(`sleep 300 & echo $! > ${mark}; wait`, { timeoutMs: 300 });
  assert.equal(result.end, "timeout");
  await gone(Number(readFileSync(mark, "utf8")));
});

test("a child left in the background neither holds the result nor lives on", async () => {
  const mark = join(folder, "left");
  const result = await sh(`sleep 300 & echo $! > ${mark}; echo said`);
  assert.deepEqual([result.end, result.stdout.text], ["exited", "said\n"]);
  await gone(Number(readFileSync(mark, "utf8")));
});

test("an abort ends it, before or while it runs; a program that is not there is a result, not an exception", async () => {
  assert.equal((await sh("sleep 300", { signal: AbortSignal.abort() })).end, "aborted");
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 50);
  assert.equal((await sh("sleep 300", { signal: abort.signal })).end, "aborted");
  const missing = await runChild({ command: ["/nowhere/program"], ...limits });
  assert.ok(missing.end === "not_started" || (missing.end === "exited" && missing.code !== 0));
});

test(
  "a child dies with the process that started it",
  { skip: existsSync("/usr/bin/setpriv") ? false : "no setpriv" },
  async () => {
    const mark = join(folder, "orphan");
    const script = join(folder, "parent.mjs");
    writeFileSync(
      script,
      `import { runChild } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
void runChild({ command: ["/bin/sh", "-c", "echo $$ > ${mark}; exec sleep 300"], env: {}, timeoutMs: 300000, outputMaxBytes: 1 });`,
    );
    const parent = spawn(process.execPath, [script], { stdio: "ignore" });
    let pid = 0;
    while (pid === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (existsSync(mark)) pid = Number(readFileSync(mark, "utf8"));
    }
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await gone(pid);
  },
);

test("of endless output the beginning and the end are kept, and how much was left out", async () => {
  const result = await sh('echo begin; head -c 5000000 /dev/zero | tr "\\0" x; echo; echo end', {
    outputMaxBytes: 4_000,
  });
  assert.match(result.stdout.text, /^begin\nx+\n\[\d+ bytes left out\]\nx+\nend\n$/);
  assert.ok(result.stdout.text.length < 4_100);
  assert.equal(result.stdout.bytes, 5_000_011);
});

test("capped output is the whole up to the cap, whatever the chunks are", () => {
  for (const size of [1, 3, 7, 100]) {
    const capped = new CappedOutput(20);
    const text = "0123456789abcdefghij";
    for (let at = 0; at < text.length; at += size) capped.push(Buffer.from(text.slice(at, at + size)));
    assert.deepEqual(capped.read(), { text, bytes: 20, cutBytes: 0 });
    capped.push(Buffer.from("k"));
    assert.deepEqual(capped.read(), { text: "0123456789\n[1 bytes left out]\nbcdefghijk", bytes: 21, cutBytes: 1 });
  }
});

/** Waits until a process is no more, or a zombie that only waits to be reaped. */
async function gone(pid: number): Promise<void> {
  for (let i = 0; i < 500; i++) {
    try {
      if (/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) return;
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`process ${pid} is still there`);
}
