import type {
  ArtifactDetail,
  ArtifactRow,
  CreatedSession,
  CreateSession,
  DaemonStatus,
  Diagnostics,
  ModelInfo,
  Page,
  Plan,
  RecordPage,
  SessionPage,
  SessionSummary,
  SigningKey,
  Totals,
} from "@swarm/protocol";

/** What the daemon does for the server. Each may reject with AppError: its code decides the answer. */
export interface ServerCommands {
  status(): DaemonStatus;
  diagnostics(): Diagnostics;
  resetDiagnostics(): void;
  models(): readonly ModelInfo[];
  usage(): Totals;
  signingKey(): SigningKey;
  createSession(body: CreateSession, actor: string, key: string): Promise<CreatedSession>;
  sessions(o: { readonly after?: string; readonly limit: number; readonly group?: string }): Promise<SessionPage>;
  session(id: string): Promise<SessionSummary | undefined>;
  records(id: string, o: { readonly after?: number; readonly limit: number }): Promise<RecordPage>;
  plan(id: string): Promise<Plan | undefined>;
  addMessage(id: string, text: string, actor: string, key: string): Promise<{ run: string }>;
  answer(id: string, question: string, answer: string, actor: string, key: string): Promise<void>;
  cancel(id: string, actor: string): Promise<boolean>;
  cancelMany(o: { readonly group?: string }, actor: string): Promise<number>;
  seen(id: string, actor: string): Promise<void>;
  artifacts(o: { readonly after?: string; readonly limit: number }): Promise<Page<ArtifactRow>>;
  artifact(id: string): Promise<ArtifactDetail | undefined>;
  artifactContent(id: string, revision?: number): Promise<Uint8Array | undefined>;
  blob(sha256: string): Promise<Uint8Array | undefined>;
  stop(): void;
}

/** Who may speak: tokens, codes and tickets. */
export interface TokenDesk {
  /** The token's id when it is right; in constant time. */
  check(bearer: string): string | undefined;
  rotate(): string;
  createLoginCode(): string;
  exchange(code: string): string | undefined;
  createStreamTicket(): string;
  redeemStreamTicket(ticket: string): boolean;
  createFrameTicket(target: { readonly artifact: string; readonly revision: number }): {
    ticket: string;
    expiresAt: number;
  };
  frameOf(ticket: string): { readonly artifact: string; readonly revision: number } | undefined;
}

export interface HubDoor {
  attach(socket: {
    send(data: Uint8Array): void;
    readonly bufferedAmount: number;
    close(code?: number, reason?: string): void;
  }): { message(text: string): void; closed(): void };
}
