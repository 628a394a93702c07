import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import type { CheckReport } from "@swarm/protocol";
import type { Answer } from "./protocol.ts";
import { cardWith, GOOD_CARD } from "./testing/card.ts";

const MAIN = new URL("./main.ts", import.meta.url).pathname;

class Gate {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #id = 0;

  constructor(...flags: string[]) {
    this.child = spawn(process.execPath, [MAIN, ...flags], { stdio: ["pipe", "pipe", "ignore"] });
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      const answer = JSON.parse(line) as Answer;
      this.#waiting.get(answer.id)?.(answer);
    });
  }

  ask(order: object): { id: number; answer: Promise<Answer> } {
    const id = ++this.#id;
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.send({ id, ...order });
    return { id, answer };
  }

  send(order: object): void {
    this.child.stdin!.write(`${JSON.stringify(order)}\n`);
  }

  async check(html: string): Promise<CheckReport & { stills: number }> {
    const answer = await this.ask({ type: "check", html, stages: ["static", "runtime"] }).answer;
    assert.equal(answer.type, "result", JSON.stringify(answer));
    return answer.type === "result" ? { ...answer.report, stills: answer.stills.length } : assert.fail();
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const left = once(this.child, "exit");
    this.child.stdin!.end();
    await left;
  }
}

const gate = new Gate();
after(() => gate.close());
const ability = await gate.ask({ type: "ability" }).answer;
const skip =
  ability.type === "ability" && ability.runtime ? false : `no runtime stage here: ${JSON.stringify(ability)}`;

function failed(report: CheckReport): string[] {
  return report.stages.flatMap((stage) =>
    stage.findings.filter((finding) => !finding.ok).map((finding) => finding.check),
  );
}

test("a good card is verified, with three stills and its figures", { skip }, async () => {
  const report = await gate.check(GOOD_CARD);
  assert.deepEqual([report.verdict, report.summary, report.failed, report.notRun], ["verified", "", 0, 0]);
  assert.equal(report.stills, 3);
  assert.ok((report.card?.fps ?? 0) > 0);
});

const CLEAR = 'context.clearRect(0, 0, 640, 200); context.fillStyle = "#00f0ff"; ';

const OWN = 'event.data.node === "001"';
const FROM_EMBEDDER = "event.source === parent";
const LIVE = "document.documentElement.dataset.swarmAnimationTimeMs === undefined";

const HOSTILE: readonly (readonly [string, string, string])[] = [
  ["an endless loop while loading", "budget", cardWith({ start: "for (;;) {}" })],
  ["an endless loop in a seek", "budget", cardWith({ seek: "for (;;) {}" })],
  ["a dialog", "no_dialogs", cardWith({ start: hidden("alert", '("hello")') })],
  ["a storm of dialogs", "no_dialogs", cardWith({ start: `setInterval(() => { ${hidden("confirm", "(1)")} }, 1);` })],
  ["a popup", "no_blocked_requests", cardWith({ start: hidden("open", "('https://example.org/')") })],
  [
    "a worker",
    "no_blocked_requests",
    cardWith({ start: `try { new (${hidden("Worker", "")})("data:text/javascript,1"); } catch {}` }),
  ],
  [
    "leaving by the top window",
    "no_blocked_requests",
    cardWith({ start: hidden("top", ".location = 'https://example.org/'") }),
  ],
  ["leaving itself", "no_blocked_requests", cardWith({ start: hidden("location", ".assign('https://example.org/')") })],
  ["storage", "console_clean", cardWith({ start: `${hidden("localStorage", "")}.setItem("a", "b");` })],
  [
    "a picture that depends on chance behind overwritten tools",
    "seek_identity",
    cardWith({
      start: `Date.now = () => 0; console.error = () => {}; document.querySelectorAll = () => [];`,
      seek: `JSON.stringify = () => '{"time_ms":' + ms + '}';`,
      draw: "context.clearRect(0, 0, 640, 200); context.fillStyle = '#fff'; context.fillRect(Math.random() * 300, 60, 30, 30);",
    }),
  ],
  [
    "a region outside the viewport behind overwritten tools",
    "visible",
    cardWith({
      start: `document.getElementById('readout').style.marginTop = '2000px';
Element.prototype.getBoundingClientRect = () => ({ left: 0, top: 0, right: 9, bottom: 9, width: 9, height: 9 });
document.querySelectorAll = () => [];`,
    }),
  ],
  [
    "a picture that depends on chance",
    "seek_identity",
    cardWith({ draw: CLEAR + "context.fillRect(Math.random() * 300, 60, 30, ms / 100);" }),
  ],
  [
    "a picture that depends on the one before",
    "seek_identity",
    cardWith({
      draw: CLEAR + "globalThis.n = ((globalThis.n ?? 0) + 7) % 300; context.fillRect(globalThis.n, 60, 30, 30);",
    }),
  ],
  [
    "a still picture",
    "not_still",
    cardWith({ draw: "context.clearRect(0, 0, 640, 300); context.fillRect(10, 10, 9, 9);" }),
  ],
  ["a hook that is never really installed", "ready", cardWith({ wrap: (hook) => `if (Date.now() < 0) { ${hook} }` })],
  [
    "a hook that is not frozen",
    "ready",
    cardWith({ wrap: (hook) => hook.replace("Object.freeze(", "((same) => same)(") }),
  ],
  ["a ready that never comes", "ready", cardWith({ ready: "await new Promise(() => {});" })],
  ["a ready that differs from the manifest", "ready", cardWith({ ready: "return { duration_ms: 10000, fps: 30 };" })],
  ["a seek that answers another time", "seek_shape", cardWith({ seek: "return { time_ms: ms + 1 };" })],
  [
    "a request made where reading does not see it",
    "no_blocked_requests",
    cardWith({
      start:
        'const key = ["e", "f", "t", "c", "h"]; const f = globalThis[key[1] + key[0] + key.slice(2).join("")]; f("https://example.org/").catch(() => {});',
    }),
  ],
  ["an error", "console_clean", cardWith({ start: "setTimeout(() => { throw new Error('late'); }, 50);" })],
  ["a rejection nobody handles", "console_clean", cardWith({ start: "Promise.reject(new Error('lost'));" })],
  [
    "an error on a click",
    "input",
    cardWith({ start: "addEventListener('click', () => { throw new Error('clicked'); });" }),
  ],
  [
    "a region outside the viewport",
    "visible",
    cardWith({ start: "document.getElementById('readout').style.marginTop = '2000px';" }),
  ],
  ["a reading for another node that is shown", "data_channel", cardWith({ start: dataChannel(FROM_EMBEDDER, LIVE) })],
  ["a reading of a stranger that is shown", "data_channel", cardWith({ start: dataChannel(OWN, LIVE) })],
  ["a reading that changes a seek", "seek_ignores_data", cardWith({ start: dataChannel(OWN, FROM_EMBEDDER) })],
  ["a reading that is not shown", "data_channel", cardWith({ start: dataChannel("false") })],
  [
    "memory without end",
    "crashed",
    cardWith({ start: "const all = []; for (;;) all.push(new Array(100000).fill(all.length));" }),
  ],
  [
    "buffers without end",
    "crashed",
    cardWith({ start: "const all = []; setInterval(() => all.push(new Uint8Array(64 << 20).fill(1)), 10);" }),
  ],
];

/** An expression that names a global in a way that reading the script does not see through. */
function hidden(name: string, rest: string): string {
  return `globalThis[[..."${name.split("").reverse().join("")}"].reverse().join("")]${rest}`;
}

function dataChannel(...conditions: string[]): string {
  return `addEventListener("message", (event) => { if (event.data?.type === "swarm.data/v1" && ${conditions.join(" && ")}) document.getElementById("title").textContent = event.data.value; });
parent.postMessage({ type: "swarm.data/v1/ready", node: "001" }, "*");`;
}

for (const [name, check, html] of HOSTILE)
  test(`${name} is refused as ${check}`, { skip }, async () => {
    const report = await gate.check(html);
    assert.equal(report.verdict, "rejected");
    assert.ok(failed(report).includes(check), `${failed(report).join(", ")}: ${report.summary}`);
    assert.ok(Buffer.byteLength(report.summary) <= 1024);
  });

test("a card that shows its own readings and no other passes", { skip }, async () => {
  const report = await gate.check(cardWith({ start: dataChannel(OWN, FROM_EMBEDDER, LIVE) }));
  assert.equal(report.summary, "");
});

test("a good card beside a hostile one, and after all of them, is verified", { skip }, async () => {
  const [bad, good] = await Promise.all([gate.check(cardWith({ start: "for (;;) {}" })), gate.check(GOOD_CARD)]);
  assert.deepEqual([bad.verdict, good.verdict], ["rejected", "verified"]);
});

test("a cancelled check answers that it was cancelled, without waiting for the page", { skip }, async () => {
  const { id, answer } = gate.ask({
    type: "check",
    html: cardWith({ start: "for (;;) {}" }),
    stages: ["static", "runtime"],
  });
  setTimeout(() => gate.send({ id, type: "cancel" }), 300);
  assert.deepEqual(await answer, { id, type: "failed", message: "cancelled" });
});

for (const [name, end] of [
  ["its stdin closes", (other: Gate) => other.close()],
  ["it is killed", async (other: Gate) => void other.child.kill("SIGKILL")],
] as const)
  test(`no process is left when ${name} in the middle of a check`, { skip }, async () => {
    const other = new Gate();
    void other.ask({ type: "check", html: cardWith({ start: "for (;;) {}" }), stages: ["static", "runtime"] });
    let family: number[] = [];
    while (family.length < 4) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      family = descendants(other.child.pid ?? 0);
    }
    await end(other);
    const deadline = Date.now() + 20_000;
    while (family.some(alive) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(family.filter(alive), []);
  });

test("no folder is left: a checker removes its own, and those of checkers that were killed", { skip }, async () => {
  const killed = new Gate();
  await killed.ask({ type: "ability" }).answer;
  killed.child.kill("SIGKILL");
  await once(killed.child, "exit");
  const next = new Gate();
  await next.ask({ type: "ability" }).answer;
  await next.close();
  const left = readdirSync(tmpdir()).filter((name) =>
    [killed, next].some((g) => name.startsWith(`swarm-checker-${g.child.pid}-`)),
  );
  assert.deepEqual(left, []);
});

test("with the runtime gate switched off a good card is static only and says why", async () => {
  const other = new Gate("--no-runtime");
  const able = await other.ask({ type: "ability" }).answer;
  assert.deepEqual(able, { id: 1, type: "ability", runtime: false, reason: "the runtime gate is switched off" });
  const report = await other.check(GOOD_CARD);
  assert.deepEqual([report.verdict, report.notRun], ["static_only", 1]);
  assert.equal(report.stages[1]?.reason, "the runtime gate is switched off");
  await other.close();
});

function parents(): Map<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/u.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state !== "Z") found.set(Number(name), Number(parent));
    } catch {
      // it ended while we looked
    }
  }
  return found;
}

function descendants(root: number): number[] {
  const all = parents();
  const under = (pid: number): boolean => {
    const parent = all.get(pid);
    return parent !== undefined && (parent === root || under(parent));
  };
  return [...all.keys()].filter(under);
}

function alive(pid: number): boolean {
  return parents().has(pid);
}
