/** `swarm <command>`: a table of commands; each parses its own flags and speaks the public protocol only. */
import { errorMessage, isAppError } from "@swarm/std";
import { COMMANDS, type Command } from "./commands/index.ts";
import { bold, dim, print, printJson, red, table } from "./output.ts";

/** Exit codes: 0 done, 1 failed, 2 wrong call, 3 no daemon. */
const EXIT = { failed: 1, usage: 2, noDaemon: 3 } as const;

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    print(help());
    return 0;
  }
  const command = COMMANDS.find((c) => c.name === name);
  if (command === undefined) {
    console.error(
      `Use one of: ${COMMANDS.map((c) => c.name).join(", ")}. There is no command '${name}'${nearest(name)}.`,
    );
    return EXIT.usage;
  }
  if (args.includes("--help") || args.includes("-h")) {
    print(`${bold(`swarm ${command.usage}`)}\n\n${command.what}\n${command.details ?? ""}`.trimEnd());
    return 0;
  }
  return run(command, args);
}

async function run(command: Command, args: readonly string[]): Promise<number> {
  const json = args.includes("--json");
  try {
    return await command.run(
      args.filter((a) => a !== "--json"),
      { json },
    );
  } catch (error) {
    const code =
      (isAppError(error) ? error.code : (error as { problem?: { code?: string } }).problem?.code) ?? "internal";
    if (json) printJson({ ok: false, error: { code, message: errorMessage(error) } });
    else console.error(red(errorMessage(error)));
    return code === "no_daemon" ? EXIT.noDaemon : code === "bad_usage" ? EXIT.usage : EXIT.failed;
  }
}

function help(): string {
  const rows = COMMANDS.map((c) => [`  ${c.usage}`, dim(c.what.split("\n")[0]!)]);
  return `${bold("swarm")}: many agents on one machine\n\n${table(rows)}\n\nEvery command takes --json and --help. Data directory: SWARM_HOME. Colours off: NO_COLOR.`;
}

function nearest(name: string): string {
  const close = COMMANDS.find((c) => c.name.startsWith(name.slice(0, 3)));
  return close ? `, did you mean '${close.name}'?` : "";
}

process.exitCode = await main(process.argv.slice(2));
