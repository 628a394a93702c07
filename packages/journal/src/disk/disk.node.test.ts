import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { collectLogs, messageOf, openTally, withHome, type Tally } from "@swarm/testkit/journal";

/** A process that opens the journal in `home`, says how that went, and holds it until its input ends. */
const HOLDER = `
  import { openTally } from "@swarm/testkit/journal";
  try {
    const journal = await openTally({ home: process.argv[1] });
    console.log("owner " + process.pid);
    process.stdin.resume().on("end", async () => { await journal.close(); process.exit(0); });
  } catch (error) { console.log(error.code + " " + error.message); }
`;

interface Holder {
  readonly child: ChildProcess;
  readonly said: Promise<string>;
  readonly closed: Promise<unknown>;
}

function startHolder(home: string): Holder {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", HOLDER, home],
    { cwd: import.meta.dirname, stdio: ["pipe", "pipe", "inherit"] },
  );
  const said = once(child.stdout, "data").then(([line]: string[]) => String(line).trim());
  return { child, said, closed: once(child, "close") };
}

async function stop({ child, closed }: Holder, signal: "SIGKILL" | "end"): Promise<void> {
  if (signal === "end") child.stdin!.end();
  else child.kill(signal);
  await closed;
}

test("J-18 a second opener is refused and told the owner's pid; after a clean close it may open", async () => {
  await withHome(async (home) => {
    const holder = startHolder(home);
    const { child, said } = holder;
    assert.equal(await said, `owner ${child.pid}`);
    await assert.rejects(
      openTally({ home }),
      (error: { code: string; message: string }) =>
        error.code === "data_dir_locked" && error.message.includes(String(child.pid)),
    );
    await stop(holder, "end");
    await using journal = await openTally({ home });
    assert.equal(journal.clean, true);
    await assert.rejects(openTally({ home }), { code: "data_dir_locked" });
  });
});

test("J-18 the lock of a killed owner is taken over with a log line", async () => {
  await withHome(async (home) => {
    const holder = startHolder(home);
    await holder.said;
    await stop(holder, "SIGKILL");
    const logger = collectLogs();
    await using journal = await openTally({ home, logger });
    assert.equal(journal.clean, false);
    assert.ok(
      logger.lines.some((line) => line.includes("took over") && line.includes(String(holder.child.pid))),
      logger.lines.join("\n"),
    );
  });
});

test("J-18 a lock whose pid another program has now is stale", async () => {
  await withHome(async (home) => {
    const other = spawn("sleep", ["60"]);
    try {
      await writeFile(join(home, "lock"), JSON.stringify({ pid: other.pid, start: "boot:1", nonce: "x" }));
      const logger = collectLogs();
      await using journal = await openTally({ home, logger });
      assert.equal(journal.clean, false);
      assert.equal((JSON.parse(await readFile(join(home, "lock"), "utf8")) as { pid: number }).pid, process.pid);
      assert.ok(logger.lines.some((line) => line.includes(`"pid":${other.pid}`)));
    } finally {
      other.kill();
    }
  });
});

test("J-18 a live owner that is just opening its store again keeps its place", async () => {
  await withHome(async (home) => {
    const holder = startHolder(home);
    await holder.said;
    const lock = await readFile(join(home, "lock"), "utf8");
    await stop(holder, "end");
    const other = startHolder(home);
    await other.said;
    // The kernel lock is free for a moment; the file still names a process that lives.
    await withHome(async (second) => {
      await writeFile(join(second, "lock"), await readFile(join(home, "lock"), "utf8"));
      await assert.rejects(openTally({ home: second }), { code: "data_dir_locked" });
      await writeFile(join(second, "lock"), lock);
      await (await openTally({ home: second })).close();
    });
    await stop(other, "end");
  });
});

test("J-18 of 20 starters at once exactly one becomes the owner, the others are told who", async () => {
  await withHome(async (home) => {
    const starters = Array.from({ length: 20 }, () => startHolder(home));
    const said = await Promise.all(starters.map((starter) => starter.said));
    const owners = said.filter((line) => line.startsWith("owner "));
    assert.equal(owners.length, 1, said.join("\n"));
    const pid = owners[0]!.slice("owner ".length);
    for (const line of said)
      assert.ok(line === owners[0] || (line.startsWith("data_dir_locked") && line.includes(pid)), line);
    await Promise.all(starters.map((starter) => stop(starter, "end")));
    assert.deepEqual((await readdir(home)).sort(), ["journal", "journal.key"]);
  });
});

test("J-18 an unreadable lock file stops nobody", async () => {
  await withHome(async (home) => {
    await writeFile(join(home, "lock"), "{ torn");
    await (await openTally({ home })).close();
  });
});

test("a data directory that cannot be made is refused as data_dir_unwritable", async () => {
  await withHome(async (home) => {
    await writeFile(join(home, "file"), "");
    await assert.rejects(openTally({ home: join(home, "file", "data") }), {
      code: "data_dir_unwritable",
      message: /cannot write in .*data/,
    });
  });
});

test("J-14 the chain key lies beside the store, for the owner alone; without it nothing is opened", async () => {
  await withHome(async (home) => {
    await (await openTally({ home })).close();
    assert.equal((await stat(join(home, "journal.key"))).mode & 0o777, 0o600);
    const key = await readFile(join(home, "journal.key"), "utf8");
    await rm(join(home, "journal.key"));
    await assert.rejects(openTally({ home }), { code: "data_corrupt", message: /journal\.key is missing/ });
    await writeFile(join(home, "journal.key"), key);
    await using journal = await openTally({ home });
    assert.equal((await journal.verify()).ok, true);
  });
});

test("J-10 J-20 on disk: everything is there after closing and opening", async () => {
  await withHome(async (home) => {
    const first = await openTally({ home });
    for (let i = 0; i < 80; i++) await first.apply(messageOf(`ses_${i % 4}`, `k${i}`, "x".repeat(i)));
    const before = { cursor: first.cursor(), state: await first.project<Tally>("tally", "ses_1") };
    await first.close();
    await using second = await openTally({ home });
    assert.deepEqual({ cursor: second.cursor(), state: await second.project<Tally>("tally", "ses_1") }, before);
    assert.equal((await second.verify()).ok, true);
  });
});

test("J-16 a journal whose lock file was taken away still releases and reopens cleanly", async () => {
  await withHome(async (home) => {
    const journal = await openTally({ home });
    await rm(join(home, "lock"));
    await journal.apply(messageOf("ses_a", "1", "x"));
    await journal.close();
    await (await openTally({ home })).close();
  });
});

/** A real small disk: a file system in memory, where this user may mount one. */
async function withSmallDisk(mib: number, body: (folder: string) => Promise<void>): Promise<string | undefined> {
  return await withHome(async (home) => {
    const folder = join(home, "disk");
    await mkdir(folder);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mib}m`, "tmpfs", folder]);
    if (mounted.status !== 0) return "this user may not mount a file system";
    try {
      await body(folder);
    } finally {
      spawnSync("umount", ["-l", folder]);
    }
    return undefined;
  });
}

test("J-17 a disk that really fills up: disk_full, reads go on, space brings writing back, nothing acknowledged is lost", async (t) => {
  const skipped = await withSmallDisk(64, async (folder) => {
    await using journal = await openTally({ home: join(folder, "home") });
    const acknowledged: number[] = [];
    await writeFile(join(folder, "ballast"), Buffer.alloc(40 * 1024 * 1024));
    const noise = (): string => crypto.getRandomValues(Buffer.alloc(30_000)).toString("base64");
    const fill = async (): Promise<never> => {
      for (let i = 0; ; i++) acknowledged.push((await journal.apply(messageOf("ses_a", `k${i}`, noise())))[0]!.seq);
    };
    await assert.rejects(fill(), { code: "disk_full" });
    assert.equal(journal.state().state, "read_only");
    assert.equal((await journal.records("ses_a", { limit: 3 })).length, 3);
    await assert.rejects(journal.apply(messageOf("ses_a", "while full", noise())), { code: "disk_full" });
    await rm(join(folder, "ballast"));
    while (journal.state().state !== "ok") await new Promise((resolve) => setTimeout(resolve, 50));
    const [after] = await journal.apply(messageOf("ses_a", "after", "x"));
    assert.ok(after!.seq > acknowledged.length);
    assert.deepEqual(
      (await journal.recordsSince(0, 10_000)).slice(0, acknowledged.length).map((r) => r.seq),
      acknowledged,
    );
    assert.deepEqual((await journal.verify()).problems, []);
  });
  if (skipped) t.skip(skipped);
});
