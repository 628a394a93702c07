import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckStage, Finding } from "@swarm/protocol";
import { assembleReport, summarise } from "./report.ts";
import { checkStatic } from "./static/check-static.ts";
import { GOOD_CARD } from "./testing/card.ts";

const ok: Finding = { check: "size", ok: true, message: "fine" };
const bad: Finding = { check: "hook", ok: false, message: "missing hook", line: 4, fix: "install it." };
const stage = (name: CheckStage["stage"], verdict: CheckStage["verdict"], ...findings: Finding[]): CheckStage => ({
  stage: name,
  verdict,
  findings,
  durationMs: 1,
});

test("only two passed stages are verified, and a stage that was not run is never counted as passed", () => {
  const verdict = (...stages: CheckStage[]) => assembleReport("00", stages).verdict;
  assert.equal(verdict(stage("static", "passed", ok), stage("runtime", "passed", ok)), "verified");
  assert.equal(verdict(stage("static", "passed", ok), stage("runtime", "not_run")), "static_only");
  assert.equal(verdict(stage("static", "passed", ok)), "static_only");
  assert.equal(verdict(stage("static", "passed", ok), stage("runtime", "failed", bad)), "rejected");
  assert.equal(verdict(stage("static", "failed", bad), stage("runtime", "not_run")), "rejected");
  assert.equal(verdict(stage("runtime", "passed", ok)), "rejected");
});

test("the summary is one sentence for each failed check, with its line and fix, and empty without faults", () => {
  assert.equal(summarise([bad]), "hook (line 4): missing hook; fix: install it.");
  assert.equal(assembleReport("00", [stage("static", "passed", ok)]).summary, "");
});

test("the summary stays within 1 KB and says how many faults it leaves out", () => {
  const many = Array.from({ length: 40 }, (_, index) => ({ ...bad, message: `fault ${index} ${"é".repeat(90)}` }));
  const text = summarise(many);
  assert.ok(Buffer.byteLength(text) <= 1024);
  assert.match(text, /\(\d+ more\.\)$/u);
});

test("a missing hook and a foreign font are named in the words agents know", () => {
  const hookless = assembleReport("00", [
    checkStatic(GOOD_CARD.replace("globalThis.__SWARM_ANIMATION_V1__ =", "const x =")),
  ]).summary;
  assert.match(hookless, /missing hook __SWARM_ANIMATION_V1__/u);
  assert.doesNotMatch(hookless, /external|font|random|pixels/iu);
  const font = assembleReport("00", [
    checkStatic(
      GOOD_CARD.replace(
        "<style>",
        '<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter">\n<style>',
      ),
    ),
  ]).summary;
  assert.match(font, /external reference to a font: https:\/\/fonts/u);
  assert.doesNotMatch(font, /hook|random|pixels/iu);
});
