import type { DaemonStatus } from "@swarm/protocol";
import { silentLogger, type Logger } from "@swarm/std";
import { startServer, type HubDoor, type RunningServer, type ServerCommands, type TokenDesk } from "../index.ts";

export const TOKEN = "t".repeat(43);

/** A server over commands that only note that they were called. */
export async function fixture(
  options: {
    ready?: boolean;
    desktopDir?: string;
    commands?: Partial<ServerCommands>;
    hub?: HubDoor;
    logger?: Logger;
  } = {},
) {
  const called: string[] = [];
  const streams = new Set<string>();
  const frames = new Map<string, { artifact: string; revision: number }>();
  let code = "code1";
  const desk: TokenDesk = {
    check: (bearer) => (bearer === TOKEN ? "id" : undefined),
    rotate: () => TOKEN,
    createLoginCode: () => code,
    exchange: (given) => {
      if (given !== code) return undefined;
      code = "";
      return TOKEN;
    },
    createStreamTicket: () => {
      const ticket = `ticket${streams.size}`;
      streams.add(ticket);
      return ticket;
    },
    redeemStreamTicket: (ticket) => streams.delete(ticket),
    createFrameTicket: (target) => {
      frames.set("frame-ticket-0123456789", target);
      return { ticket: "frame-ticket-0123456789", expiresAt: Date.now() + 1000 };
    },
    frameOf: (ticket) => frames.get(ticket),
  };
  const note =
    <T>(name: string, value: T) =>
    () => {
      called.push(name);
      return value;
    };
  const commands: ServerCommands = {
    status: note("status", { pid: 1 } as unknown as DaemonStatus),
    diagnostics: note("diagnostics", {} as never),
    resetDiagnostics: note("resetDiagnostics", undefined),
    models: note("models", []),
    usage: note("usage", {} as never),
    signingKey: note("signingKey", { publicKey: "", fingerprint: "" }),
    createSession: async () => {
      called.push("createSession");
      return { session: "ses_1", run: "run_1" };
    },
    sessions: async () => ({ items: [], next: null }),
    session: async (id) => (id === "ses_1" ? ({ id } as never) : undefined),
    records: async () => ({ items: [], next: null }),
    plan: async () => undefined,
    addMessage: async () => ({ run: "run_1" }),
    answer: async () => {},
    cancel: async () => true,
    cancelMany: async () => {
      called.push("cancelMany");
      return 0;
    },
    seen: async () => {},
    artifacts: async () => ({ items: [], next: null }),
    artifact: async (id) => (id === "art_1" ? ({ id, revision: 2 } as never) : undefined),
    artifactContent: async () => Buffer.from("<!doctype html><title>card</title>"),
    blob: async (sha) => (sha === "abc" ? Buffer.from("secret") : undefined),
    stop: note("stop", undefined),
    ...options.commands,
  };
  const attached: string[] = [];
  const server: RunningServer = await startServer({
    addresses: { api: 0, desktop: 0, artifacts: 0 },
    host: "127.0.0.1",
    tokens: desk,
    commands,
    hub: options.hub ?? {
      attach: (socket) => {
        attached.push("client");
        socket.send(Buffer.from('[{"type":"welcome"}]'));
        return { message: (text) => attached.push(text), closed: () => attached.push("closed") };
      },
    },
    desktopDir: options.desktopDir,
    logger: options.logger ?? silentLogger,
    ready: () => options.ready ?? true,
  });
  return { server, called, attached, desk, [Symbol.asyncDispose]: () => server.close() };
}
