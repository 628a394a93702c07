import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { join } from "node:path";
import { silentLogger } from "@swarm/std";
import { createCheckerProcess, type CheckerProcessOptions } from "./checker-process.ts";

const FAKE = join(import.meta.dirname, "../testing/fake-checker.mjs");
function open(more: Partial<CheckerProcessOptions> = {}) {
  return createCheckerProcess({ command: [process.execPath, FAKE], logger: silentLogger, memoryMib: 250, ...more });
}
const check = (checker: ReturnType<typeof open>, html: string, signal = new AbortController().signal) =>
  checker.check({ html, stages: ["static"] }, signal);

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(condition());
}

test("the process starts on first need, serves checks side by side, and is gone after disposal", async () => {
  const checker = open();
  assert.deepEqual(checker.pids(), []);
  const results = await Promise.all([check(checker, "a"), check(checker, "noise"), check(checker, "c")]);
  const [pid] = checker.pids();
  assert.deepEqual(
    results.map((r) => r.report.summary),
    [`${pid}/`, `${pid}/`, `${pid}/`],
  );
  assert.deepEqual([results[0].stills[0]!.timeMs, Buffer.from(results[0].stills[0]!.png).toString()], [5, "png"]);
  assert.deepEqual(await checker.ability(), { runtime: false, reason: "it is a fake" });
  await checker[Symbol.asyncDispose]();
  assert.equal(existsSync(`/proc/${pid}`), false);
  assert.match((await check(checker, "late")).report.summary, /closed/);
});

test("an idle process ends and the next check starts another", async () => {
  await using checker = open({ idleMs: 30 });
  await check(checker, "a");
  const [first] = checker.pids();
  await until(() => checker.pids().length === 0 && !existsSync(`/proc/${first}`));
  assert.notEqual((await check(checker, "b")).report.summary, `${first}/`);
});

test("a document that ends a working checker each time is rejected with what to change; one beside it is checked all the same", async () => {
  await using checker = open();
  const [deadly, innocent] = await Promise.all([check(checker, "die"), check(checker, "a")]);
  assert.deepEqual(
    [deadly.report.verdict, deadly.report.stages[0]?.verdict, deadly.report.failed],
    ["rejected", "failed", 1],
  );
  assert.match(
    deadly.report.summary,
    /this document alone ended the checker 2 times: the checker process ended \(code 7\)\. Fix: /,
  );
  assert.equal(innocent.report.verdict, "verified");
});

test("a checker that cannot even start is no fault of a document: not run, with the reason", async () => {
  await using checker = open({ command: [process.execPath, "-e", "process.exit(9)"] });
  const { report } = await check(checker, "a");
  assert.deepEqual([report.stages[0]?.verdict, report.notRun], ["not_run", 1]);
  assert.match(report.summary, /ended \(code 9\)/);
});

test("a checker that hangs is killed, its document is named, and what waited beside it is checked", async () => {
  await using checker = open({ silentMs: 2_000 });
  await checker.ability();
  const abort = new AbortController();
  const slow = check(checker, "wait", abort.signal);
  await new Promise((resolve) => setTimeout(resolve, 3_500)); // pings are answered: nobody is killed for being slow
  assert.equal(checker.pids().length, 1);
  abort.abort(new Error("over"));
  await assert.rejects(slow, /over/);
  const [hung, innocent] = await Promise.all([check(checker, "hang"), check(checker, "a")]);
  assert.equal(innocent.report.verdict, "verified");
  assert.match(hung.report.summary, /it was silent for 2000 ms/);
});

test("a checker that grows beyond its memory is killed with that reason", async () => {
  await using checker = open();
  assert.match((await check(checker, "grow")).report.summary, /it held \d+ MiB, more than 250/);
});

test("an abort rejects with its reason at once and tells the checker", async () => {
  await using checker = open();
  const abort = new AbortController();
  const waiting = check(checker, "wait", abort.signal);
  abort.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  assert.match((await check(checker, "a")).report.summary, /\/1$/);
});

test("a program that cannot be started is a reason, not an exception", async () => {
  await using checker = open({ command: ["/nowhere/checker"] });
  assert.match((await check(checker, "a")).report.summary, /ENOENT/);
  assert.equal((await checker.ability()).runtime, false);
});
