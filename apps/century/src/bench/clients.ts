/**
 * Four WebSocket clients in a process of their own, subscribed to every topic, live text included. Each keeps a
 * hash of every streamed text. Usage: clients.ts <api> <token>; commands on stdin: `report`, `reset`; one JSON
 * line per answer.
 */
import { createHash, type Hash } from "node:crypto";
import { createInterface } from "node:readline";
import { createApiClient, connectStream } from "@swarm/sync/client";

const CLIENTS = 4;
const [baseUrl, token] = process.argv.slice(2) as [string, string];
const api = createApiClient({ baseUrl, token });

interface Text {
  hash: Hash;
  length: number;
}

class Reader {
  texts = new Map<string, Text>();
  events = 0;
  live = 0;
  duplicates = 0;
  holes = 0;
  readonly last = new Map<string, number>();
  readonly stream = connectStream({
    api: () => api,
    topics: ["sessions", "session:*", "system"],
    onFrame: (frame) => {
      if (frame.type === "event") {
        this.events++;
        if (frame.seq <= (this.last.get(frame.topic) ?? 0)) this.duplicates++;
        this.last.set(frame.topic, frame.seq);
      } else if (frame.type === "live") {
        this.live++;
        const key = `${frame.session}/${frame.step}/${frame.stream}`;
        let text = this.texts.get(key);
        if (text === undefined || (frame.offset === 0 && text.length > 0)) {
          text = { hash: createHash("sha256"), length: 0 };
          this.texts.set(key, text);
        }
        if (frame.offset !== text.length) this.holes++;
        text.hash.update(frame.text);
        text.length += frame.text.length;
      }
    },
  });
  reset(): void {
    this.texts = new Map();
    this.events = 0;
    this.live = 0;
    this.duplicates = 0;
    this.holes = 0;
  }
  report(): unknown {
    const texts = Object.fromEntries(
      [...this.texts].map(([key, t]) => [key, { sha256: t.hash.copy().digest("hex"), length: t.length }]),
    );
    return {
      events: this.events,
      live: this.live,
      duplicates: this.duplicates,
      holes: this.holes,
      gaps: this.stream.gaps,
      texts,
    };
  }
}

const readers = Array.from({ length: CLIENTS }, () => new Reader());
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (line === "reset") for (const r of readers) r.reset();
  process.stdout.write(`${JSON.stringify(line === "report" ? readers.map((r) => r.report()) : { ok: true })}\n`);
});
lines.on("close", () => process.exit(0));
