import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { AppError } from "@swarm/std";
import { resolveHome } from "@swarm/launcher";
import type { ProviderConfig } from "@swarm/gateway";

/** Everything a daemon can be told. Flags only: the environment names the data directory and keys. */
export interface DaemonConfig {
  readonly home: string;
  readonly ports: { readonly api: number; readonly desktop: number; readonly artifacts: number };
  readonly defaultModel: string;
  readonly providers: readonly ProviderConfig[];
  /** Starts the model simulator as a child; false when a provider makes it unnecessary. */
  readonly simulator: {
    readonly on: boolean;
    readonly seed: number;
    readonly speed: number;
    readonly scenario: string | undefined;
  };
  readonly runtimeGate: boolean;
  readonly maxConcurrent: number | undefined;
  /** The checkout or package this daemon runs from: where checker, simulator and desktop are found. */
  readonly root: string;
}

const DEFAULT_PORTS = { api: 18080, desktop: 18081, artifacts: 18082 } as const;
const DEFAULT_MODEL = "sim/ordinary";

export function parseConfig(args: readonly string[], env: NodeJS.ProcessEnv): DaemonConfig {
  const { values } = readFlags(args);
  const providers = (values.provider ?? []).map(parseProvider);
  return {
    home: values.home ?? resolveHome(env),
    ports: {
      api: integer("api-port", values["api-port"], DEFAULT_PORTS.api, 0, 65_535),
      desktop: integer("desktop-port", values["desktop-port"], DEFAULT_PORTS.desktop, 0, 65_535),
      artifacts: integer("artifact-port", values["artifact-port"], DEFAULT_PORTS.artifacts, 0, 65_535),
    },
    defaultModel: values["default-model"] ?? DEFAULT_MODEL,
    providers,
    simulator: {
      on: values["no-sim"] !== true,
      seed: integer("sim-seed", values["sim-seed"], 1, 0, 2 ** 31),
      speed: positive("sim-speed", values["sim-speed"], 1),
      scenario: values["sim-scenario"],
    },
    runtimeGate: values["no-runtime-gate"] !== true,
    maxConcurrent:
      values["max-concurrent"] === undefined
        ? undefined
        : integer("max-concurrent", values["max-concurrent"], 0, 1, 100_000),
    root: findRoot(env),
  };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        home: { type: "string" },
        "api-port": { type: "string" },
        "desktop-port": { type: "string" },
        "artifact-port": { type: "string" },
        "default-model": { type: "string" },
        provider: { type: "string", multiple: true },
        "no-sim": { type: "boolean" },
        "sim-seed": { type: "string" },
        "sim-speed": { type: "string" },
        "sim-scenario": { type: "string" },
        "no-runtime-gate": { type: "boolean" },
        "max-concurrent": { type: "string" },
      },
    });
  } catch (error) {
    throw new AppError("bad_request", `${(error as Error).message}. See 'swarm up --help'.`, { cause: error });
  }
}

function parseProvider(text: string): ProviderConfig {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError(
      "bad_request",
      `--provider takes JSON: {"name","wire":"gemini"|"chat","baseURL","keyEnv"?}, not ${text.slice(0, 80)}`,
      { cause: error },
    );
  }
  const p = value as Partial<ProviderConfig>;
  if (
    typeof p.name !== "string" ||
    (p.wire !== "gemini" && p.wire !== "chat") ||
    typeof p.baseURL !== "string" ||
    !URL.canParse(p.baseURL)
  ) {
    throw new AppError(
      "bad_request",
      `--provider needs name, wire ("gemini" or "chat") and a baseURL, got ${text.slice(0, 200)}`,
    );
  }
  return p as ProviderConfig;
}

function integer(flag: string, text: string | undefined, fallback: number, min: number, max: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new AppError("bad_request", `--${flag} takes a whole number from ${min} to ${max}, not '${text}'`);
  return value;
}

function positive(flag: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!(value > 0) || value > 1000)
    throw new AppError("bad_request", `--${flag} takes a number above 0 and up to 1000, not '${text}'`);
  return value;
}

/** The bundle and the sources lie at different depths of the same tree. */
function findRoot(env: NodeJS.ProcessEnv): string {
  if (env["SWARM_ROOT"]) return env["SWARM_ROOT"];
  for (let dir = import.meta.dirname; dir !== dirname(dir); dir = dirname(dir)) {
    const file = join(dir, "package.json");
    if (existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { name?: string }).name === "swarm") return dir;
  }
  throw new AppError("bad_request", "Cannot find the folder Swarm was installed in: set SWARM_ROOT");
}
