import assert from "node:assert/strict";
import { test } from "node:test";
import { checkStatic } from "@swarm/artifact/check";
import { ANIMATION_VERSION, DATA_VERSION, HANDOFF_LIMITS } from "@swarm/protocol";
import { profileOf, profileTools } from "./profiles.ts";
import { EXAMPLE_CARD } from "./prompts/example-card.ts";

const PROMPTS = Object.keys(profileTools()).map((name) => profileOf(name));

test("the example that the builder is shown passes the gate, so that no model learns a fault from it", () => {
  const report = checkStatic(EXAMPLE_CARD);
  assert.deepEqual(
    report.findings.filter((f) => !f.ok),
    [],
  );
  assert.ok(profileOf("builder").prompt.includes(EXAMPLE_CARD));
});

test("the builder's instructions state both contracts and fit beside a task", () => {
  const { prompt } = profileOf("builder");
  for (const word of [
    ANIMATION_VERSION,
    DATA_VERSION,
    `${DATA_VERSION}/ready`,
    `${DATA_VERSION}/pace`,
    "swarm-animation-manifest",
    "__SWARM_ANIMATION_V1__",
    "swarmAnimationTimeMs",
    "data-swarm-capture-ui",
    "event.source === window.parent",
    "640×400",
    "1920×1080",
    "#0B0F1A",
  ]) {
    assert.ok(prompt.includes(word), word);
  }
  // 9,000 tokens at the 3.2 bytes a token that markup and code cost
  assert.ok(Buffer.byteLength(prompt) < 9_000 * 3.2, `${Buffer.byteLength(prompt)} bytes`);
});

test("no instruction holds an id, a time or a path: every session of a profile sends the same bytes (E-10)", () => {
  for (const { prompt } of PROMPTS)
    assert.doesNotMatch(prompt, /\b(ses|run|art|qst)_[0-9a-z]|\d{4}-\d{2}-\d{2}|\/(work|home|tmp|root)\b/);
});

test("the limits that the instructions name are the ones that are enforced", () => {
  for (const { prompt } of PROMPTS) {
    assert.match(
      prompt,
      new RegExp(`title: at most ${HANDOFF_LIMITS.title} characters. overview: at most ${HANDOFF_LIMITS.overview},`),
    );
    assert.match(
      prompt,
      new RegExp(
        `At most ${HANDOFF_LIMITS.followUps} follow_ups and ${HANDOFF_LIMITS.codeBlocks} code_blocks of at most ${HANDOFF_LIMITS.codeBlockBytes} bytes`,
      ),
    );
  }
});

test("every tool that an instruction speaks of is in its profile", () => {
  for (const { prompt, tools } of PROMPTS) {
    for (const tool of ["ask_user", "handoff", "manage_artifact", "plan_manage"])
      assert.equal(prompt.includes(tool), tools.includes(tool), tool);
  }
});

test("an unknown profile is refused with the ones there are", () => {
  assert.throws(() => profileOf("coder"), /builder or assistant/);
});
