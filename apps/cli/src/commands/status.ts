import { connect } from "../client.ts";
import { age, bold, dim, green, money, print, printJson, table, tokens, yellow } from "../output.ts";
import type { Command } from "./command.ts";

export const status: Command = {
  name: "status",
  usage: "status",
  what: "What the daemon does now: sessions, memory, cost, what is missing on this machine.",
  async run(_args, { json }) {
    const { api } = connect();
    const s = await api.status();
    if (json) {
      printJson(s);
      return 0;
    }
    const rows: string[][] = [
      ["daemon", `${green("●")} pid ${s.pid}, up ${age(s.uptimeS * 1000)}, version ${s.version}`],
      ["data", s.home],
      ["store", s.store.state === "ok" ? `ok, seq ${s.cursor.seq}` : yellow(`read only: ${s.store.reason}`)],
      [
        "sessions",
        `${s.sessions.running} running, ${s.sessions.waiting} waiting, ${s.sessions.queued} queued, ${s.sessions.ended} ended of ${s.sessions.total}`,
      ],
      ["admission", `${s.admission.limit} at once${s.admission.reason ? `: ${s.admission.reason}` : ""}`],
      ["model", s.models.default],
      [
        "tokens",
        `${tokens(s.totals.input)} in, ${tokens(s.totals.cached)} of them cached, ${tokens(s.totals.output)} out in ${s.totals.requests} requests`,
      ],
      ["cost", money(s.totals.costNano, s.totals.simulated)],
      ["memory", `${s.rssMib.toFixed(0)} MiB now, ${s.peakRssMib.toFixed(0)} peak`],
      ["loop", s.loopDelayP99Ms === null ? "blank" : `p99 ${s.loopDelayP99Ms.toFixed(1)} ms`],
      ["gate", s.checker.runtime ? "static and runtime" : yellow(`static only: ${s.checker.reason}`)],
      ["desktop", s.addresses.desktop],
    ];
    print(table(rows.map(([k, v]) => [dim(k!), v!])));
    for (const line of s.degraded) print(yellow(`note: ${line}`));
    if (s.draining) print(bold("the daemon is stopping"));
    return 0;
  },
};
