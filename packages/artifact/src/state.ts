import type { AnyRecord, ArtifactState, BlobRef, CheckReport, Provenance, Still } from "@swarm/protocol";

export interface Revision {
  readonly revision: number;
  readonly parent: number;
  readonly sha256: string;
  readonly body: BlobRef;
  readonly parts: readonly string[];
  readonly at: number;
  /** The tool call that wrote it. */
  readonly call: string;
  readonly report: CheckReport | null;
  readonly stills: readonly Still[];
}

export interface Artifact {
  readonly id: string;
  readonly title: string;
  readonly revisions: readonly Revision[];
  readonly state: ArtifactState;
  readonly provenance: Provenance | null;
}

/** The artifacts of one session, by id. */
export type ArtifactsState = Readonly<Record<string, Artifact>>;

/** draft ─checked─▶ ready │ rejected ─published─▶ published; a new revision is a draft again. */
export function reduceArtifacts(state: ArtifactsState | undefined, record: AnyRecord): ArtifactsState {
  const now = state ?? {};
  switch (record.kind) {
    case "artifact.revised": {
      const { artifact: id, title, revision, parent, sha256, body, parts, call } = record.payload;
      const known = now[id];
      const next: Revision = { revision, parent, sha256, body, parts, at: record.at, call, report: null, stills: [] };
      return {
        ...now,
        [id]: {
          id,
          title,
          revisions: [...(known?.revisions ?? []), next],
          state: "draft",
          provenance: known?.provenance ?? null,
        },
      };
    }
    case "artifact.checked": {
      const { artifact: id, revision, report, stills } = record.payload;
      const known = now[id];
      if (known === undefined) return now;
      const revisions = known.revisions.map((r) => (r.revision === revision ? { ...r, report, stills } : r));
      const isHead = revision === headOf(known).revision;
      return {
        ...now,
        [id]: {
          ...known,
          revisions,
          state: isHead ? (report.verdict === "rejected" ? "rejected" : "ready") : known.state,
        },
      };
    }
    case "artifact.published": {
      const { artifact: id, provenance } = record.payload;
      const known = now[id];
      return known === undefined ? now : { ...now, [id]: { ...known, state: "published", provenance } };
    }
    default:
      return now;
  }
}

export function headOf(artifact: Artifact): Revision {
  return artifact.revisions.at(-1)!;
}
