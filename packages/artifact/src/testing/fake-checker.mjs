/** A checker that does what a document tells it to: for tests of the daemon's side. */
import { createInterface } from "node:readline";

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const cancelled = new Set();
const ballast = [];

createInterface({ input: process.stdin })
  .on("line", (text) => {
    const { id, type, html } = JSON.parse(text);
    if (type === "ping") return say({ id, type: "pong" });
    if (type === "ability") return say({ id, type: "ability", runtime: false, reason: "it is a fake" });
    if (type === "cancel") return cancelled.add(id);
    if (html.includes("die")) process.exit(7);
    if (html.includes("hang")) for (;;);
    if (html.includes("grow")) return ballast.push(Buffer.alloc(300 * 1024 * 1024, 1));
    if (html.includes("wait")) return;
    if (html.includes("noise")) process.stdout.write("not json\n");
    const report = {
      sha256: "",
      stages: [],
      verdict: "verified",
      summary: `${process.pid}/${[...cancelled]}`,
      passed: 1,
      failed: 0,
      notRun: 0,
    };
    say({
      id,
      type: "result",
      report,
      stills: [{ timeMs: 5, width: 1, height: 1, png: Buffer.from("png").toString("base64") }],
    });
  })
  .on("close", () => process.exit(0));
