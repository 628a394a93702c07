import assert from "node:assert/strict";
import { test } from "node:test";
import { NODES } from "@swarm/protocol/nodes";
import { VISUALS, visualFor } from "./choose.ts";
import { generateCard } from "./generate.ts";

test("all hundred cards are 12 to 25 KB, different, and the same again", () => {
  const cards = NODES.map((node) => generateCard(node));
  for (const [i, card] of cards.entries()) {
    const bytes = Buffer.byteLength(card);
    assert.ok(bytes >= 12_000 && bytes <= 25_000, `${NODES[i]!.id}: ${bytes}`);
    assert.equal(generateCard({ ...NODES[i]! }), card);
  }
  assert.equal(new Set(cards).size, 100);
});

test("every visualiser draws at least two of the nodes", () => {
  const used = NODES.map((node) => visualFor(node).name);
  for (const visual of VISUALS) assert.ok(used.filter((name) => name === visual.name).length >= 2, visual.name);
});

test("a card holds one manifest with exactly three members, one main, the parts, and no way out", () => {
  for (const node of NODES) {
    const card = generateCard(node);
    const manifests = [
      ...card.matchAll(/<script id="swarm-animation-manifest" type="application\/json">([^<]*)<\/script>/g),
    ];
    assert.equal(manifests.length, 1);
    assert.deepEqual(JSON.parse(manifests[0]![1]!), { version: "swarm.animation/v1", duration_ms: 10000, fps: 60 });
    assert.equal(card.split("<main ").length, 2);
    assert.ok(card.includes(`<main id="card-${node.id}">`));
    for (const id of ["header", "stage", "stats", "readout", "trace", "legend"])
      assert.equal(card.split(` id="${id}"`).length, 2, id);
    assert.doesNotMatch(
      card,
      /https?:|\/\/[a-z]+\.[a-z]|@import|url\(|fetch\(|XMLHttp|WebSocket|Math\.random|Date\.now|localStorage|@[A-Z]+@/,
    );
  }
});

test("a hostile subject stays text: nothing of it ends an element or a literal", () => {
  const card = generateCard({
    id: "001",
    name: `</script><img src=x onerror="a">`,
    domain: "<b>",
    part: "'\"`${x}",
    reading: "</title>",
    unit: "</script>\u2028",
  });
  assert.equal(card.match(/<script/g)!.length, 2);
  assert.equal(card.match(/<\/script/g)!.length, 2);
  assert.doesNotMatch(card, /<img|<b>/);
});
