import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ARTIFACT_LIMITS, type Payloads } from "@swarm/protocol";
import type { ArtifactOutcome, ToolContext, ToolError } from "@swarm/protocol/ports";
import { context, CrashError, good, page, PNG, SESSION, World } from "./testing/world.ts";

function refusal(outcome: ArtifactOutcome): ToolError {
  assert.equal(outcome.ok, false);
  return outcome.ok ? assert.fail() : outcome.error;
}
const create = (world: World, text: string, ctx: ToolContext = context(), publish = true) =>
  world.service.create(ctx, { title: "Card", content: page(text), publish });
const edit = (world: World, base: number, find: string, replace: string, ctx: ToolContext = context()) =>
  world.service.edit(ctx, { base, edits: [{ find, replace }], publish: true });

describe("create and edit", () => {
  test("a document that passes is published by the call that creates it: three records, body and stills as blobs", async () => {
    const world = await new World().open();
    const made = good(await create(world, "one"));
    assert.deepEqual(
      [made.revision, made.state, made.parts, made.replayed, made.report?.verdict],
      [1, "published", ["card", "stage"], false, "verified"],
    );
    assert.deepEqual(await world.kinds(), ["revised", "checked", "published"]);
    assert.equal(Buffer.from((await world.service.content(made.artifact))!).toString(), page("one"));
    const detail = (await world.service.detail(made.artifact))!;
    assert.deepEqual(await world.journal.readBlob(detail.stills[0]!.blob), Buffer.from(PNG));
    assert.deepEqual(
      [detail.provenance?.sha256, detail.provenance?.revision, detail.provenance?.checks],
      [made.sha256, 1, { verdict: "verified", passed: 1, failed: 0, notRun: 0 }],
    );
  });

  test("without publish it stays ready; publish then signs that revision without checking again", async () => {
    const world = await new World().open();
    assert.equal(good(await create(world, "one", context(), false)).state, "ready");
    assert.equal(good(await world.service.publish(context(), { base: 1 })).state, "published");
    assert.equal(world.checker.jobs.length, 1);
    assert.equal(good(await world.service.publish(context(), {})).state, "published");
    assert.deepEqual(await world.kinds(), ["revised", "checked", "published"]);
  });

  test("what could only be checked by reading is published as that", async () => {
    const world = await new World().open();
    world.checker.runtime = false;
    const made = good(await create(world, "one"));
    assert.deepEqual([made.state, made.report?.verdict], ["published", "static_only"]);
    assert.equal((await world.service.detail(made.artifact))?.provenance?.checks.verdict, "static_only");
  });

  test("the same bytes again are a replay; other bytes are refused with the edit that would work", async () => {
    const world = await new World().open();
    const made = good(await create(world, "one"));
    const again = good(await create(world, "one"));
    assert.deepEqual([again.artifact, again.revision, again.replayed], [made.artifact, 1, true]);
    const error = refusal(await create(world, "two"));
    assert.deepEqual([error.code, error.class], ["exists", "cas_conflict"]);
    assert.match(error.next ?? "", /"edit", base 1/);
    assert.deepEqual(await world.kinds(), ["revised", "checked", "published"]);
  });

  test("a rejected document is kept, named, and repaired in place by an edit of its revision", async () => {
    const world = await new World().open();
    const refused = await create(world, "bad");
    assert.equal(refused.artifact?.state, "rejected");
    const error = refusal(refused);
    assert.deepEqual(
      [error.code, error.class, error.message],
      ["check_failed", "check_failed", "hook line 3: no hook. Fix: install it."],
    );
    assert.match(error.next ?? "", /"edit" and base 1/);
    const fixed = good(await edit(world, 1, "bad", "fine"));
    assert.deepEqual([fixed.revision, fixed.state], [2, "published"]);
    const { revisions } = (await world.service.detail(fixed.artifact))!;
    assert.deepEqual(
      revisions.map((r) => [r.revision, r.report?.verdict]),
      [
        [1, "rejected"],
        [2, "verified"],
      ],
    );
    assert.equal(Buffer.from((await world.service.content(fixed.artifact, 1))!).toString(), page("bad"));
  });

  test("a stale base answers the newest revision, what changed since, and the call that works: solved in one turn", async () => {
    const world = await new World().open();
    good(await create(world, "one"));
    good(await edit(world, 1, "one", "two"));
    const outcome = await edit(world, 1, "one", "three");
    const error = refusal(outcome);
    assert.deepEqual([error.code, outcome.artifact?.revision], ["stale_base", 2]);
    assert.match(
      error.message,
      /base 1 is not the newest revision, which is 2: since then from line 3 on 1 lines became 1, now beginning "<section id="stage">two/,
    );
    assert.match(error.next ?? "", /"edit" and base 2/);
    assert.ok(Buffer.byteLength(JSON.stringify(error)) < 1024);
    assert.equal(good(await edit(world, 2, "two", "three")).revision, 3);
    assert.match(refusal(await edit(world, 9, "a", "b")).message, /that revision never was/);
  });

  test("an edit without effect is a replay, one that does not match changes nothing", async () => {
    const world = await new World().open();
    good(await create(world, "one"));
    assert.deepEqual(
      [good(await edit(world, 1, "one", "one")).replayed, await world.kinds()],
      [true, ["revised", "checked", "published"]],
    );
    assert.equal(refusal(await edit(world, 1, "nowhere", "x")).code, "no_match");
    assert.equal((await world.kinds()).length, 3);
  });

  test("of two edits of one base at the same time one wins and the other learns so", async () => {
    const world = await new World().open();
    good(await create(world, "one"));
    const outcomes = await Promise.all([edit(world, 1, "one", "two"), edit(world, 1, "one", "three")]);
    assert.deepEqual(
      outcomes.map((o) => (o.ok ? o.artifact.revision : o.error.code)),
      [2, "stale_base"],
    );
  });

  test("size is judged in bytes at the limit, one below and one above, before anything is kept", async () => {
    const sized = (bytes: number) =>
      page(
        "é".repeat((bytes - Buffer.byteLength(page(""))) >> 1) + "x".repeat((bytes - Buffer.byteLength(page(""))) & 1),
      );
    for (const [extra, ok] of [
      [-1, true],
      [0, true],
      [1, false],
    ] as const) {
      const world = await new World().open();
      const content = sized(ARTIFACT_LIMITS.bodyBytes + extra);
      assert.equal(Buffer.byteLength(content), ARTIFACT_LIMITS.bodyBytes + extra);
      const outcome = await world.service.create(context(), { title: "Card", content, publish: true });
      assert.equal(outcome.ok, ok);
      if (!ok) assert.match(refusal(outcome).message, /has 1048577 bytes, the limit is 1048576/);
      assert.equal((await world.kinds()).length, ok ? 3 : 0);
    }
    for (const [chars, ok] of [
      [119, true],
      [120, true],
      [121, false],
    ] as const) {
      const world = await new World().open();
      assert.equal(
        (await world.service.create(context(), { title: "t".repeat(chars), content: page("x"), publish: true })).ok,
        ok,
      );
    }
  });

  test("a gate that could not run keeps the revision and no verdict, and is asked again by publish", async () => {
    const world = await new World().open();
    const outcome = await create(world, "down");
    assert.deepEqual([refusal(outcome).code, outcome.artifact?.state], ["gate_unavailable", "draft"]);
    assert.match(refusal(outcome).next ?? "", /"publish" and base 1/);
    assert.deepEqual(await world.kinds(), ["revised"]);
    await world.service.publish(context(), {});
    assert.equal(world.checker.jobs.length, 2);
  });
});

describe("crashes", () => {
  for (const [commit, name] of [
    [1, "revised"],
    [2, "checked"],
    [3, "published"],
  ] as const) {
    for (const durable of [false, true]) {
      test(`a process that dies ${durable ? "after" : "before"} the commit of artifact.${name} is completed by the same call, nothing twice`, async () => {
        const world = await new World().open();
        const call = context();
        world.crashAt = { commit, durable };
        await assert.rejects(create(world, "one", call), CrashError);
        await world.restart();
        const made = good(await create(world, "one", call));
        assert.deepEqual([made.revision, made.state, made.replayed], [1, "published", false]);
        assert.deepEqual(await world.kinds(), ["revised", "checked", "published"]);
        const fix = context();
        world.crashAt = { commit: world.commits + commit, durable };
        await assert.rejects(edit(world, 1, "one", "two", fix), CrashError);
        await world.restart();
        assert.deepEqual(
          [good(await edit(world, 1, "one", "two", fix)).revision, (await world.kinds()).length],
          [2, 6],
        );
        assert.equal((await world.service.rows({ limit: 10 })).items.length, 1);
      });
    }
  }
});

test("a run that lost its lease writes nothing: the journal refuses it as fenced", async () => {
  const world = await new World().open();
  const run = "run_0123456789abcdef" as Payloads["run.leased"]["run"];
  for (const epoch of [1, 2])
    await world.journal.apply({
      session: SESSION,
      key: `lease-${epoch}`,
      actor: "daemon",
      kind: "run.leased",
      payload: { run, epoch, resumed: epoch > 1 },
    });
  await assert.rejects(
    create(world, "one", context({ epoch: 1 })),
    (error: { code?: string }) => error.code === "fenced",
  );
  assert.ok(!(await world.kinds()).includes("revised"));
  assert.equal(good(await create(world, "one", context({ epoch: 2 }))).state, "published");
});

describe("queries", () => {
  test("rows come in pages in order of creation over all sessions; none is lost or doubled", async () => {
    const world = await new World().open();
    const made: string[] = [];
    for (let i = 0; i < 7; i++)
      made.push(good(await create(world, `n${i}`, context({ session: `ses_${"0".repeat(15)}${i}` }))).artifact);
    const seen: string[] = [];
    let after: string | null | undefined;
    do {
      const page: Awaited<ReturnType<World["service"]["rows"]>> = await world.service.rows({
        limit: 3,
        ...(after ? { after } : {}),
      });
      seen.push(...page.items.map((row) => row.id));
      after = page.next;
    } while (after !== null);
    assert.deepEqual(seen.toSorted(), made.toSorted());
    assert.deepEqual(new Set(seen).size, 7);
    const { items } = await world.service.rows({ limit: 1 });
    assert.deepEqual(
      [items[0]?.state, items[0]?.verdict, items[0]?.revision, typeof items[0]?.still],
      ["published", "verified", 1, "string"],
    );
  });

  test("what is not there is undefined or not found, never an exception", async () => {
    const world = await new World().open();
    assert.equal(await world.service.detail("art_0000000000000000"), undefined);
    assert.equal(await world.service.content("art_0000000000000000"), undefined);
    assert.equal(refusal(await edit(world, 1, "a", "b")).code, "not_found");
    const made = good(await create(world, "one"));
    assert.equal(await world.service.content(made.artifact, 7), undefined);
    assert.equal(refusal(await world.service.status(context(), { artifact: "art_other" })).code, "not_found");
    assert.equal(
      refusal(await world.service.status(context({ session: "ses_9999999999999999" }), { artifact: made.artifact }))
        .code,
      "not_found",
      "an artifact of another session",
    );
    assert.deepEqual(
      (await world.service.list(SESSION)).map((a) => a.artifact),
      [made.artifact],
    );
  });

  test("a range of lines is read, 1-based, both ends included", async () => {
    const world = await new World().open();
    good(await create(world, "one"));
    const read = await world.service.read(context(), { fromLine: 2, toLine: 3 });
    assert.equal(read.ok && read.text, '<main id="card">\n<section id="stage">one</section>');
  });
});
