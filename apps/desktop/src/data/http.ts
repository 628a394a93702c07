import type { Problem } from "@swarm/protocol";
import { DaemonError, type DaemonApi } from "./port.ts";

/** The API over the page's own origin, with the token as a bearer. `onRefused`: the token is no longer good. */
export function createHttpApi(token: string, onRefused: () => void): DaemonApi & { ticket(): Promise<string> } {
  async function call(method: string, path: string, body?: unknown, key?: string): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (method === "POST") headers["content-type"] = "application/json";
    if (key !== undefined) headers["idempotency-key"] = key;
    const init: RequestInit = { method, headers };
    if (method === "POST") init.body = JSON.stringify(body ?? {});
    const response = await fetch(path, init).catch(() => {
      throw new DaemonError("unreachable", "The daemon does not answer.", "Start it with `swarm up`.");
    });
    if (response.ok) return response;
    if (response.status === 401) onRefused();
    throw await problemOf(response);
  }
  const get = async <T>(path: string): Promise<T> => (await call("GET", path)).json() as Promise<T>;
  const post = async (path: string, body?: unknown): Promise<void> => {
    await call("POST", path, body, crypto.randomUUID());
  };
  const id = encodeURIComponent;
  return {
    models: async () => listOf(await get("/v1/models")),
    createSession: async (input, key) => (await call("POST", "/v1/sessions", input, key)).json() as Promise<never>,
    addMessage: (session, text) => post(`/v1/sessions/${id(session)}/messages`, { text }),
    answer: (session, question, answer) => post(`/v1/sessions/${id(session)}/answers`, { question, answer }),
    cancel: (session) => post(`/v1/sessions/${id(session)}/cancel`),
    seen: (session) => post(`/v1/sessions/${id(session)}/seen`),
    artifacts: (after) => get(`/v1/artifacts?limit=200${after === undefined ? "" : `&after=${id(after)}`}`),
    artifact: (artifact) => get(`/v1/artifacts/${id(artifact)}`),
    artifactContent: async (artifact, revision) =>
      new Uint8Array(
        await (await call("GET", `/v1/artifacts/${id(artifact)}/content?revision=${revision}`)).arrayBuffer(),
      ),
    frame: async (artifact, revision) =>
      (
        await call("POST", `/v1/artifacts/${id(artifact)}/frames`, revision === undefined ? {} : { revision })
      ).json() as Promise<never>,
    signingKey: () => get("/v1/keys/signing"),
    blob: async (hash) =>
      new Blob([await (await call("GET", `/v1/blobs/${id(hash)}`)).arrayBuffer()], { type: "image/png" }),
    text: async (hash) => (await call("GET", `/v1/texts/${id(hash)}`)).text(),
    ticket: async () => ((await (await call("POST", "/v1/stream/tickets")).json()) as { ticket: string }).ticket,
  };
}

function listOf<T>(
  answer: readonly T[] | { readonly items: readonly T[] } | { readonly models: readonly T[] },
): readonly T[] {
  if (Array.isArray(answer)) return answer as readonly T[];
  return "items" in answer ? answer.items : (answer as { models: readonly T[] }).models;
}

async function problemOf(response: Response): Promise<DaemonError> {
  try {
    const problem = (await response.json()) as Partial<Problem>;
    return new DaemonError(
      problem.code ?? "internal",
      problem.detail ?? problem.title ?? response.statusText,
      problem.fix ?? "",
    );
  } catch {
    return new DaemonError("internal", `HTTP ${response.status}`, "");
  }
}
