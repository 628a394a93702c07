import { AppError } from "@swarm/std";
import { findRunning, readToken, resolveHome, type RunFile } from "@swarm/launcher";
import { createApiClient, type ApiClient } from "@swarm/sync/client";

/** The daemon of this data directory and a client that speaks to it. Without one: AppError `no_daemon`. */
export function connect(): { api: ApiClient; daemon: RunFile; home: string; token: string } {
  const home = resolveHome();
  const daemon = findRunning(home);
  if (daemon === undefined) throw new AppError("no_daemon", `Run 'swarm up' first: no daemon runs for ${home}.`);
  const token = readToken(home);
  if (token === undefined)
    throw new AppError("no_daemon", `Run 'swarm down' and 'swarm up': the token file in ${home} cannot be read.`);
  return { api: createApiClient({ baseUrl: daemon.api, token }), daemon, home, token };
}
