/**
 * sync: from the journal to every client: topics, fanout, replay, backpressure. Refuses to know: sockets, routes,
 * who may listen.
 */
export { createHub, Hub, type Attached } from "./hub.ts";
export type { HubOptions, HubSessions, HubSocket, HubSource } from "./ports.ts";
