import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Command } from "./command.ts";
import { usage } from "./command.ts";
import { installRoot } from "./up.ts";

/** `bench ladder` and `bench report` are the Century Run's own program; this is its door on the command line. */
export const bench: Command = {
  name: "bench",
  usage: "bench ladder [options] | bench report DIR",
  what: "Run a tier of the Century Run, or make a report again from its raw data.",
  details: "bench ladder takes the options of npm run century (see npm run century -- --help).",
  async run(args, { json }) {
    const [what, ...rest] = args;
    if (what !== "ladder" && what !== "report") throw usage("bench", "say ladder or report");
    const result = spawnSync(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        join(installRoot(), "apps", "century", "src", "main.ts"),
        ...(what === "report" ? ["--report"] : []),
        ...rest,
        ...(json ? ["--json"] : []),
      ],
      { stdio: "inherit" },
    );
    return result.status ?? 1;
  },
};
