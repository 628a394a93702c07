import { PROTOCOL_VERSION, STREAM_SUBPROTOCOL, type ClientFrame, type ServerFrame } from "@swarm/protocol";
import { backoffMs } from "@swarm/std";
import { DaemonError, type DaemonLine, type LineEvents } from "./port.ts";

const RETRY_BASE_MS = 250;
const RETRY_CAP_MS = 5000;
const ACK_EVERY_MS = 1000;
/** No frame for this long on an open line: it is dead. The daemon sends a status every second. */
const SILENCE_MS = 5000;

/** One WebSocket with the protocol's frames; see `frames.ts` of the protocol. */
export function openLine(url: string, ticket: () => Promise<string>, events: LineEvents): DaemonLine {
  const topics = new Map<string, number | undefined>(); // topic → seq of its newest event
  let incarnation: string | undefined;
  let socket: WebSocket | undefined;
  let attempts = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let heard = 0;
  let acked = 0;
  let newest = 0;
  let closed = false;

  const send = (frame: ClientFrame): void => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };
  const subscribe = (topic: string): void => {
    const after = topics.get(topic);
    send(after === undefined ? { type: "subscribe", topic } : { type: "subscribe", topic, after });
  };

  function take(frame: ServerFrame): void {
    if (frame.type === "welcome") {
      if (incarnation !== frame.incarnation) for (const topic of topics.keys()) topics.set(topic, undefined);
      incarnation = frame.incarnation;
      for (const topic of topics.keys()) subscribe(topic);
    } else if (frame.type === "snapshot") {
      if (topics.has(frame.topic)) topics.set(frame.topic, frame.seq);
    } else if (frame.type === "event") {
      const last = topics.get(frame.topic);
      if (!topics.has(frame.topic) || (last !== undefined && frame.seq <= last)) return; // seen, or no longer wanted
      if (last !== undefined && frame.prev > last) {
        topics.set(frame.topic, undefined); // a hole: ask for the whole state
        return subscribe(frame.topic);
      }
      topics.set(frame.topic, frame.seq);
      newest = Math.max(newest, frame.seq);
    } else if (frame.type === "caught-up") newest = Math.max(newest, frame.seq);
    events.frame(frame);
  }

  async function open(): Promise<void> {
    events.link("connecting");
    try {
      const made = new WebSocket(url, [STREAM_SUBPROTOCOL, await ticket()]);
      socket = made;
      made.addEventListener("open", () => {
        attempts = 0;
        heard = performance.now();
        send({ type: "hello", version: PROTOCOL_VERSION, ...(incarnation === undefined ? {} : { incarnation }) });
        events.link("open");
      });
      made.addEventListener("message", (message) => {
        heard = performance.now();
        for (const frame of JSON.parse(String(message.data)) as ServerFrame[]) take(frame);
      });
      made.addEventListener("close", () => {
        if (socket === made) lost();
      });
    } catch (error) {
      if (!(error instanceof DaemonError) || error.code !== "unauthorized") return lost();
      closed = true; // another token is needed: trying again would only be counted against this page
      clearInterval(beat);
      events.link("refused");
    }
  }

  function lost(): void {
    socket = undefined;
    if (closed) return;
    events.link("lost");
    clearTimeout(retry);
    retry = setTimeout(() => void open(), backoffMs(attempts++, RETRY_BASE_MS, RETRY_CAP_MS, Math.random));
  }

  const beat = setInterval(() => {
    if (newest > acked) send({ type: "ack", seq: (acked = newest) });
    if (socket?.readyState === WebSocket.OPEN && performance.now() - heard > SILENCE_MS) {
      socket.close();
      lost();
    }
  }, ACK_EVERY_MS);

  void open();
  return {
    subscribe(topic) {
      topics.set(topic, undefined);
      if (incarnation !== undefined) subscribe(topic);
    },
    unsubscribe(topic) {
      topics.delete(topic);
      send({ type: "unsubscribe", topic });
    },
    retryNow() {
      if (socket !== undefined) return;
      clearTimeout(retry);
      attempts = 0;
      void open();
    },
    close() {
      closed = true;
      clearInterval(beat);
      clearTimeout(retry);
      socket?.close();
    },
  };
}
