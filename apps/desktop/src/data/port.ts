import type {
  ArtifactDetail,
  ArtifactRow,
  CreateSession,
  CreatedSession,
  ModelInfo,
  Page,
  ServerFrame,
  SigningKey,
} from "@swarm/protocol";

/** What the desktop asks of a daemon. Errors are `DaemonError` with the problem's own words. */
export interface DaemonApi {
  models(): Promise<readonly ModelInfo[]>;
  createSession(input: CreateSession, key: string): Promise<CreatedSession>;
  addMessage(session: string, text: string): Promise<void>;
  answer(session: string, question: string, answer: string): Promise<void>;
  cancel(session: string): Promise<void>;
  seen(session: string): Promise<void>;
  artifacts(after: string | undefined): Promise<Page<ArtifactRow>>;
  artifact(id: string): Promise<ArtifactDetail>;
  artifactContent(id: string, revision: number): Promise<Uint8Array>;
  frame(artifact: string, revision: number | undefined): Promise<{ readonly url: string; readonly expiresAt: number }>;
  signingKey(): Promise<SigningKey>;
  /** A picture (PNG) by hash. */
  blob(hash: string): Promise<Blob>;
  text(hash: string): Promise<string>;
}

export type LinkState = "connecting" | "open" | "lost" | "refused";

/** The realtime line. It reconnects and resumes by itself; frames come once and in order per topic. */
export interface DaemonLine {
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** Tries at once instead of waiting for the next attempt. */
  retryNow(): void;
  close(): void;
}

export interface LineEvents {
  frame(frame: ServerFrame): void;
  link(state: LinkState): void;
}

export class DaemonError extends Error {
  readonly code: string;
  readonly fix: string;
  constructor(code: string, message: string, fix: string) {
    super(message);
    this.name = "DaemonError";
    this.code = code;
    this.fix = fix;
  }
}
