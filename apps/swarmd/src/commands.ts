import type { ArtifactService } from "@swarm/artifact";
import type { Gateway } from "@swarm/gateway";
import type { Journal } from "@swarm/journal";
import type { Signer } from "@swarm/security";
import type { ServerCommands } from "@swarm/server";
import type { SessionHost } from "@swarm/session";
import type { Hub } from "@swarm/sync";
import type { RuntimeGauge } from "@swarm/telemetry";
import type { StatusBoard } from "./status.ts";

/** The server's commands and queries, each handed to the part that owns it. */
export function createCommands(parts: {
  host: SessionHost;
  journal: Journal;
  artifacts: ArtifactService;
  gateway: Gateway;
  signer: Signer;
  status: StatusBoard;
  gauge: RuntimeGauge;
  hub: () => Hub;
  stop: () => void;
}): ServerCommands {
  const { host, journal, artifacts, gateway, signer, status, gauge } = parts;
  return {
    status: () => status.read(),
    diagnostics: () => {
      const errors = host.errors();
      return {
        journal: journal.stats(),
        sync: parts.hub().stats(),
        runtime: gauge.read(),
        sessions: { maxInFlight: host.maxInFlight(), internalErrors: errors["internal"] ?? 0, errors },
      };
    },
    resetDiagnostics: () => gauge.reset(),
    models: () => gateway.models(),
    usage: () => host.totals(),
    signingKey: () => ({
      publicKey: Buffer.from(signer.publicKey).toString("base64"),
      fingerprint: signer.fingerprint,
    }),
    createSession: (body, actor, key) => host.create(body, actor, key),
    sessions: (o) => host.list(o),
    session: (id) => host.summary(id),
    async records(id, o) {
      const items = await journal.records(id, o);
      return { items, next: items.length === o.limit ? String(items.at(-1)!.rev) : null };
    },
    plan: (id) => host.get(id),
    addMessage: (id, text, actor, key) => host.addMessage(id, text, actor, key),
    answer: (id, question, answer, actor, key) => host.answer(id, question, answer, actor, key),
    cancel: (id, actor) => host.cancel(id, actor),
    cancelMany: (o, actor) => host.cancelMany(o, actor),
    seen: (id, actor) => host.seen(id, actor),
    artifacts: (o) => artifacts.rows(o),
    artifact: (id) => artifacts.detail(id),
    artifactContent: (id, revision) => artifacts.content(id, revision),
    blob: (sha256) => journal.readBlob(sha256),
    stop: () => parts.stop(),
  };
}
