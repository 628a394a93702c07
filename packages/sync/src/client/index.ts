/** sync/client: how a program or a page speaks to the daemon. No node: import; works in Node and in the browser. */
export { ApiError, createApiClient, type ApiClient, type ApiOptions, type PageQuery } from "./api.ts";
export { LiveTexts } from "./live-texts.ts";
export { connectStream, type StreamConnection, type StreamOptions, type StreamState } from "./stream.ts";
