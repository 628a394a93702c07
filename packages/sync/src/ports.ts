import type { AnyRecord, Cursor, DaemonStatus, LiveText, SessionPage, SessionSummary } from "@swarm/protocol";
import type { CommittedRecord } from "@swarm/journal";

/** The journal's read side. */
export interface HubSource {
  readonly incarnation: string;
  cursor(): Cursor;
  records(session: string, options: { readonly after?: number; readonly limit: number }): Promise<AnyRecord[]>;
  recordsSince(seq: number, limit: number): Promise<AnyRecord[]>;
  onCommit(listener: (batch: readonly CommittedRecord[]) => void): () => void;
}

export interface HubSessions {
  list(o: { after?: string; limit: number }): Promise<SessionPage>;
  onSummary(listener: (summary: SessionSummary) => void): () => void;
  onLive(listener: (live: LiveText) => void): () => void;
  liveTexts(session: string): readonly LiveText[];
}

/** One client's socket, whatever carries it. `send` never blocks; what it could not send yet is `bufferedAmount` bytes. */
export interface HubSocket {
  send(data: Uint8Array): void;
  readonly bufferedAmount: number;
  close(code?: number, reason?: string): void;
}

export interface HubOptions {
  readonly source: HubSource;
  readonly sessions: HubSessions;
  status(): DaemonStatus;
}
