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
  Problem,
  RecordPage,
  SessionPage,
  SessionSummary,
  SigningKey,
  Totals,
} from "@swarm/protocol";
import { AppError } from "@swarm/std";

/** What the daemon refused: its problem document. `code` and `fix` are stable. */
export class ApiError extends AppError {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.code, problem.detail === "" ? problem.title : problem.detail, {
      retry: problem.status >= 500 ? "later" : "after-fix",
    });
    this.name = "ApiError";
    this.problem = problem;
  }
}

export interface ApiOptions {
  /** Empty in a page served by the daemon: its own origin. */
  readonly baseUrl: string;
  readonly token: string;
}

export interface PageQuery {
  readonly after?: string;
  readonly limit?: number;
}

/** A client typed over every route. Rejects with ApiError when the daemon says no, with AppError `network` when it does not answer. */
export function createApiClient(options: ApiOptions) {
  const call = async (method: string, path: string, body?: unknown, key?: string): Promise<Response> => {
    const headers: Record<string, string> = { authorization: `Bearer ${options.token}` };
    if (body !== undefined || method === "POST") headers["content-type"] = "application/json";
    if (key !== undefined) headers["idempotency-key"] = key;
    let response: Response;
    try {
      response = await fetch(`${options.baseUrl}${path}`, {
        method,
        headers,
        ...(method === "POST" ? { body: JSON.stringify(body ?? {}) } : {}),
      });
    } catch (error) {
      throw new AppError("network", `The daemon does not answer at ${options.baseUrl || "its address"}.`, {
        retry: "later",
        cause: error,
      });
    }
    if (!response.ok) throw new ApiError(await problemOf(response));
    return response;
  };
  const get = async <T>(path: string): Promise<T> => (await (await call("GET", path)).json()) as T;
  const post = async <T>(path: string, body?: unknown, key?: string): Promise<T> =>
    (await (await call("POST", path, body, key)).json()) as T;
  const at = encodeURIComponent;
  return {
    baseUrl: options.baseUrl,
    token: options.token,
    status: () => get<DaemonStatus>("/v1/status"),
    diagnostics: () => get<Diagnostics>("/v1/diagnostics"),
    /** Starts peaks and loop figures anew; counters go on. */
    resetDiagnostics: () => post<{ ok: true }>("/v1/diagnostics/reset"),
    models: () => get<readonly ModelInfo[]>("/v1/models"),
    usage: () => get<Totals>("/v1/usage"),
    signingKey: () => get<SigningKey>("/v1/keys/signing"),
    createLoginCode: () => post<{ code: string }>("/v1/auth/codes"),
    rotateToken: () => post<{ token: string }>("/v1/tokens/rotate"),
    streamTicket: () => post<{ ticket: string }>("/v1/stream/tickets"),
    createSession: (body: CreateSession, key?: string) => post<CreatedSession>("/v1/sessions", body, key),
    sessions: (query: PageQuery & { readonly group?: string } = {}) =>
      get<SessionPage>(`/v1/sessions${queryOf(query)}`),
    session: (id: string) => get<SessionSummary>(`/v1/sessions/${at(id)}`),
    records: (id: string, query: { readonly after?: number; readonly limit?: number } = {}) =>
      get<RecordPage>(`/v1/sessions/${at(id)}/records${queryOf(query)}`),
    plan: (id: string) => get<Plan | null>(`/v1/sessions/${at(id)}/plan`),
    addMessage: (id: string, body: { readonly text: string }, key?: string) =>
      post<{ run: string }>(`/v1/sessions/${at(id)}/messages`, body, key),
    answer: (id: string, body: { readonly question: string; readonly answer: string }, key?: string) =>
      post<{ ok: true }>(`/v1/sessions/${at(id)}/answers`, body, key),
    cancel: (id: string) => post<{ cancelled: boolean }>(`/v1/sessions/${at(id)}/cancel`),
    seen: (id: string) => post<{ ok: true }>(`/v1/sessions/${at(id)}/seen`),
    cancelMany: (body: { readonly group?: string }) => post<{ cancelled: number }>("/v1/sessions/cancel", body),
    artifacts: (query: PageQuery = {}) => get<Page<ArtifactRow>>(`/v1/artifacts${queryOf(query)}`),
    artifact: (id: string) => get<ArtifactDetail>(`/v1/artifacts/${at(id)}`),
    artifactContent: async (id: string, revision?: number) =>
      (
        await call("GET", `/v1/artifacts/${at(id)}/content${queryOf(revision === undefined ? {} : { revision })}`)
      ).text(),
    /** A short-lived address of the artifact on its own origin, for a sandboxed frame. */
    artifactFrame: (id: string, body: { readonly revision?: number } = {}) =>
      post<{ url: string; expiresAt: number }>(`/v1/artifacts/${at(id)}/frames`, body),
    blob: async (sha256: string) => (await call("GET", `/v1/blobs/${at(sha256)}`)).blob(),
    text: async (sha256: string) => (await call("GET", `/v1/texts/${at(sha256)}`)).text(),
    stop: () => post<{ ok: true }>("/v1/daemon/stop"),
  };
}
export type ApiClient = ReturnType<typeof createApiClient>;

function queryOf(query: object): string {
  const pairs = Object.entries(query).filter(([, v]) => v !== undefined) as [string, string | number][];
  return pairs.length === 0 ? "" : `?${pairs.map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join("&")}`;
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const problem = (await response.json()) as Partial<Problem>;
    if (typeof problem.code === "string") return problem as Problem;
  } catch {
    // not a problem document: said below
  }
  return {
    type: "about:blank",
    title: `HTTP ${response.status}`,
    status: response.status,
    detail: "The address answered, but not as Swarm does.",
    code: "internal",
    fix: "Check the address.",
  };
}
