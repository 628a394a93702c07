import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { SessionSummary } from "@swarm/protocol";
import { sleep } from "@swarm/std";
import { connect } from "../client.ts";
import { dim, green, money, plain, print, printJson, red } from "../output.ts";
import { flags, usage, type Command } from "./command.ts";

const POLL_MS = 400;

export const run: Command = {
  name: "run",
  usage: 'run "<task>" [--agents N] [--model ID] [--profile builder|assistant] [--title T] [--budget-usd X] [--detach]',
  what: "Give one or more agents a task and follow them to the end.",
  details:
    "The task '-' is read from standard input. --detach returns at once. Exit code 1 when an agent did not deliver.",
  async run(args, { json }) {
    const { values, positionals } = flags("run", args, {
      agents: { type: "string" },
      model: { type: "string" },
      profile: { type: "string" },
      title: { type: "string" },
      "budget-usd": { type: "string" },
      detach: { type: "boolean" },
    });
    const task = positionals[0] === "-" ? await stdin() : positionals.join(" ");
    if (task.trim() === "")
      throw usage("run", 'name the task, for example swarm run "Build a card that shows the load"');
    const agents = Number(values.agents ?? 1);
    if (!Number.isInteger(agents) || agents < 1 || agents > 1000)
      throw usage("run", `--agents takes 1 to 1000, not '${values.agents}'`);
    const { api } = connect();
    const nonce = randomUUID();
    const created = await Promise.all(
      Array.from({ length: agents }, (_, i) =>
        api.createSession(
          {
            task,
            workspace: resolve("."),
            interactive: process.stdout.isTTY,
            ...(values.model === undefined ? {} : { model: values.model }),
            ...(values.profile === undefined ? {} : { profile: values.profile }),
            ...(values.title === undefined ? {} : { title: agents === 1 ? values.title : `${values.title} ${i + 1}` }),
            ...(values["budget-usd"] === undefined ? {} : { budget: { usd: Number(values["budget-usd"]) } }),
          },
          `${nonce}-${i}`,
        ),
      ),
    );
    const ids = created.map((c) => c.session);
    if (values.detach) {
      if (json) printJson({ ok: true, sessions: ids });
      else ids.forEach((id) => print(id));
      return 0;
    }
    const ended = await follow(ids, (id) => api.session(id), json ? () => {} : (line) => print(line));
    if (json) printJson({ ok: ended.every(delivered), sessions: ended });
    return ended.every(delivered) ? 0 : 1;
  },
};

function delivered(s: SessionSummary): boolean {
  return s.state === "delivered";
}

async function follow(
  ids: readonly string[],
  get: (id: string) => Promise<SessionSummary>,
  say: (line: string) => void,
): Promise<SessionSummary[]> {
  const shown = new Map<string, string>();
  for (;;) {
    const all = await Promise.all(ids.map(get));
    for (const s of all) {
      const line =
        s.phase === "ended"
          ? `${delivered(s) ? green("✓") : red("✗")} ${s.state}: ${plain(s.now)} ${dim(money(s.totals.costNano, s.totals.simulated))}`
          : s.phase === "waiting" && s.question
            ? `? ${plain(s.question.text)} ${dim(`(swarm answer ${s.id} "…")`)}`
            : `· ${plain(s.now)}`;
      if (shown.get(s.id) === line) continue;
      shown.set(s.id, line);
      say(`${dim(s.id)} ${line}`);
    }
    if (all.every((s) => s.phase === "ended")) return all;
    await sleep(POLL_MS);
  }
}

async function stdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
