/** Reporter of node's test runner: one line a file, failures in full, and the closing line that CI reads. */
import type { TestEvent } from "node:test/reporters";
import { relative } from "node:path";

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  ms: number;
}

export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Map<string, Tally>();
  const total: Tally = { passed: 0, failed: 0, skipped: 0, ms: 0 };
  const failures: string[] = [];
  for await (const event of source) {
    if (event.type === "test:stderr" || event.type === "test:stdout") {
      if (event.data.message.startsWith("# note ")) yield event.data.message.slice(2);
      continue;
    }
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    const { data } = event;
    const isSuite = data.details.type === "suite" || (data.nesting === 0 && data.name === data.file);
    if (isSuite && event.type === "test:pass") continue;
    const file = relative(process.cwd(), data.file ?? "?");
    const tally = files.get(file) ?? { passed: 0, failed: 0, skipped: 0, ms: 0 };
    files.set(file, tally);
    if (data.skip !== undefined) add(tally, total, "skipped");
    else if (event.type === "test:pass") add(tally, total, "passed");
    else {
      const error = event.data.details.error;
      const failedBelow = (error as { failureType?: string }).failureType === "subtestsFailed";
      if (failedBelow) continue; // counted where it happened
      add(tally, total, "failed");
      const cause =
        error.cause instanceof Error
          ? (error.cause.stack ?? error.cause.message)
          : String(error.cause ?? error.message);
      failures.push(`FAILED ${file}:${data.line ?? 0} ${data.name}\n${indent(cause)}\n`);
      yield `✗ ${file} ${data.name}\n`;
    }
    tally.ms += data.nesting === 0 ? data.details.duration_ms : 0;
  }
  for (const [file, t] of files) {
    yield `${t.failed > 0 ? "✗" : "✓"} ${file} ${t.passed} passed${t.failed ? `, ${t.failed} failed` : ""}${t.skipped ? `, ${t.skipped} skipped` : ""} (${(t.ms / 1000).toFixed(1)} s)\n`;
  }
  for (const failure of failures) yield `\n${failure}`;
  yield `${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}\n`;
}

function add(tally: Tally, total: Tally, key: "passed" | "failed" | "skipped"): void {
  tally[key]++;
  total[key]++;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((l) => `    ${l}`)
    .join("\n");
}
