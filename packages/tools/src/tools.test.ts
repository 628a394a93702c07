import assert from "node:assert/strict";
import { test } from "node:test";
import { HANDOFF_LIMITS, type Plan } from "@swarm/protocol";
import type { ArtifactOutcome, ToolContext, ToolOutcome } from "@swarm/protocol/ports";
import { createToolRunner, parseArguments, validate } from "./index.ts";
import { ARGS_MAX_CHARS } from "./arguments.ts";

const CONTEXT: ToolContext = { session: "ses_1", run: "run_1", step: 1, epoch: 1, callId: "c1", model: "m", signal: new AbortController().signal };
const PUBLISHED: ArtifactOutcome = { ok: true, artifact: { artifact: "art_1", title: "Card", revision: 1, sha256: "", bytes: 1, parts: ["main"], state: "published", report: null, replayed: false } };

function runner(options: { artifacts?: (action: string, input: unknown) => ArtifactOutcome; denied?: boolean } = {}) {
  let plan: Plan | undefined;
  const seen: unknown[] = [];
  const act = (action: string) => async (_c: ToolContext, input: unknown) => {
    seen.push(input);
    return options.artifacts?.(action, input) ?? PUBLISHED;
  };
  const tools = createToolRunner({
    artifacts: { create: act("create"), edit: act("edit"), status: act("status"), publish: act("publish"), async read() { return { ok: true, text: "x".repeat(100_000), artifact: PUBLISHED.artifact! }; }, async list() { return []; } },
    plans: { async get() { return plan; }, async put(_c, next) { plan = next; } },
    questions: { async ask() { return "µs"; } },
    permission: { async decide() { return options.denied ? { allow: false, rule: "rule x", reason: "no" } : { allow: true, rule: "" }; } },
    profiles: { builder: ["plan_manage", "manage_artifact", "handoff", "ask_user"] },
  });
  const call = (name: string, args: unknown): Promise<ToolOutcome> => tools.run(name, typeof args === "string" ? args : JSON.stringify(args), CONTEXT);
  return { tools, call, seen };
}

test("a profile's list is sorted and every field of every schema is described, with nothing extra allowed", () => {
  const { tools } = runner();
  const list = tools.list("builder");
  assert.deepEqual(list.map((t) => t.name), ["ask_user", "handoff", "manage_artifact", "plan_manage"]);
  const walk = (schema: Record<string, unknown>, path: string): void => {
    if (schema["type"] !== "object") return;
    assert.equal(schema["additionalProperties"], false, path);
    for (const [name, field] of Object.entries(schema["properties"] as Record<string, Record<string, unknown>>)) {
      assert.equal(typeof field["description"], "string", `${path}.${name}`);
      walk(field, `${path}.${name}`);
      if (field["items"]) walk(field["items"] as Record<string, unknown>, `${path}.${name}[]`);
    }
  };
  for (const tool of list) walk(tool.parameters, tool.name);
  assert.throws(() => tools.list("nobody"), { code: "bad_request" });
});

test("broken JSON that can mean one thing is repaired and said; a text that never ends is refused, never half delivered (D-01)", async () => {
  const { call, seen } = runner();
  const repaired = await call("manage_artifact", '{"action":"create","title":"A","content":"<p>x</p>",}');
  assert.equal(repaired.ok, true);
  assert.match(repaired.repaired[0] ?? "", /repaired/);
  assert.deepEqual(seen.at(-1), { title: "A", content: "<p>x</p>", publish: true });
  const half = await call("manage_artifact", '{"action":"create","title":"A","content":"<!doctype html><p>half');
  assert.deepEqual([half.ok, half.error?.code], [false, "invalid_arguments"]);
  assert.match(half.output, /end inside a text/);
  assert.equal(seen.length, 1);
  const raw = await call("manage_artifact", '{"action":"create","title":"A","content":"line\none"}');
  assert.equal(raw.ok, true);
  assert.deepEqual((seen.at(-1) as { content: string }).content, "line\none");
});

test("types that can mean one thing are read as meant and said (D-11)", async () => {
  const { call } = runner();
  const outcome = await call("manage_artifact", { action: "EDIT", base: "3", edits: { find: "a", replace: "b" } });
  assert.equal(outcome.ok, true);
  assert.equal(outcome.repaired.length, 3);
});

test("a wrong, missing or extra field gets one short error with its schema and an example (D-02, D-19)", async () => {
  const { call } = runner();
  for (const [args, pattern] of [
    [{ action: "explode" }, /action: must be one of create, edit/],
    [{}, /action: is missing/],
    [{ action: "edit", base: 1, edits: [{ find: "", replace: "" }] }, /edits\[0\]\.find: must not be empty/],
    [{ action: "status", colour: "red" }, /colour: is not a field here/],
    [{ action: "edit", base: 1.5, edits: [] }, /base: must be a whole number/],
  ] as const) {
    const outcome = await call("manage_artifact", args);
    assert.equal(outcome.ok, false);
    assert.match(outcome.output, pattern);
    assert.ok(outcome.output.length <= 1300, `${outcome.output.length} characters`);
  }
});

test("an unknown tool answers with the nearest names, a mis-cased one is meant (D-14)", async () => {
  const { call } = runner();
  const unknown = await call("create_artifact", {});
  assert.deepEqual([unknown.error?.code, unknown.error?.class], ["unknown_tool", "unknown_tool"]);
  assert.match(unknown.output, /manage_artifact/);
  assert.equal((await call("ManageArtifact", { action: "status" })).ok, true);
});

test("lone surrogates and NULs leave every text, ten megabytes are refused by their size (D-06, D-08)", async () => {
  const { call, seen } = runner();
  await call("manage_artifact", '{"action":"create","title":"a\\u0000b","content":"x\\ud800y"}');
  assert.deepEqual(seen[0], { title: "ab", content: "x\ufffdy", publish: true });
  const huge = await call("manage_artifact", "x".repeat(10 * 1024 * 1024));
  assert.match(huge.output, new RegExp(`limit is ${ARGS_MAX_CHARS}`));
});

test("long output is cut to head and tail with the count", async () => {
  const { call } = runner();
  const outcome = await call("manage_artifact", { action: "read" });
  assert.equal(outcome.truncated, true);
  assert.match(outcome.output, /\d+ characters left out/);
  assert.ok(outcome.output.length < 34_000);
});

test("a denied call names the rule", async () => {
  const { call } = runner({ denied: true });
  const outcome = await call("manage_artifact", { action: "status" });
  assert.deepEqual([outcome.error?.class, outcome.ok], ["permission", false]);
  assert.match(outcome.output, /rule x/);
});

test("a failed gate carries code, message and next, and where the artifact stands", async () => {
  const { call } = runner({ artifacts: () => ({ ok: false, error: { code: "check_failed", class: "check_failed", message: "line 3: external font", next: "edit with base 1" }, artifact: PUBLISHED.artifact! }) });
  const outcome = await call("manage_artifact", { action: "create", title: "A", content: "x" });
  assert.deepEqual(JSON.parse(outcome.output), { ok: false, error: { code: "check_failed", message: "line 3: external font", next: "edit with base 1" }, artifact: "art_1", revision: 1 });
});

test("handoff limits hold at n − 1, n and n + 1, and the error states both sizes", async () => {
  const { call } = runner();
  const base = { outcome: "delivered", title: "t", overview: "o", result: "r", recommendation: { decision: "d", reason: "r" } };
  for (const [field, max] of [["title", HANDOFF_LIMITS.title], ["overview", HANDOFF_LIMITS.overview]] as const) {
    for (const size of [max - 1, max, max + 1]) {
      const outcome = await call("handoff", { ...base, [field]: "x".repeat(size) });
      assert.equal(outcome.ok, size <= max, `${field} ${size}`);
      if (size > max) assert.match(outcome.output, new RegExp(`${size} characters, the limit is ${max}`));
    }
  }
  const blocks = (n: number, bytes: number) => ({ ...base, code_blocks: Array.from({ length: n }, () => ({ language: "js", code: "x".repeat(bytes) })) });
  assert.equal((await call("handoff", blocks(3, HANDOFF_LIMITS.codeBlockBytes))).ok, true);
  assert.equal((await call("handoff", blocks(4, 1))).ok, false);
  assert.equal((await call("handoff", blocks(1, HANDOFF_LIMITS.codeBlockBytes + 1))).ok, false);
  assert.equal((await call("handoff", { ...base, follow_ups: ["a", "b", "c", "d"] })).ok, false);
  assert.equal((await call("handoff", base)).handoff?.state, "delivered");
});

test("a plan's subtasks and checkpoints complete independently, in any order, many at once; unknown ids are named", async () => {
  const { call } = runner();
  await call("plan_manage", { action: "set", goal: "g", checkpoints: [{ id: "a", title: "A", subtasks: [{ id: "a1", title: "1" }, { id: "a2", title: "2" }] }, { id: "b", title: "B" }] });
  assert.deepEqual(JSON.parse((await call("plan_manage", { action: "complete", complete: ["a"] })).output).open, ["a1", "a2", "b"]);
  const unknown = await call("plan_manage", { action: "complete", complete: ["zzz", "a1"] });
  assert.match(unknown.output, /not in the plan: zzz; its ids are a, a1, a2, b/);
  assert.deepEqual(JSON.parse((await call("plan_manage", { action: "complete", complete: ["b", "a2", "a1"] })).output).open, []);
  const stale = await call("plan_manage", { action: "complete", complete: ["a"], base_revision: 1 });
  assert.equal(stale.error?.code, "stale_base");
  assert.ok(JSON.parse(stale.output).plan.revision > 1, "the current plan comes back");
  const twice = await call("plan_manage", { action: "set", goal: "g", checkpoints: [{ id: "a", title: "A" }, { id: "a", title: "B" }] });
  assert.equal(twice.error?.code, "duplicate_id");
});

test("parsing and validation never throw, whatever comes", () => {
  for (const raw of ["", "null", "[]", "1", '"x"', "{", "}", "{'a':1}", "\u0000", "{}{}", '{"a":1} trailing', "undefined", "[[[["]) {
    const parsed = parseArguments(raw);
    if (parsed.ok) validate({ type: "object", additionalProperties: false, properties: { a: { type: "integer" } } }, parsed.value);
  }
});
