import { parseArgs } from "node:util";
import { AppError } from "@swarm/std";
import { TIERS } from "./tiers.ts";

export interface CenturyOptions {
  readonly tiers: readonly number[];
  readonly shape: "burst" | "waves";
  readonly model: string;
  readonly seed: number;
  readonly speed: number;
  readonly out: string | undefined;
  /** Answer yes to what would be asked. */
  readonly yes: boolean;
  /** End daemon and simulator afterwards. */
  readonly exit: boolean;
  readonly budgetUsd: number | undefined;
  readonly browser: boolean;
  readonly json: boolean;
}

export const DEFAULT_MODEL = "sim/ordinary";
export const DEFAULT_CAP_USD = 2;

export const HELP = `npm run century [-- options]

Runs a tier of the Century Run: agents build, check and deliver dashboard cards, all at once.

  --tier N | N-M     ${TIERS.map((t) => `${t.tier}: ${t.sessions}`).join(", ")} sessions (default 3)
  --waves            the original's shape: never more than a wave at once (default: all at once)
  --model ID         sim/ordinary (default), sim/perfect, or a real one: google/gemini-… with its key in the environment
  --budget-usd X     most a real model may cost (default ${DEFAULT_CAP_USD}; needed together with --yes)
  --seed N --speed X simulator: seed, and times faster than a provider (default 1, 1)
  --yes              do not ask, do it
  --no-browser       leave the runtime gate out (it says so everywhere)
  --exit             end daemon and desktop afterwards
  --out DIR          where the report goes (default century-report/<time>)
  --json             print the result as JSON
`;

/** Throws AppError `bad_request` with what to do. */
export function parseOptions(args: readonly string[]): CenturyOptions | "help" {
  const { values, positionals } = read(args);
  if (values.help) return "help";
  if (positionals.length > 0)
    throw new AppError(
      "bad_request",
      `Unknown argument '${positionals[0]}'. Options begin with --, see npm run century -- --help.`,
    );
  return {
    tiers: parseTiers(values.tier ?? values.tiers ?? "3"),
    shape: values.waves === true ? "waves" : "burst",
    model: parseModel(values.model ?? DEFAULT_MODEL),
    seed: number("seed", values.seed, 1, (v) => Number.isInteger(v) && v >= 0),
    speed: number("speed", values.speed, 1, (v) => v > 0 && v <= 100),
    out: values.out,
    yes: values.yes === true,
    exit: values.exit === true,
    budgetUsd:
      values["budget-usd"] === undefined ? undefined : number("budget-usd", values["budget-usd"], 0, (v) => v > 0),
    browser: values["no-browser"] !== true,
    json: values.json === true,
  };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        tier: { type: "string" },
        tiers: { type: "string" },
        waves: { type: "boolean" },
        model: { type: "string" },
        seed: { type: "string" },
        speed: { type: "string" },
        out: { type: "string" },
        yes: { type: "boolean", short: "y" },
        exit: { type: "boolean" },
        "budget-usd": { type: "string" },
        "no-browser": { type: "boolean" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new AppError("bad_request", `${(error as Error).message.split("\n")[0]} See npm run century -- --help.`, {
      cause: error,
    });
  }
}

function parseTiers(text: string): number[] {
  const known = `Tiers are ${TIERS.map((t) => `${t.tier} (${t.sessions} sessions)`).join(", ")}; a range is written 1-5.`;
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  if (!match) throw new AppError("bad_request", `Unknown tier '${text}'. ${known}`);
  const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
  const tiers = TIERS.map((t) => t.tier).filter((t) => t >= from && t <= to);
  if (tiers.length !== to - from + 1) throw new AppError("bad_request", `Unknown tier '${text}'. ${known}`);
  return tiers;
}

function parseModel(text: string): string {
  if (!/^[a-z0-9-]+\/\S+$/i.test(text))
    throw new AppError("bad_request", `A model is named provider/model, for example ${DEFAULT_MODEL}, not '${text}'.`);
  return text;
}

function number(flag: string, text: string | undefined, fallback: number, valid: (v: number) => boolean): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (Number.isNaN(value) || !valid(value))
    throw new AppError("bad_request", `--${flag} does not take '${text}', see npm run century -- --help.`);
  return value;
}
