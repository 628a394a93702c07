import { ApiError, createApiClient, type ApiClient } from "@swarm/sync/client";

/** The daemon's API over the page's own origin. */
export type DaemonApi = ApiClient & {
  /** The bytes as they are kept, for hashing: not decoded on the way. */
  artifactBytes(id: string, revision: number): Promise<Uint8Array>;
};

/** `onRefused`: the token is no longer good; asking again would only be counted against this page. */
export function createDaemonApi(token: string, onRefused: () => void): DaemonApi {
  const client = createApiClient({ baseUrl: "", token });
  return {
    ...client,
    async artifactBytes(id, revision) {
      const path = `/v1/artifacts/${encodeURIComponent(id)}/content?revision=${revision}`;
      const response = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
      if (!response.ok) throw new Error(`The daemon answered ${response.status} for this revision.`);
      return new Uint8Array(await response.arrayBuffer());
    },
    streamTicket: async () => {
      try {
        return await client.streamTicket();
      } catch (error) {
        if (error instanceof ApiError && error.code === "unauthorized") onRefused();
        throw error;
      }
    },
  };
}
