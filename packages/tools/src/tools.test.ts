import assert from "node:assert/strict";
import { test } from "node:test";
import { HANDOFF_LIMITS, type Plan } from "@swarm/protocol";
import { AppError } from "@swarm/std";
import type { ArtifactOutcome, ToolContext, ToolOutcome } from "@swarm/protocol/ports";
import { createToolRunner, parseArguments, validate } from "./index.ts";
import { ARGS_MAX_CHARS } from "./arguments.ts";
import { ERROR_MAX_BYTES, OUTPUT_MAX_BYTES } from "./cap.ts";

const CONTEXT: ToolContext = {
  session: "ses_1",
  run: "run_1",
  step: 1,
  epoch: 1,
  callId: "c1",
  model: "m",
  signal: new AbortController().signal,
};
const PUBLISHED: ArtifactOutcome = {
  ok: true,
  artifact: {
    artifact: "art_1",
    title: "Card",
    revision: 1,
    sha256: "",
    bytes: 1,
    parts: ["main"],
    state: "published",
    report: null,
    replayed: false,
  },
};

interface Options {
  readonly artifacts?: (action: string, input: unknown) => ArtifactOutcome | Promise<ArtifactOutcome>;
  readonly denied?: boolean;
  readonly answer?: string;
}

function runner(options: Options = {}) {
  let plan: Plan | undefined;
  const texts = { document: "" };
  const seen: unknown[] = [];
  const act = (action: string) => async (_c: ToolContext, input: unknown) => {
    seen.push(input);
    return options.artifacts?.(action, input) ?? PUBLISHED;
  };
  const tools = createToolRunner({
    artifacts: {
      create: act("create"),
      edit: act("edit"),
      status: act("status"),
      publish: act("publish"),
      async read() {
        return { ok: true, text: texts.document, artifact: PUBLISHED.artifact! };
      },
      async list() {
        return [];
      },
    },
    plans: {
      async get() {
        return plan;
      },
      async put(_c, next) {
        plan = next;
      },
    },
    questions: {
      async ask() {
        return options.answer ?? "µs";
      },
    },
    permission: {
      async decide() {
        return options.denied ? { allow: false, rule: "rule x", reason: "no" } : { allow: true, rule: "" };
      },
    },
    profiles: { builder: ["plan_manage", "manage_artifact", "handoff", "ask_user"] },
  });
  const call = (name: string, args: unknown): Promise<ToolOutcome> =>
    tools.run(name, typeof args === "string" ? args : JSON.stringify(args), CONTEXT);
  return { tools, call, seen, texts };
}

test("a profile's list is sorted and every field of every schema is described, with nothing extra allowed", () => {
  const { tools } = runner();
  const list = tools.list("builder");
  assert.deepEqual(
    list.map((t) => t.name),
    ["ask_user", "handoff", "manage_artifact", "plan_manage"],
  );
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
  assert.deepEqual(repaired.repaired, ["comma before } left out"]);
  assert.match(repaired.output, /"repaired":\["comma before } left out"\]/, "the model is told");
  assert.deepEqual(seen.at(-1), { title: "A", content: "<p>x</p>", publish: true });
  const half = await call("manage_artifact", '{"action":"create","title":"A","content":"<!doctype html><p>half');
  assert.deepEqual([half.ok, half.error?.code, half.error?.class], [false, "invalid_json", "schema"]);
  assert.match(half.output, /they end before they are complete/);
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
    assert.ok(Buffer.byteLength(outcome.output) <= ERROR_MAX_BYTES, `${outcome.output.length} characters`);
    assert.match(outcome.error?.next ?? "", /^manage_artifact {"action":/);
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

test("a long document is read in whole lines with the call that reads on, a long line is cut with its length (D-16, D-17)", async () => {
  const { call, texts } = runner();
  texts.document = Array.from({ length: 2000 }, (_, i) => `<p>${i} "quoted" ${"x".repeat(40)}</p>`).join("\n");
  const first = await call("manage_artifact", { action: "read" });
  const body = JSON.parse(first.output) as { text: string; to_line: number; next: string };
  assert.equal(first.truncated, true);
  assert.ok(Buffer.byteLength(first.output) <= OUTPUT_MAX_BYTES);
  assert.equal(body.text, texts.document.split("\n").slice(0, body.to_line).join("\n"));
  assert.equal(body.next, `manage_artifact {"action":"read","from_line":${body.to_line + 1}}`);
  texts.document = "x".repeat(1_000_000);
  const one = await call("manage_artifact", { action: "read" });
  assert.match(one.output, /1000000 characters in this line/);
  assert.ok(Buffer.byteLength(one.output) <= OUTPUT_MAX_BYTES);
  texts.document = "<p>short</p>";
  const whole = await call("manage_artifact", { action: "read" });
  assert.deepEqual([whole.truncated, (JSON.parse(whole.output) as { text: string }).text], [false, "<p>short</p>"]);
});

test("any long answer is cut to head and tail with the count, never inside a character", async () => {
  const { call } = runner({ answer: "ä€😀".repeat(20_000) });
  const outcome = await call("ask_user", { question: "?" });
  assert.equal(outcome.truncated, true);
  assert.match(outcome.output, /… \d+ of \d+ bytes left out here …/);
  assert.ok(Buffer.byteLength(outcome.output) <= OUTPUT_MAX_BYTES);
  assert.doesNotMatch(outcome.output, /\ufffd/);
});

test("a denied call names the rule", async () => {
  const { call } = runner({ denied: true });
  const outcome = await call("manage_artifact", { action: "status" });
  assert.deepEqual([outcome.error?.class, outcome.ok], ["permission", false]);
  assert.match(outcome.output, /rule x/);
});

test("a failed gate carries code, message and next, and where the artifact stands", async () => {
  const { call } = runner({
    artifacts: () => ({
      ok: false,
      error: {
        code: "check_failed",
        class: "check_failed",
        message: "line 3: external font",
        next: "edit with base 1",
      },
      artifact: PUBLISHED.artifact,
    }),
  });
  const outcome = await call("manage_artifact", { action: "create", title: "A", content: "x" });
  assert.deepEqual(JSON.parse(outcome.output), {
    ok: false,
    error: { code: "check_failed", message: "line 3: external font", next: "edit with base 1" },
    artifact: "art_1",
    revision: 1,
  });
});

test("handoff limits hold at n − 1, n and n + 1, and the error states both sizes", async () => {
  const { call } = runner();
  const base = {
    outcome: "delivered",
    title: "t",
    overview: "o",
    result: "r",
    recommendation: { decision: "d", reason: "r" },
  };
  for (const [field, max] of [
    ["title", HANDOFF_LIMITS.title],
    ["overview", HANDOFF_LIMITS.overview],
  ] as const) {
    for (const size of [max - 1, max, max + 1]) {
      const outcome = await call("handoff", { ...base, [field]: "x".repeat(size) });
      assert.equal(outcome.ok, size <= max, `${field} ${size}`);
      if (size > max) assert.match(outcome.output, new RegExp(`${size} characters, the limit is ${max}`));
    }
  }
  const blocks = (n: number, bytes: number) => ({
    ...base,
    code_blocks: Array.from({ length: n }, () => ({ language: "js", code: "x".repeat(bytes) })),
  });
  assert.equal((await call("handoff", blocks(3, HANDOFF_LIMITS.codeBlockBytes))).ok, true);
  assert.equal((await call("handoff", blocks(4, 1))).ok, false);
  assert.equal((await call("handoff", blocks(1, HANDOFF_LIMITS.codeBlockBytes + 1))).ok, false);
  assert.equal((await call("handoff", { ...base, follow_ups: ["a", "b", "c", "d"] })).ok, false);
  assert.equal((await call("handoff", base)).handoff?.state, "delivered");
});

test("a plan's subtasks and checkpoints complete independently, in any order, many at once; unknown ids are named", async () => {
  const { call } = runner();
  await call("plan_manage", {
    action: "set",
    goal: "g",
    checkpoints: [
      {
        id: "a",
        title: "A",
        subtasks: [
          { id: "a1", title: "1" },
          { id: "a2", title: "2" },
        ],
      },
      { id: "b", title: "B" },
    ],
  });
  assert.deepEqual(JSON.parse((await call("plan_manage", { action: "complete", complete: ["a"] })).output).open, [
    "a1",
    "a2",
    "b",
  ]);
  const unknown = await call("plan_manage", { action: "complete", complete: ["zzz", "a1"] });
  assert.match(unknown.output, /not in the plan: zzz; nothing was changed.*ids of a, a1, a2, b/);
  assert.deepEqual(
    JSON.parse((await call("plan_manage", { action: "complete", complete: ["b", "a2", "a1"] })).output).open,
    [],
  );
  const stale = await call("plan_manage", { action: "set", goal: "another", base_revision: 1 });
  assert.equal(stale.error?.code, "stale_base");
  assert.ok(JSON.parse(stale.output).plan.revision > 1, "the current plan comes back");
  const twice = await call("plan_manage", {
    action: "set",
    goal: "g",
    checkpoints: [
      { id: "a", title: "A" },
      { id: "a", title: "B" },
    ],
  });
  assert.equal(twice.error?.code, "duplicate_id");
});

test("parsing and validation never throw, whatever comes", () => {
  for (const raw of [
    "",
    "null",
    "[]",
    "1",
    '"x"',
    "{",
    "}",
    "{'a':1}",
    "\u0000",
    "{}{}",
    '{"a":1} trailing',
    "undefined",
    "[[[[",
  ]) {
    const parsed = parseArguments(raw);
    if (parsed.ok)
      validate({ type: "object", additionalProperties: false, properties: { a: { type: "integer" } } }, parsed.value);
  }
});

test("unknown tool, unreadable arguments and a wrong field are three different answers, each with the call that works (D-01)", async () => {
  const { call } = runner();
  const answers = await Promise.all([
    call("plan_mange", {}),
    call("plan_manage", '{"action":'),
    call("plan_manage", { action: 5 }),
  ]);
  assert.deepEqual(
    answers.map((a) => a.error?.code),
    ["unknown_tool", "invalid_json", "invalid_arguments"],
  );
  assert.match(answers[0].output, /the nearest are plan_manage/);
  assert.match(answers[1].output, /character 10 of 10/);
  assert.match(answers[2].output, /action: must be one of set, get, complete, not a number.*Its schema: .*\\"enum\\"/);
  for (const answer of answers) assert.equal(typeof answer.error?.next, "string");
});

test("nothing runs and nobody is asked on arguments that cannot be read (D-02)", async () => {
  const asked: string[] = [];
  const seen: unknown[] = [];
  const never = async (): Promise<never> => {
    seen.push(1);
    throw new Error("ran");
  };
  const tools = createToolRunner({
    artifacts: { create: never, edit: never, status: never, publish: never, read: never, list: never },
    plans: { get: never, put: never },
    questions: { ask: never },
    permission: {
      async decide(call) {
        asked.push(call.tool);
        return { allow: true, rule: "" };
      },
    },
    profiles: {},
  });
  for (const raw of [
    "",
    "{}",
    "null",
    "[]",
    '{"action":',
    '{"action":"status","artifact":',
    "status",
    '{"action":"status"}{"action":"publish"}',
  ]) {
    const outcome = await tools.run("manage_artifact", raw, CONTEXT);
    assert.deepEqual([raw, outcome.ok, outcome.error?.class], [raw, false, "schema"]);
  }
  assert.deepEqual([asked, seen], [[], []]);
});

test("an action that needs a field says which, with the field's schema and an example of that action", async () => {
  const { call, seen } = runner();
  for (const [args, path, example] of [
    [{ action: "create", title: "A" }, /^content: is missing: create needs it. Its schema: /, /"action":"create"/],
    [{ action: "edit", edits: [{ find: "a", replace: "b" }] }, /^base: is missing/, /"action":"edit"/],
    [{ action: "edit", base: 1, edits: [] }, /^edits: must not be empty/, /"action":"edit"/],
  ] as const) {
    const { error } = await call("manage_artifact", args);
    assert.match(error?.message ?? "", path);
    assert.match(error?.next ?? "", example);
  }
  assert.match((await call("plan_manage", { action: "complete" })).error?.message ?? "", /^complete: is missing/);
  assert.equal(seen.length, 0);
});

test("a title that is left out is taken from the document and said", async () => {
  const { call, seen } = runner();
  const outcome = await call("manage_artifact", { action: "create", content: "<title>Queue\n depth</title>" });
  assert.equal((seen[0] as { title: string }).title, "Queue depth");
  assert.match(outcome.output, /title left out: \\"Queue depth\\" taken/);
});

test("a name with a namespace, another case or another order of its words is meant, a made-up one is not", async () => {
  const { call } = runner();
  for (const name of [
    "functions.manage_artifact",
    "default_api:manage_artifact",
    "manageArtifact",
    "artifact-manage",
    "MANAGE_ARTIFACT",
  ]) {
    const outcome = await call(name, { action: "status" });
    assert.equal(outcome.ok, true, name);
    assert.match(outcome.repaired[0] ?? "", /read as manage_artifact/);
  }
  for (const name of ["manage", "artifact", "", "x".repeat(100_000), "\ud800"])
    assert.equal((await call(name, {})).error?.code, "unknown_tool");
});

test("a tool that throws is an internal error, a full disk is not ours, a lost lease passes through", async () => {
  const throwing = (error: Error) =>
    runner({ artifacts: () => Promise.reject(error) }).call("manage_artifact", { action: "status" });
  assert.equal((await throwing(new Error("bug"))).error?.class, "internal");
  const disk = await throwing(new AppError("disk_full", "no space left"));
  assert.deepEqual([disk.error?.code, disk.error?.class], ["disk_full", "limit"]);
  for (const code of ["fenced", "lease_lost", "drained", "cancelled"])
    await assert.rejects(throwing(new AppError(code, "gone")), { code });
});

test("an error stays under a kilobyte whatever a tool puts into it, and what to call next stays whole", async () => {
  const next = 'manage_artifact with action "edit" and base 7';
  const { call } = runner({
    artifacts: () => ({
      ok: false,
      error: { code: "check_failed", class: "check_failed", message: '"ä"\n'.repeat(900), next },
      artifact: PUBLISHED.artifact,
    }),
  });
  const outcome = await call("manage_artifact", { action: "publish" });
  const body = JSON.parse(outcome.output) as { error: { message: string; next: string }; artifact: string };
  assert.ok(Buffer.byteLength(JSON.stringify({ ok: false, error: body.error })) <= ERROR_MAX_BYTES);
  assert.deepEqual([body.error.next, body.artifact], [next, "art_1"]);
  assert.ok(body.error.message.length > 300 && body.error.message.endsWith("…"));
});

test("a handoff that breaks several limits hears of all of them at once", async () => {
  const { call } = runner();
  const outcome = await call("handoff", {
    outcome: "delivered",
    title: "x".repeat(121),
    overview: "x".repeat(601),
    result: "",
    recommendation: { decision: "", reason: "" },
    follow_ups: ["1", "2", "3", "4"],
  });
  assert.match(
    outcome.output,
    /title has 121 characters, the limit is 120; overview has 601 characters, the limit is 600; follow_ups has 4 entries, the limit is 3/,
  );
  assert.equal(outcome.handoff, undefined);
});

test("a plan call that was carried out before a crash is no stale base when it comes again", async () => {
  const { call } = runner();
  await call("plan_manage", { action: "set", base_revision: 0, goal: "g", checkpoints: [{ id: "a", title: "A" }] });
  const again = await call("plan_manage", {
    action: "set",
    base_revision: 0,
    goal: "g",
    checkpoints: [{ id: "a", title: "A" }],
  });
  assert.deepEqual([again.ok, (JSON.parse(again.output) as { revision: number }).revision], [true, 1]);
  assert.equal((await call("plan_manage", { action: "complete", base_revision: 1, complete: ["a"] })).ok, true);
  assert.equal((await call("plan_manage", { action: "complete", base_revision: 1, complete: ["a"] })).ok, true);
  assert.equal(
    (await call("plan_manage", { action: "set", base_revision: 1, goal: "other" })).error?.code,
    "stale_base",
  );
});
