import type { ServerFrame } from "@swarm/protocol";
import { connectStream, type StreamConnection } from "@swarm/sync/client";
import type { DaemonApi } from "./api.ts";

export type LinkState = "connecting" | "open" | "lost" | "refused";

export interface Line {
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** Connects anew at once, with whole states: for a person who does not want to wait, and for a line that fell silent. */
  renew(): void;
  close(): void;
}

export interface LineEvents {
  frame(frame: ServerFrame): void;
  link(state: "open" | "lost"): void;
}

/** The stream as the page uses it: topics outlive a connection that is given up by hand. */
export function openLine(api: DaemonApi, events: LineEvents): Line {
  const topics = new Set<string>();
  let connection = connect();
  function connect(): StreamConnection {
    return connectStream({
      api: () => api,
      topics: [...topics],
      onFrame: (frame) => events.frame(frame),
      onState: (state) => {
        if (state === "open" || state === "lost") events.link(state);
      },
    });
  }
  return {
    subscribe(topic) {
      topics.add(topic);
      connection.subscribe(topic);
    },
    unsubscribe(topic) {
      topics.delete(topic);
      connection.unsubscribe(topic);
    },
    renew() {
      connection.close();
      connection = connect();
    },
    close: () => connection.close(),
  };
}
