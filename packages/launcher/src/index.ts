/**
 * launcher: how a client on this machine finds, starts and stops the daemon of a data directory. Refuses to know
 * what the daemon does: it reads the run file, follows the start and watches the process.
 */
export { answers, daemonCommand, ensureDaemon, stopDaemon, type StartOptions } from "./daemon.ts";
export {
  findRunning,
  logPath,
  readToken,
  resolveHome,
  runFilePath,
  startTicksOf,
  tokenPath,
  type RunFile,
} from "./home.ts";
