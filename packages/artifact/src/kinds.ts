import { AppError, isObject } from "@swarm/std";
import type { AnyRecord, Kind, Payloads } from "@swarm/protocol";
import { reduceArtifacts } from "./state.ts";

/** Artifacts by the time of their first revision. */
export const ARTIFACTS_INDEX = "artifacts";
/** The session that owns an artifact, by id. */
export const OWNERS_INDEX = "artifact-owners";

type IndexWrite = { readonly index: string; readonly key: string; readonly value: unknown };

function definition<K extends Kind>(
  kind: K,
  fields: Readonly<Record<string, "string" | "number" | "object">>,
  indexes?: (record: AnyRecord) => readonly IndexWrite[],
) {
  return {
    kind,
    schema(payload: unknown): Payloads[K] {
      if (!isObject(payload)) throw new AppError("bad_request", `${kind}: the payload is not an object`);
      for (const [name, type] of Object.entries(fields)) {
        const value = payload[name];
        if (type === "object" ? !isObject(value) : typeof value !== type)
          throw new AppError("bad_request", `${kind}: ${name} is not a valid ${type}`);
      }
      return payload as unknown as Payloads[K];
    },
    ...(indexes === undefined ? {} : { indexes }),
  };
}

export const artifactKinds = [
  definition(
    "artifact.revised",
    {
      artifact: "string",
      revision: "number",
      parent: "number",
      title: "string",
      sha256: "string",
      body: "object",
      call: "string",
      run: "string",
    },
    (record) => {
      if (record.kind !== "artifact.revised" || record.payload.revision !== 1) return [];
      const { artifact } = record.payload;
      return [
        {
          index: ARTIFACTS_INDEX,
          key: `${String(record.at).padStart(15, "0")}.${artifact}`,
          value: { session: record.session, artifact },
        },
        { index: OWNERS_INDEX, key: artifact, value: record.session },
      ];
    },
  ),
  definition("artifact.checked", { artifact: "string", revision: "number", report: "object" }),
  definition("artifact.published", { artifact: "string", revision: "number", provenance: "object" }),
] as const;

export const artifactProjections = [{ name: "artifacts", version: 1, reduce: reduceArtifacts }] as const;
