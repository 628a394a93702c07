import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { profileTools } from "@swarm/agent";
import { artifactKinds, artifactProjections, createArtifactService, createCheckerProcess } from "@swarm/artifact";
import { createGateway } from "@swarm/gateway";
import { openJournal } from "@swarm/journal";
import { runFilePath, startTicksOf, type RunFile } from "@swarm/launcher";
import { openSigner, openTokens, signProvenance } from "@swarm/security";
import { startServer } from "@swarm/server";
import { openSessionHost, sessionKinds, sessionProjections } from "@swarm/session";
import { systemClock, type Logger } from "@swarm/std";
import { createHub } from "@swarm/sync";
import { RuntimeGauge } from "@swarm/telemetry";
import { createToolRunner } from "@swarm/tools";
import { createCommands } from "./commands.ts";
import type { DaemonConfig } from "./config.ts";
import { allowAll } from "./permission.ts";
import { startSimulator } from "./simulator.ts";
import { createStatus } from "./status.ts";
import { DAEMON_VERSION } from "./version.ts";

export interface Daemon {
  readonly addresses: { readonly api: string; readonly desktop: string; readonly artifacts: string };
  onStopRequested(listener: () => void): void;
  stop(reason: string, timeoutMs: number): Promise<void>;
}

/** Names every adapter once. What is opened is closed in reverse order, also when a later part does not open. */
export async function openDaemon(config: DaemonConfig): Promise<Daemon> {
  await using stack = new AsyncDisposableStack();
  const logger = lineLogger();
  const clock = systemClock;
  const gauge = stack.use(new RuntimeGauge());
  const journal = stack.use(
    await openJournal({
      home: config.home,
      kinds: [...sessionKinds, ...artifactKinds],
      projections: [...sessionProjections, ...artifactProjections],
      clock,
      logger,
    }),
  );
  const signer = openSigner(config.home);
  const tokens = openTokens(config.home, () => clock.monotonic());
  const simulator = config.simulator.on
    ? stack.use(
        await startSimulator({
          command: [
            process.execPath,
            "--disable-warning=ExperimentalWarning",
            join(config.root, "apps/modelsim/src/main.ts"),
          ],
          ...config.simulator,
          logger,
        }),
      )
    : undefined;
  const gateway = createGateway({
    providers: [...simulatorProviders(simulator?.port), ...config.providers],
    env: process.env,
    clock,
    random: Math.random,
    logger,
  });
  const checker = stack.use(
    createCheckerProcess({
      command: [
        process.execPath,
        "--disable-warning=ExperimentalWarning",
        join(config.root, "apps/checker/src/main.ts"),
        ...(config.runtimeGate ? [] : ["--no-runtime"]),
      ],
      logger,
      memoryMib: CHECKER_MEMORY_MIB,
    }),
  );
  const artifacts = createArtifactService({
    journal,
    checker,
    signProvenance: (statement) => signProvenance(signer, statement),
    clock,
    policy: { runtime: config.runtimeGate },
  });
  const host = stack.use(
    await openSessionHost({
      journal,
      models: gateway,
      tools: () => tools,
      clock,
      logger,
      limits: config.maxConcurrent === undefined ? {} : { maxConcurrent: config.maxConcurrent },
      defaultModel: config.defaultModel,
      version: DAEMON_VERSION,
    }),
  );
  const tools = createToolRunner({
    artifacts,
    plans: host,
    questions: host,
    permission: allowAll,
    profiles: profileTools(),
  });
  const status = createStatus({ config, journal, host, checker, gauge, simulator, hub: () => hub });
  const hub = stack.use(createHub({ source: journal, sessions: host, status: () => status.read() }));
  let requestStop = (): void => {};
  const commands = createCommands({
    host,
    journal,
    artifacts,
    gateway,
    signer,
    status,
    gauge,
    hub: () => hub,
    stop: () => requestStop(),
  });
  const server = await startServer({
    addresses: config.ports,
    host: "127.0.0.1",
    tokens,
    commands,
    hub,
    desktopDir: join(config.root, "apps/desktop/dist"),
    logger,
    ready: () => status.ready,
  });
  stack.defer(() => server.close());
  await host.start();
  status.serveAt(server.addresses);
  if (config.runtimeGate) void checker.ability().then((found) => status.ability(found));
  const runFile: RunFile = {
    pid: process.pid,
    startTicks: startTicksOf(process.pid) ?? 0,
    version: DAEMON_VERSION,
    ...server.addresses,
  };
  writeFileSync(runFilePath(config.home), `${JSON.stringify(runFile)}\n`, { mode: 0o600 });
  stack.defer(() => rmSync(runFilePath(config.home), { force: true }));
  const owned = stack.move();
  return {
    addresses: server.addresses,
    onStopRequested: (listener) => (requestStop = listener),
    async stop(reason, timeoutMs) {
      logger.log("info", `stopping: ${reason}`);
      status.draining();
      await host.drain(timeoutMs);
      await owned.disposeAsync();
    },
  };
}

/** Parsers and the browser driver need about 150 MiB; above this the checker is restarted. */
const CHECKER_MEMORY_MIB = 1024;

function simulatorProviders(port: number | undefined) {
  if (port === undefined) return [];
  const shared = { simulated: true, pricedAs: "gemini-3.6-flash" } as const;
  return [
    { name: "sim", wire: "gemini", baseURL: `http://127.0.0.1:${port}/v1beta`, ...shared },
    { name: "sim-chat", wire: "chat", baseURL: `http://127.0.0.1:${port}/v1`, ...shared },
  ] as const;
}

function lineLogger(): Logger {
  return {
    log(level, message, fields) {
      if (level === "debug") return;
      process.stderr.write(
        `${new Date().toISOString()} ${level} ${message}${fields ? ` ${JSON.stringify(fields)}` : ""}\n`,
      );
    },
  };
}
