/** The laws of the house as tests: each names the banned thing and its replacement. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");

/** Who may import whom. Tests beside the source may also use testkit, contract suites and dev dependencies. */
const ARROWS: Record<string, readonly string[]> = {
  std: [],
  protocol: ["std"],
  kv: ["std"],
  journal: ["std", "protocol", "kv"],
  security: ["std", "protocol"],
  sandbox: ["std", "protocol"],
  gateway: ["std", "protocol"],
  artifact: ["std", "protocol", "sandbox"],
  tools: ["std", "protocol", "sandbox"],
  agent: ["std", "protocol"],
  session: ["std", "protocol", "journal", "agent"],
  telemetry: ["std", "protocol"],
  launcher: ["std", "protocol"],
  sync: ["std", "protocol", "journal"],
  server: ["std", "protocol"],
  testkit: ["*"],
  swarmd: ["*", "!testkit"],
  checker: ["std", "protocol", "sandbox", "artifact"],
  cli: ["std", "protocol", "sync/client", "launcher"],
  desktop: ["std", "protocol", "sync/client"],
  century: ["std", "protocol", "sync/client", "telemetry/sampler", "launcher"],
  modelsim: ["std", "protocol"],
};

interface Import {
  readonly file: string;
  readonly owner: string;
  readonly specifier: string;
}

function sources(): string[] {
  return globSync(["packages/*/src/**/*.{ts,tsx}", "apps/*/src/**/*.{ts,tsx}"], { cwd: ROOT });
}

function isTest(file: string): boolean {
  return /\.(test|bench)\.tsx?$/.test(file) || /\/(test|testing|fixtures)\//.test(file);
}

function imports(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const owner = file.split("/")[1]!;
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((m) => ({ file, owner, specifier: m[1]! }));
}

function allowed(owner: string, target: string): boolean {
  const rules = ARROWS[owner];
  assert.ok(rules, `package ${owner} has no row in the arrow matrix: add it with what it may import`);
  const root = target.split("/")[0]!;
  if (root === owner) return true;
  if (rules.includes(`!${root}`)) return false;
  return rules.includes("*") || rules.includes(target) || rules.includes(root);
}

test("arrows point down: no package imports one that its storey does not allow", () => {
  const wrong: string[] = [];
  for (const file of sources().filter((f) => !isTest(f))) {
    for (const { owner, specifier } of imports(file)) {
      if (!specifier.startsWith("@swarm/")) continue;
      const target = specifier.slice("@swarm/".length);
      if (!allowed(owner, target)) wrong.push(`${file} imports ${specifier}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("packages are entered through their door, never by a relative path", () => {
  const wrong = sources().flatMap((file) =>
    imports(file)
      .filter(
        ({ specifier }) => /^(\.\.\/)+(packages|apps)\//.test(specifier) || /^@swarm\/[a-z]+\/src\//.test(specifier),
      )
      .map(({ specifier }) => `${file} imports ${specifier}`),
  );
  assert.deepEqual(wrong, []);
});

test("the engine's module is named in one place: everything else goes through the KvStore port", () => {
  const users = sources().filter((file) => imports(file).some(({ specifier }) => specifier === "classic-level"));
  assert.deepEqual(
    users.map((f) => f.split("/").slice(0, 2).join("/")).filter((v, i, a) => a.indexOf(v) === i),
    ["packages/kv"],
  );
});

test("parsers and the browser driver are loaded by the checker process only", () => {
  const heavy = new Set(["parse5", "oxc-parser", "css-tree", "playwright-core"]);
  const wrong = sources()
    .filter(
      (file) => !isTest(file) && !file.startsWith("apps/checker/") && !file.startsWith("packages/artifact/src/check/"),
    )
    .filter((file) => imports(file).some(({ specifier }) => heavy.has(specifier)));
  assert.deepEqual(wrong, []);
});

const BANNED: readonly { name: string; pattern: RegExp; instead: string; except?: RegExp }[] = [
  { name: "any", pattern: /:\s*any\b|as any\b|<any>/, instead: "unknown and a parse at the edge" },
  { name: "ts-ignore", pattern: /@ts-(ignore|nocheck)/, instead: "a type that is true" },
  { name: "unfinished work", pattern: /\b(TODO|FIXME|XXX|HACK)\b/, instead: "the work, or a line in the docs" },
  { name: "lonely or skipped test", pattern: /\b(test|it|describe)\.(only|todo)\b/, instead: "a test that runs" },
];

/** "any" is also a word of English. */
function withoutComments(file: string): string {
  return readFileSync(join(ROOT, file), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "")
    .replace(/(["'`])(?:\\.|(?!\1).)*\1/g, '""');
}

for (const { name, pattern, instead, except } of BANNED) {
  test(`no ${name} in the sources: use ${instead}`, () => {
    const wrong = sources()
      .filter((file) => !(except?.test(file) ?? false))
      .filter((file) => pattern.test(name === "any" ? withoutComments(file) : readFileSync(join(ROOT, file), "utf8")));
    assert.deepEqual(wrong, []);
  });
}

test("files stay under 500 lines", () => {
  const long = sources()
    .filter((file) => !file.endsWith("nodes.ts"))
    .map((file) => ({ file, lines: readFileSync(join(ROOT, file), "utf8").split("\n").length }))
    .filter(({ lines }) => lines > 501);
  assert.deepEqual(long, []);
});
