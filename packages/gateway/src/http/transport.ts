import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { proxyFor, type Env } from "./route.ts";

/**
 * One keep-alive agent per origin, without a cap on sockets (limits are the gateway's, named and per provider). Extra
 * certificate authorities come from NODE_EXTRA_CA_CERTS, which Node reads itself.
 */
export class Transport {
  readonly #env: Env;
  readonly #agents = new Map<string, HttpAgent>();

  constructor(env: Env) {
    this.#env = env;
  }

  post(
    url: URL,
    headers: Record<string, string>,
    body: string,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest {
    const bytes = Buffer.from(body, "utf8");
    const options = {
      method: "POST",
      agent: this.#agent(url),
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": bytes.length,
        accept: "text/event-stream",
        "accept-encoding": "identity",
        "user-agent": "swarm",
      },
    };
    const outgoing =
      url.protocol === "https:" ? httpsRequest(url, options, onResponse) : httpRequest(url, options, onResponse);
    outgoing.end(bytes);
    return outgoing;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agent(url: URL): HttpAgent {
    let agent = this.#agents.get(url.origin);
    if (!agent) {
      const proxyEnv = proxyFor(url, this.#env);
      const options = { keepAlive: true, maxSockets: Infinity, ...(proxyEnv === undefined ? {} : { proxyEnv }) };
      agent = url.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
      this.#agents.set(url.origin, agent);
    }
    return agent;
  }
}
