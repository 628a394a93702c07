import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits, findParts } from "./index.ts";
import { changeHint } from "./edit.ts";
import { occurrencesOf } from "./occurrences.ts";

function failing(text: string, edits: { find: string; replace: string }[]): { code: string; message: string } {
  const result = applyEdits(text, edits);
  return result.ok ? assert.fail(`applied: ${result.text}`) : result.error;
}

test("edits are exact, each against the text as it was, whatever their order", () => {
  const edits = [
    { find: "three", replace: "one" },
    { find: "one", replace: "$& three" },
  ];
  for (const order of [edits, edits.toReversed()])
    assert.deepEqual(applyEdits("one two three", order), { ok: true, text: "$& three two one" });
  assert.deepEqual(
    applyEdits("abcd", [
      { find: "ab", replace: "" },
      { find: "cd", replace: "x" },
    ]),
    { ok: true, text: "x" },
    "neighbours do not overlap",
  );
});

test("an edit that does not match changes nothing and says which edit, how often, and what to call", () => {
  const none = failing("a b c", [
    { find: "a", replace: "x" },
    { find: "q  q", replace: "" },
  ]);
  assert.equal(none.code, "no_match");
  assert.match(none.message, /edit 2 of 2.*does not occur: "q q".*Nothing was changed/);
  const many = failing("aaa", [{ find: "aa", replace: "x" }]);
  assert.equal(many.code, "ambiguous_match");
  assert.match(many.message, /occurs 2 times/);
  assert.equal(failing("a", [{ find: "", replace: "x" }]).code, "no_match");
  const overlap = failing("abc", [
    { find: "bc", replace: "x" },
    { find: "ab", replace: "y" },
  ]);
  assert.equal(overlap.code, "overlapping_edits");
  assert.match(overlap.message, /edits 2 and 1 of 2/);
});

test("the two ways of searching agree, and a text made against the search does not stop the process", () => {
  const long = "ab".repeat(40_000);
  for (const find of ["ba".repeat(300), "ab".repeat(39_999), `${"ab".repeat(200)}c`]) {
    let first = -1;
    let count = 0;
    for (let at = long.indexOf(find); at >= 0; at = long.indexOf(find, at + 1)) {
      if (count++ === 0) first = at;
    }
    assert.deepEqual(occurrencesOf(long, find), { count, first });
  }
  const hostile = "a".repeat(1 << 20);
  const half = "a".repeat(1 << 18);
  assert.equal(failing(hostile, [{ find: `${half}b${half}`, replace: "" }]).code, "no_match");
});

test("an error stays under a kilobyte whatever the edit holds", () => {
  const { message } = failing("x", [{ find: "é\n".repeat(100_000), replace: "" }]);
  assert.ok(Buffer.byteLength(message) < 400);
});

test("parts are the semantic elements with ids, in order, without comments, scripts, styles and quotes that look like them", () => {
  const html = `<!doctype html><html><head><title><main id="t"></title><style>/*<nav id=s>*/</style></head><body>
<!-- <section id="comment"> --><MAIN class='a>b' data-id="no" ID = "card"><section
 id=stage><div id="plain"></div></section><header id='head'></header><section></section><footer id=""></footer>
<script>const x = '<article id="script">';</script><figure title="<aside id=x>" id="fig"></figure><section id="stage"></section></main>`;
  assert.deepEqual(findParts(html), ["card", "stage", "head", "fig"]);
});

test("the scan of parts ends on every broken document", () => {
  for (const text of [
    "<",
    "<main",
    "<main id",
    "<main id=",
    '<main id="',
    "<main id='a",
    "<!--",
    "<script>",
    "<main <main ".repeat(100_000),
    "<!--".repeat(100_000),
    `<main ${"= ".repeat(100_000)}>`,
  ])
    assert.ok(findParts(text).length <= 1);
  assert.equal(
    findParts('<section id="a">'.repeat(3) + Array.from({ length: 500 }, (_, i) => `<nav id=n${i}>`).join("")).length,
    256,
  );
});

test("a change is described by its first line and its size", () => {
  assert.equal(changeHint("a\nb\nc", "a\nX\nY\nc"), 'from line 2 on 1 lines became 2, now beginning "X"');
  assert.equal(changeHint("a\nb", "a"), "from line 2 on 1 lines became 0");
  assert.equal(changeHint("a", "a"), "nothing differs");
});
