import type { CheckReport } from "@swarm/protocol";
import { isObject } from "@swarm/std";

/** Lines from the daemon. */
export type Order =
  | {
      readonly id: number;
      readonly type: "check";
      readonly html: string;
      readonly stages: readonly ("static" | "runtime")[];
    }
  | { readonly id: number; readonly type: "ability" }
  | { readonly id: number; readonly type: "ping" }
  | { readonly id: number; readonly type: "cancel" };

/** Lines to the daemon. */
export type Answer =
  | {
      readonly id: number;
      readonly type: "result";
      readonly report: CheckReport;
      readonly stills: readonly WireStill[];
    }
  | { readonly id: number; readonly type: "ability"; readonly runtime: boolean; readonly reason: string }
  | { readonly id: number; readonly type: "pong" }
  | { readonly id: number; readonly type: "failed"; readonly message: string };

export interface WireStill {
  readonly timeMs: number;
  readonly width: number;
  readonly height: number;
  /** Base64. */
  readonly png: string;
}

/** Undefined for a line that is no order: the daemon and the checker are of one version, so it is only logged. */
export function parseOrder(line: string): Order | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value["id"] !== "number") return undefined;
  const id = value["id"];
  const type = value["type"];
  if (type === "ability" || type === "cancel" || type === "ping") return { id, type };
  if (type !== "check" || typeof value["html"] !== "string" || !Array.isArray(value["stages"])) return undefined;
  const stages = (["static", "runtime"] as const).filter((stage) => (value["stages"] as unknown[]).includes(stage));
  return { id, type: "check", html: value["html"], stages };
}
