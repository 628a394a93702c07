/**
 * server: the daemon's HTTP and WebSocket surface on loopback: addresses, tokens, routes, files, the artifacts' own
 * origin. Refuses to know: how anything is done; it hands commands and queries to ports.
 */
export type { HubDoor, ServerCommands, TokenDesk } from "./ports.ts";
export { startServer, type RunningServer, type ServerOptions } from "./server.ts";
