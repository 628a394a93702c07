import type { SessionSummary } from "@swarm/protocol";
import type { ApiClient } from "@swarm/sync/client";
import { connect } from "../client.ts";
import { age, blue, dim, green, money, plain, print, printJson, red, table, tokens, yellow } from "../output.ts";
import { flags, usage, type Command } from "./command.ts";

export async function allSessions(api: ApiClient, group?: string): Promise<SessionSummary[]> {
  const items: SessionSummary[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await api.sessions({
      limit: 200,
      ...(after === undefined ? {} : { after }),
      ...(group === undefined ? {} : { group }),
    });
    items.push(...page.items);
    if (page.next === null) return items;
    after = page.next;
  }
}

export const sessions: Command = {
  name: "sessions",
  usage: "sessions [ID] [--group NAME] [--state STATE] [--records]",
  what: "List sessions, or show one; --records prints its journal.",
  async run(args, { json }) {
    const { values, positionals } = flags("sessions", args, {
      group: { type: "string" },
      state: { type: "string" },
      records: { type: "boolean" },
    });
    const { api } = connect();
    const [id] = positionals;
    if (id !== undefined) return one(api, id, values.records === true, json);
    const all = (await allSessions(api, values.group)).filter(
      (s) => values.state === undefined || (s.state ?? s.phase) === values.state,
    );
    if (json) printJson(all);
    else if (all.length === 0) print('No sessions yet. Start one: swarm run "…"');
    else print(table([["ID", "STATE", "TITLE", "NOW", "TURNS", "TOKENS", "COST", "AGE"].map(dim), ...all.map(row)]));
    return 0;
  },
};

function row(s: SessionSummary): string[] {
  const total = s.totals.input + s.totals.output;
  return [
    s.id,
    colour(s),
    plain(`${s.label ? `${s.label} ` : ""}${s.title}`, 36),
    plain(s.now, 40),
    String(s.turns),
    tokens(total),
    money(s.totals.costNano, s.totals.simulated),
    age(Date.now() - s.createdAt),
  ];
}

function colour(s: SessionSummary): string {
  if (s.state === "delivered") return green("delivered");
  if (s.state !== undefined) return s.state === "cancelled" ? dim("cancelled") : red(s.state);
  if (s.phase === "waiting")
    return s.wait?.on === "user" || s.wait?.on === "permission" ? yellow("waits for you") : `waiting: ${s.wait?.on}`;
  return s.phase === "running" ? blue("running") : s.phase;
}

async function one(api: ApiClient, id: string, records: boolean, json: boolean): Promise<number> {
  if (!records) {
    const s = await api.session(id);
    if (json) printJson(s);
    else
      print(
        table(
          Object.entries(s).map(([k, v]) => [
            dim(k),
            typeof v === "object" ? JSON.stringify(v) : plain(String(v), 300),
          ]),
        ),
      );
    return 0;
  }
  let after: number | undefined;
  for (;;) {
    const page = await api.records(id, { limit: 500, ...(after === undefined ? {} : { after }) });
    for (const r of page.items) {
      if (json) process.stdout.write(`${JSON.stringify(r)}\n`);
      else print(`${dim(`${r.rev}`.padStart(4))} ${r.kind.padEnd(18)} ${plain(JSON.stringify(r.payload), 140)}`);
    }
    if (page.next === null) return 0;
    after = Number(page.next);
  }
}

export const cancel: Command = {
  name: "cancel",
  usage: "cancel ID… | --all | --group NAME",
  what: "End runs now: the model stream, tools and children stop; what was made is kept.",
  async run(args, { json }) {
    const { values, positionals } = flags("cancel", args, { all: { type: "boolean" }, group: { type: "string" } });
    const { api } = connect();
    if (positionals.length === 0 && !values.all && values.group === undefined)
      throw usage("cancel", "name a session, --all or --group NAME");
    let cancelled = 0;
    if (values.all || values.group !== undefined)
      cancelled = (await api.cancelMany(values.group === undefined ? {} : { group: values.group })).cancelled;
    for (const id of positionals) {
      await api.cancel(id);
      cancelled++;
    }
    if (json) printJson({ ok: true, cancelled });
    else print(`${cancelled} cancelled`);
    return 0;
  },
};

export const answer: Command = {
  name: "answer",
  usage: 'answer ID "<text>"',
  what: "Answer the question a session waits on.",
  async run(args, { json }) {
    const { positionals } = flags("answer", args, {});
    const [id, ...words] = positionals;
    if (id === undefined || words.length === 0) throw usage("answer", "name the session and the answer");
    const { api } = connect();
    const s = await api.session(id);
    if (s.question === undefined) throw usage("answer", `session ${id} asks nothing now`);
    await api.answer(id, { question: s.question.id, answer: words.join(" ") });
    if (json) printJson({ ok: true });
    else print("answered");
    return 0;
  },
};
