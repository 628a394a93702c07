import type { CommittedRecord } from "@swarm/journal";
import type { AnyRecord, Cursor, DaemonStatus, LiveText, SessionPage, SessionSummary } from "@swarm/protocol";

/** The journal's read side. */
export interface HubSource {
  readonly incarnation: string;
  cursor(): Cursor;
  records(
    session: string,
    options: { readonly after?: number /* rev */; readonly limit: number },
  ): Promise<AnyRecord[]>;
  /** In global order, those with a seq above `seq`. */
  recordsSince(seq: number, limit: number): Promise<AnyRecord[]>;
  /** In seq order, after they are durable. A read may see a record before this tells of it. */
  onCommit(listener: (batch: readonly CommittedRecord[]) => void): () => void;
}

/** What sessions look like now, and the text that streams. */
export interface HubSessions {
  /** In order of creation. `after`: the `next` of the page before. */
  list(o: { readonly after?: string; readonly limit: number }): Promise<SessionPage>;
  /** Absent: a client that was away is given all sessions anew instead of those that changed. */
  summary?(session: string): Promise<SessionSummary | undefined>;
  /** Each new summary once, in the order of its newest record's seq. */
  onSummary(listener: (summary: SessionSummary) => void): () => void;
  /** Pieces of one stream in order. */
  onLive(listener: (live: LiveText) => void): () => void;
  /** What streams now, from offset 0: the pieces that `onLive` tells next continue it. */
  liveTexts(session: string): readonly LiveText[];
}

/** One client's socket, whatever carries it. `send` never blocks; what it could not send yet is `bufferedAmount` bytes. */
export interface HubSocket {
  /** UTF-8 of a JSON array of server frames. The bytes are shared with other sockets: read, never written. */
  send(data: Uint8Array): void;
  readonly bufferedAmount: number;
  close(code?: number, reason?: string): void;
}

export interface HubOptions {
  readonly source: HubSource;
  readonly sessions: HubSessions;
  status(): DaemonStatus;
}
