import type { Attached, Hub } from "../index.ts";

interface Said {
  readonly type: string;
  readonly seq?: number;
  readonly topic?: string;
  readonly after?: number;
}

/**
 * Stands for the network between `connectStream` and a hub: sockets that open a moment later, carry messages in order,
 * and can be cut or made to lose a message.
 */
export class Wire {
  readonly #hub: () => Hub;
  readonly #open = new Set<WireSocket>();
  tickets = 0;
  /** Refuses tickets with this. */
  refusal: Error | undefined;
  /** Decides per message to the client whether it is lost. */
  loses: (text: string) => boolean = () => false;
  /** What clients said. */
  readonly said: Said[] = [];

  constructor(hub: () => Hub) {
    this.#hub = hub;
  }

  readonly api = () => ({
    baseUrl: "http://127.0.0.1:1",
    streamTicket: async () => {
      this.tickets++;
      if (this.refusal !== undefined) throw this.refusal;
      return { ticket: `ticket${this.tickets}` };
    },
  });

  get WebSocket(): typeof globalThis.WebSocket {
    const end: WireEnd = {
      attach: (socket) => this.#attach(socket),
      said: (text) => void this.said.push(JSON.parse(text) as Said),
      closed: (socket) => void this.#open.delete(socket),
    };
    return class extends WireSocket {
      constructor() {
        super(end);
      }
    } as unknown as typeof globalThis.WebSocket;
  }

  cutAll(): void {
    for (const socket of this.#open) socket.close();
  }

  #attach(socket: WireSocket): Attached {
    this.#open.add(socket);
    return this.#hub().attach({
      send: (data) => {
        const text = Buffer.from(data).toString();
        if (this.loses(text)) return;
        setImmediate(() => {
          if (socket.readyState === 1) socket.onmessage?.({ data: text });
        });
      },
      bufferedAmount: 0,
      close: () => socket.close(),
    });
  }
}

interface WireEnd {
  attach(socket: WireSocket): Attached;
  said(text: string): void;
  closed(socket: WireSocket): void;
}

class WireSocket {
  readyState = 0;
  onopen: (() => void) | undefined;
  onmessage: ((event: { data: string }) => void) | undefined;
  onclose: ((event: { code: number; reason: string }) => void) | undefined;
  onerror: (() => void) | undefined;
  readonly #end: WireEnd;
  #attached: Attached | undefined;

  constructor(end: WireEnd) {
    this.#end = end;
    setImmediate(() => {
      if (this.readyState !== 0) return;
      this.readyState = 1;
      this.#attached = end.attach(this);
      this.onopen?.();
    });
  }
  send(text: string): void {
    this.#end.said(text);
    this.#attached?.message(text);
  }
  close(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#end.closed(this);
    this.#attached?.closed();
    setImmediate(() => this.onclose?.({ code: 1006, reason: "" }));
  }
}
