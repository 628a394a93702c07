import { join } from "node:path";
import { daemonCommand, ensureDaemon, readToken, resolveHome, stopDaemon } from "@swarm/launcher";
import { createApiClient } from "@swarm/sync/client";
import { dim, green, print, printJson } from "../output.ts";
import type { Command } from "./command.ts";

export function installRoot(): string {
  return process.env["SWARM_ROOT"] ?? join(import.meta.dirname, "../../../..");
}

export const up: Command = {
  name: "up",
  usage: "up [--model ID] [--api-port N] [--desktop-port N] [--artifact-port N] [--no-sim] [--no-runtime-gate]",
  what: "Start the daemon (or find the running one) and print the desktop's address.",
  details:
    "Other flags go to the daemon as they are: --provider JSON, --sim-speed X, --sim-seed N, --max-concurrent N.",
  async run(args, { json }) {
    const root = installRoot();
    const { buildAll } = (await import(join(root, "scripts", "build.ts"))) as {
      buildAll: (o: { quiet: boolean }) => Promise<void>;
    };
    await buildAll({ quiet: json });
    const home = resolveHome();
    const forwarded = args.map((a) => (a === "--model" ? "--default-model" : a));
    const { daemon, started } = await ensureDaemon({
      home,
      command: daemonCommand(root),
      args: forwarded,
      env: { ...process.env, SWARM_ROOT: root },
      say: (line) => console.error(line),
    });
    const api = createApiClient({ baseUrl: daemon.api, token: readToken(home) ?? "" });
    const { code } = await api.createLoginCode();
    const open = `${daemon.desktop}/#${code}`;
    if (json) printJson({ ok: true, started, pid: daemon.pid, home, api: daemon.api, desktop: daemon.desktop, open });
    else {
      print(
        `${green("●")} ${started ? "daemon started" : "daemon already runs"} ${dim(`(pid ${daemon.pid}, ${home})`)}`,
      );
      print(`  desktop  ${open}  ${dim("(the code works once, for 60 s; 'swarm up' prints a new one)")}`);
      print(`  API      ${daemon.api}`);
      const status = await api.status();
      for (const line of status.degraded) print(`  note     ${line}`);
    }
    return 0;
  },
};

export const down: Command = {
  name: "down",
  usage: "down",
  what: "Stop the daemon after its current durable step; unfinished runs go on at the next start.",
  async run(_args, { json }) {
    const result = await stopDaemon(resolveHome());
    if (json) printJson({ ok: true, result });
    else
      print(
        result === "none"
          ? "no daemon runs"
          : result === "killed"
            ? "the daemon did not end in 15 s and was killed; nothing acknowledged is lost"
            : "daemon stopped",
      );
    return 0;
  },
};
