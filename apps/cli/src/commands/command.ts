import { parseArgs, type ParseArgsConfig } from "node:util";
import { AppError } from "@swarm/std";

export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly what: string;
  readonly details?: string;
  /** Resolves with the exit code. */
  run(args: readonly string[], output: { readonly json: boolean }): Promise<number>;
}

/** Parses a command's flags; a wrong one is AppError `bad_usage` that names the help. */
export function flags<T extends NonNullable<ParseArgsConfig["options"]>>(
  name: string,
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new AppError("bad_usage", `See 'swarm ${name} --help': ${(error as Error).message.split("\n")[0]}`, {
      cause: error,
    });
  }
}

export function usage(name: string, message: string): AppError {
  return new AppError("bad_usage", `See 'swarm ${name} --help': ${message}`);
}
