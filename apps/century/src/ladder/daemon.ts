import { AppError } from "@swarm/std";
import { answers, daemonCommand, ensureDaemon, findRunning, readToken, type RunFile } from "@swarm/launcher";
import { createApiClient, type ApiClient } from "@swarm/sync/client";

/** The daemon under test, from outside: started if need be, started again when it dies. */
export interface DaemonHandle {
  readonly started: boolean;
  /** Times it was found dead and started again. */
  restarts(): number;
  run(): RunFile;
  api(): ApiClient;
  /** Starts the daemon again when its process is gone. Cheap when it lives. */
  watch(): Promise<void>;
}

export async function openDaemon(options: {
  home: string;
  root: string;
  args: readonly string[];
  say: (line: string) => void;
}): Promise<DaemonHandle> {
  const command = daemonCommand(options.root);
  const start = () =>
    ensureDaemon({
      home: options.home,
      command,
      args: options.args,
      env: { ...process.env, SWARM_ROOT: options.root },
      say: options.say,
    });
  const first = await start();
  let run = first.daemon;
  let restarts = 0;
  let client = clientOf(run, options.home);
  return {
    started: first.started,
    restarts: () => restarts,
    run: () => run,
    api: () => client,
    async watch() {
      if (findRunning(options.home)?.pid === run.pid) return;
      restarts++;
      options.say("the daemon ended; starting it again, unfinished sessions go on from their last durable step");
      run = (await start()).daemon;
      client = clientOf(run, options.home);
      if (!(await answers(run))) throw new AppError("daemon_died", "The daemon ended again at once: see its log");
    },
  };
}

function clientOf(run: RunFile, home: string): ApiClient {
  return createApiClient({ baseUrl: run.api, token: readToken(home) ?? "" });
}
