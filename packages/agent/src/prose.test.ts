import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@swarm/protocol";
import { correctionOf, documentIn, withAnswer } from "./prose.ts";

const DOC = '<!doctype html>\n<html lang="en">\n<body>`x` ``` y</body>\n</html>';

test("a whole document is found in a code block or bare; a cut one, a snippet and plain words are none", () => {
  assert.equal(documentIn(`Here:\n\n\`\`\`html\n${DOC}\n\`\`\`\n\nEnjoy.`), DOC);
  assert.equal(documentIn(`\`\`\`\n${DOC}\n\`\`\``), DOC);
  assert.equal(documentIn(`Text before ${DOC} and after`), DOC);
  assert.equal(documentIn("```css\na{}\n```\n```html\n" + DOC + "\n```\n```js\n1\n```"), DOC);
  for (const none of ["", "words", "```html\n<p>part</p>\n```", DOC.slice(0, -4), `\`\`\`html\n${DOC.slice(0, 40)}`])
    assert.equal(documentIn(none), undefined, none);
});

test("@answer stands for the newest document that was said, and for nothing else", () => {
  const messages: Message[] = [
    { role: "assistant", text: "```html\n<!doctype html><p>old</p></html>\n```", calls: [] },
    { role: "assistant", text: `\`\`\`html\n${DOC}\n\`\`\``, calls: [] },
    { role: "user", text: "<!doctype html>mine</html>" },
  ];
  const call = (args: object) => ({ id: "c", name: "manage_artifact", args: JSON.stringify(args) });
  const content = (args: object, said = messages) =>
    (JSON.parse(withAnswer(call(args), said).args) as { content?: string }).content;
  assert.equal(content({ action: "create", content: "@answer" }), DOC);
  assert.equal(content({ action: "create", content: "see @answer" }), "see @answer");
  assert.equal(content({ action: "edit", edits: [{ find: "@answer", replace: "" }] }), undefined);
  assert.equal(content({ content: "@answer" }, []), "@answer");
  const broken = { id: "c", name: "x", args: '{"content":"@answer"' };
  assert.equal(withAnswer(broken, messages), broken);
});

test("a correction names the call that is right for what there is", () => {
  const at = (text: string, artifact?: Parameters<typeof correctionOf>[3]) =>
    correctionOf(text, "stop", true, artifact);
  assert.match(at("words"), /action "create" and the whole HTML document/);
  assert.match(at(DOC), /"content":"@answer"/);
  assert.match(
    at("done!", { id: "art_1", title: "", revision: 3, bytes: 1, state: "rejected" }),
    /action "edit", base 3/,
  );
  assert.match(correctionOf("", "other", true, undefined), /not valid JSON/);
  assert.match(correctionOf("", "stop", false, undefined), /empty/);
});
