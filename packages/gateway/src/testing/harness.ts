import type { ModelRequest, StreamPart } from "@swarm/protocol/ports";
import type { ToolSpec, Usage } from "@swarm/protocol";
import { silentLogger, systemClock, type Clock } from "@swarm/std";
import type { ProviderConfig } from "../config.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../gateway.ts";

export const TOOLS: readonly ToolSpec[] = [
  {
    name: "write",
    description: "Writes a file.",
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, text: { type: "string" } },
      required: ["path"],
      additionalProperties: false,
    },
  },
  {
    name: "read",
    description: "Reads a file.",
    parameters: { additionalProperties: false, type: "object", properties: { path: { type: "string" } } },
  },
];

export function prompt(over: Partial<ModelRequest> = {}): ModelRequest {
  return { system: "You build.", tools: TOOLS, messages: [{ role: "user", text: "Go." }], session: "ses_1", ...over };
}

export function gatewayFor(
  origin: string,
  over: Partial<GatewayOptions> = {},
  config: Partial<ProviderConfig> = {},
): Gateway {
  return createGateway({
    providers: [
      { name: "c", wire: "chat", baseURL: `${origin}/v1`, ...config },
      { name: "g", wire: "gemini", baseURL: `${origin}/v1beta`, ...config },
    ],
    env: {},
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    ...over,
  });
}

export interface Told {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly {
    readonly name: string;
    readonly args: string;
    readonly id: string;
    readonly signature?: string;
  }[];
  readonly finish: string;
  readonly usage: Usage | undefined;
  readonly error: string;
  readonly parts: readonly StreamPart[];
  readonly batches: number;
}

/** Everything a stream told, folded; checks the port's own laws on the way. */
export async function tell(stream: AsyncIterable<readonly StreamPart[]>): Promise<Told> {
  const parts: StreamPart[] = [];
  let batches = 0;
  for await (const batch of stream) {
    if (batch.length === 0) throw new Error("an empty batch");
    batches++;
    parts.push(...batch);
  }
  const args = new Map<number, string>();
  const told = {
    text: "",
    reasoning: "",
    calls: [] as { name: string; args: string; id: string; signature?: string }[],
    finish: "",
    usage: undefined as Usage | undefined,
    error: "",
  };
  parts.forEach((part, i) => {
    switch (part.type) {
      case "text-delta":
        told.text += part.text;
        break;
      case "reasoning-delta":
        told.reasoning += part.text;
        break;
      case "tool-call-delta":
        args.set(part.index, (args.get(part.index) ?? "") + part.args);
        break;
      case "tool-call-end":
        if ((args.get(part.index) ?? "") !== part.args) throw new Error("the deltas are not the call's arguments");
        told.calls.push({
          name: part.name,
          args: part.args,
          id: part.id,
          ...(part.signature === undefined ? {} : { signature: part.signature }),
        });
        break;
      case "finish":
        told.finish = part.reason;
        told.usage = part.usage;
        break;
      case "error":
        told.error = part.code;
        break;
      default:
        break;
    }
    if ((part.type === "finish" || part.type === "error") !== (i === parts.length - 1))
      throw new Error("not exactly one terminal part, last");
  });
  return { ...told, parts, batches };
}

/** A clock that stands still until a sleep is due; `sleep` hands out time in order. */
export class SimTime {
  #now = 0;
  #sleepers: { at: number; wake: () => void }[] = [];
  readonly clock: Clock = { now: () => 1_700_000_000_000 + this.#now, monotonic: () => this.#now };

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal.addEventListener("abort", () => {
        this.#sleepers = this.#sleepers.filter((s) => s !== sleeper);
        reject(signal.reason as Error);
      });
    });

  get sleeping(): number {
    return this.#sleepers.length;
  }
  advance(ms: number): void {
    this.#now += ms;
  }
  /** Wakes the next sleeper at its time; false when none sleeps. */
  step(): boolean {
    const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
    if (!next) return false;
    this.#sleepers = this.#sleepers.filter((s) => s !== next);
    this.#now = Math.max(this.#now, next.at);
    next.wake();
    return true;
  }
}
