import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { descendants, readProcess, Sampler, TICKS_PER_S } from "./sampler.ts";

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("a reading agrees with ps, which shares no code with it", () => {
  const own = readProcess(process.pid);
  assert.ok(own);
  const ps = execFileSync("ps", ["-o", "rss=,nlwp=", "-p", String(process.pid)], { encoding: "utf8" })
    .trim()
    .split(/\s+/)
    .map(Number);
  assert.ok(Math.abs(own.rssKb - ps[0]!) < 20_000, `rss ${own.rssKb} against ${ps[0]}`);
  assert.ok(Math.abs(own.threads - ps[1]!) <= 2, `threads ${own.threads} against ${ps[1]}`);
});

test("CPU burnt by a process that ended stays counted in its group", async () => {
  const child = spawn(
    process.execPath,
    [
      "-e",
      "const t=process.cpuUsage();while(process.cpuUsage(t).user<400000);setInterval(()=>{},1000);console.log('done')",
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(child.stdout, "data");
  using sampler = new Sampler(() => [{ group: "worker", pids: [child.pid!] }], 20);
  sampler.sample();
  const before = sampler.samples.at(-1)!;
  assert.ok(before.utimeTicks >= 0.3 * TICKS_PER_S, `${before.utimeTicks} ticks`);
  child.kill("SIGKILL");
  await once(child, "exit");
  sampler.sample();
  const after = sampler.samples.at(-1)!;
  assert.equal(after.processes, 0);
  assert.ok(after.utimeTicks >= before.utimeTicks);
});

test("descendants finds grandchildren and a dead process has no reading", async () => {
  const child = spawn("sh", ["-c", "sleep 30 & wait"], { stdio: "ignore" });
  await until(() => descendants(child.pid!).length === 1);
  const [grandchild] = descendants(child.pid!);
  assert.ok(readProcess(grandchild!));
  process.kill(grandchild!, "SIGKILL");
  child.kill("SIGKILL");
  await once(child, "exit");
  await until(() => readProcess(child.pid!) === undefined);
  assert.equal(readProcess(child.pid!), undefined);
});
