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
const check = (checker: ReturnType<typeof open>, html: string, signal = new AbortController().signal) => checker.check({ html, stages: ["static"] }, signal);

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(condition());
}

test("the process starts on first need, serves checks side by side, and is gone after disposal", async () => {
  const checker = open();
  assert.deepEqual(checker.pids(), []);
  const results = await Promise.all([check(checker, "a"), check(checker, "noise"), check(checker, "c")]);
  const [pid] = checker.pids();
  assert.deepEqual(results.map((r) => r.report.summary), [`${pid}/`, `${pid}/`, `${pid}/`]);
  assert.deepEqual([results[0]!.stills[0]!.timeMs, Buffer.from(results[0]!.stills[0]!.png).toString()], [5, "png"]);
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

test("a document that kills the checker answers not_run with the reason; one beside it is checked all the same", async () => {
  await using checker = open();
  const [deadly, innocent] = await Promise.all([check(checker, "die"), check(checker, "a")]);
  assert.deepEqual([deadly.report.verdict, deadly.report.stages[0]?.verdict, deadly.report.notRun], ["rejected", "not_run", 1]);
  assert.match(deadly.report.stages[0]?.reason ?? "", /ended \(code 7\)/);
  assert.equal(innocent.report.verdict, "verified");
});

test("a checker that hangs is killed and what waited is checked by another", async () => {
  await using checker = open({ silentMs: 500 });
  const slow = check(checker, "wait"); // keeps something waiting until the first pong was heard
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const hung = check(checker, "hang");
  const innocent = check(checker, "a");
  assert.equal((await innocent).report.verdict, "verified");
  assert.equal((await hung).report.stages[0]?.verdict, "not_run");
  void slow;
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
