import type { DaemonStatus } from "@swarm/protocol";
import { PROTOCOL_VERSION } from "@swarm/protocol";
import type { CheckerProcess } from "@swarm/artifact";
import type { Journal } from "@swarm/journal";
import type { SessionHost } from "@swarm/session";
import type { Hub } from "@swarm/sync";
import type { RuntimeGauge } from "@swarm/telemetry";
import type { DaemonConfig } from "./config.ts";
import type { Simulator } from "./simulator.ts";
import { DAEMON_VERSION } from "./version.ts";

export interface StatusBoard {
  read(): DaemonStatus;
  serveAt(addresses: DaemonStatus["addresses"]): void;
  ability(ability: { readonly runtime: boolean; readonly reason: string }): void;
  draining(): void;
  readonly ready: boolean;
}

/** Puts the parts' own counters together; measures nothing itself. */
export function createStatus(parts: {
  config: DaemonConfig;
  journal: Journal;
  host: SessionHost;
  checker: CheckerProcess;
  gauge: RuntimeGauge;
  simulator: Simulator | undefined;
  hub: () => Hub;
}): StatusBoard {
  const { config, journal, host, checker, gauge, simulator } = parts;
  const startedAt = Date.now();
  let addresses: DaemonStatus["addresses"] = { api: "", desktop: "", artifacts: "" };
  let draining = false;
  let ability = config.runtimeGate
    ? { runtime: false, reason: "not looked at yet" }
    : { runtime: false, reason: "the runtime gate is switched off" };
  return {
    read() {
      const runtime = gauge.read();
      return {
        version: DAEMON_VERSION,
        protocol: PROTOCOL_VERSION,
        pid: process.pid,
        home: config.home,
        startedAt,
        uptimeS: process.uptime(),
        cursor: journal.cursor(),
        draining,
        store: journal.state(),
        sessions: host.counts(),
        admission: host.admission(),
        inFlight: host.inFlight(),
        totals: host.totals(),
        rssMib: runtime.rssMib,
        peakRssMib: runtime.peakRssMib,
        loopDelayP99Ms: runtime.loopDelayP99Ms,
        clients: parts.hub().stats().clients,
        checker: { ...ability, pids: checker.pids() },
        models: { default: config.defaultModel },
        simulatorPort: simulator?.port ?? null,
        addresses,
        degraded:
          config.runtimeGate && !ability.runtime && ability.reason !== "not looked at yet"
            ? [`runtime gate: ${ability.reason}`]
            : [],
      };
    },
    serveAt: (at) => (addresses = at),
    ability: (found) => (ability = found),
    draining: () => (draining = true),
    get ready() {
      return addresses.api !== "" && !draining;
    },
  };
}
