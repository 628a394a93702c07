import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ZERO_TOTALS, type SessionSummary } from "@swarm/protocol";
import { briefOf, diffLines } from "./calls.ts";
import { compact, duration, modelAlias, money, percent, seconds } from "./format.ts";
import { groupsOf, search, select, tally, waiting } from "./lists.ts";
import { applyLive, liveCalls } from "./live.ts";
import { stateOf, STUCK_AFTER_MS, tickOf } from "./state.ts";
import { cardGrid, layoutOf, visibleRows } from "./window.ts";

function session(id: string, over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id,
    title: id,
    profile: "builder",
    model: "sim/perfect",
    rev: 1,
    seq: 1,
    createdAt: 0,
    updatedAt: 0,
    runs: 1,
    epoch: 1,
    resumed: 0,
    phase: "running",
    now: "",
    turns: 0,
    toolCalls: 0,
    repairs: 0,
    totals: ZERO_TOTALS,
    errors: {},
    unseen: false,
    ...over,
  };
}

describe("states", () => {
  it("an open question is yours whatever the phase says", () => {
    const asked = session("a", {
      phase: "waiting",
      wait: { on: "tool", detail: "" },
      question: { id: "q", text: "?", options: [] },
    });
    assert.equal(stateOf(asked), "wait_ask");
    assert.equal(tickOf(asked), "t-you");
  });
  it("stuck begins at three minutes without progress and only for active sessions", () => {
    const list = [
      session("a", { updatedAt: 0 }),
      session("b", { updatedAt: 1 }),
      session("c", { phase: "ended", state: "failed" }),
    ];
    assert.deepEqual(
      select(list, "stuck", "", STUCK_AFTER_MS).map((s) => s.id),
      ["a"],
    );
  });
});

describe("lists", () => {
  it("every session is counted in exactly one of five bins", () => {
    const t = tally(
      [
        session("a"),
        session("b", { phase: "queued" }),
        session("c", { phase: "ended", state: "delivered", unseen: true }),
        session("d", { phase: "ended", state: "blocked" }),
        session("e", { phase: "waiting", wait: { on: "permission", detail: "" } }),
      ],
      0,
    );
    assert.deepEqual([t.active, t.rest, t.delivered, t.failed, t.you, t.total], [1, 1, 1, 1, 1, 5]);
    assert.equal(t.unseen, 1);
  });
  it("groups keep the order of their first session", () => {
    const list = [session("a", { group: "B" }), session("b", { group: "A" }), session("c", { group: "B" })];
    assert.deepEqual(
      groupsOf(list).map((g) => [g.name, g.sessions.length]),
      [
        ["B", 2],
        ["A", 1],
      ],
    );
  });
  it("search wants every word, anywhere", () => {
    assert.equal(search([session("TTFT Jitter")], "jitter sim").length, 1);
    assert.equal(search([session("TTFT Jitter")], "jitter real").length, 0);
  });
  it("the inbox begins with who has waited longest", () => {
    const ask = { question: { id: "q", text: "?", options: [] } };
    assert.deepEqual(
      waiting([session("new", { ...ask, updatedAt: 9 }), session("old", { ...ask, updatedAt: 3 })]).map((s) => s.id),
      ["old", "new"],
    );
  });
});

describe("windowing", () => {
  it("only rows that touch the view and its margin are drawn", () => {
    const layout = layoutOf(Array.from({ length: 1000 }, (_, i) => ({ height: 100, item: i })));
    assert.deepEqual(visibleRows(layout, 5000, 800, 0), { first: 50, end: 59 });
    assert.deepEqual(visibleRows(layout, 0, 800, 200), { first: 0, end: 11 });
    assert.equal(visibleRows(layout, 99_900, 800, 0).end, 1000);
  });
  it("six cards of 192 × 176 fit the page at 1440", () => {
    assert.deepEqual(cardGrid(1236 - 32, 186, 10, 68), { columns: 6, cardHeight: 176 });
  });
});

describe("streamed text", () => {
  it("pieces join by offset, a hole is kept out, offset 0 starts anew", () => {
    const texts = new Map<string, string>();
    const piece = (offset: number, text: string): boolean =>
      applyLive(texts, { session: "s", run: "r", step: 1, stream: "text", offset, text });
    assert.equal(piece(0, "ab"), true);
    assert.equal(piece(2, "cd"), true);
    assert.equal(piece(9, "zz"), false);
    assert.equal(piece(2, "cd"), false, "the same piece again");
    assert.equal(texts.get("r/1/text"), "abcd");
    piece(0, "new");
    assert.equal(texts.get("r/1/text"), "new");
  });
  it("calls in the writing come in index order", () => {
    const texts = new Map([
      ["r/1/args:1", "b"],
      ["r/1/args:0", "a"],
      ["r/2/args:0", "x"],
    ]);
    assert.deepEqual(
      liveCalls(texts, "r", 1).map((c) => c.args),
      ["a", "b"],
    );
  });
});

describe("words", () => {
  it("money, tokens, times", () => {
    assert.equal(money(96_000_000), "$0.096");
    assert.equal(money(11_750_000_000), "$11.75");
    assert.deepEqual(
      [compact(950), compact(1234), compact(61_000), compact(7_270_000)],
      ["950", "1.2k", "61k", "7.27M"],
    );
    assert.deepEqual([duration(41_000), duration(163_000), duration(11_100_000)], ["41s", "2m 43s", "3h 05m"]);
    assert.deepEqual([3, 20, 4000, 38_000, 59_700, 171_000].map(seconds), [
      "3 ms",
      "0.02 s",
      "4.0 s",
      "38 s",
      "1 m 00 s",
      "2 m 51 s",
    ]);
    assert.equal(percent(92.68), "92.7\u2009%");
    assert.deepEqual(["google/gemini-3.6-flash", "sim/perfect", "x/gemini-3-flash-lite"].map(modelAlias), [
      "flash",
      "perfect",
      "flash-lite",
    ]);
  });
  it("a call is said in words, whatever its arguments are", () => {
    assert.equal(
      briefOf("manage_artifact", JSON.stringify({ action: "create", title: "T", content: "x".repeat(18_400) }), 0).text,
      "create T, 18.4 KB",
    );
    assert.equal(briefOf("x", "{broken", 0).text, "{broken");
    assert.equal(briefOf("x", undefined, 18_400).text, "18.4 KB");
    assert.equal(
      briefOf("manage_artifact", '{"action":"edit","base":1,"edits":[{"find":"a","replace":"b"},7]}', 0).text,
      "edit, 1 place, base r1",
    );
  });
  it("a diff shows common head and tail as context", () => {
    assert.deepEqual(
      diffLines("a\nb\nc", "a\nx\nc").map((l) => l.sign + l.text),
      ["a", "-b", "+x", "c"],
    );
    assert.deepEqual(
      diffLines("a\na", "a").map((l) => l.sign + l.text),
      ["a", "-a"],
    );
  });
});
