import { createHash } from "node:crypto";
import {
  ARTIFACT_LIMITS,
  type ArtifactDetail,
  type ArtifactRow,
  type CheckReport,
  type Page,
  type Provenance,
  type Still,
} from "@swarm/protocol";
import type {
  ArtifactOps,
  ArtifactOutcome,
  ArtifactSnapshot,
  BlobWrite,
  Checker,
  Edit,
  JournalWriter,
  ToolContext,
  ToolError,
} from "@swarm/protocol/ports";
import { Mailbox, type ArtifactId, type Clock, type RunId } from "@swarm/std";
import { applyEdits, changeHint } from "./edit.ts";
import { ARTIFACTS_INDEX, OWNERS_INDEX } from "./kinds.ts";
import { findParts } from "./parts.ts";
import { headOf, type Artifact, type ArtifactsState, type Revision } from "./state.ts";

const ACTOR = "agent";

/** What the service reads of the journal. */
export interface ArtifactStore extends JournalWriter {
  project<S>(name: string, session: string): Promise<S | undefined>;
  readBlob(sha256: string): Promise<Uint8Array | undefined>;
  index(
    name: string,
    range: { readonly prefix?: string; readonly after?: string; readonly limit: number },
  ): Promise<{ key: string; value: unknown }[]>;
}

export interface ArtifactServiceOptions {
  readonly journal: ArtifactStore;
  readonly checker: Checker;
  /** Signs what the gate passed. */
  readonly signProvenance: (statement: Omit<Provenance, "keyFingerprint" | "signature">) => Provenance;
  readonly clock: Clock;
  readonly policy: { readonly runtime: boolean };
}

export class ArtifactService implements ArtifactOps {
  readonly #o: ArtifactServiceOptions;
  /** One change of a session's artifacts at a time. */
  readonly #boxes = new Map<string, Mailbox>();

  constructor(options: ArtifactServiceOptions) {
    this.#o = options;
  }

  create(
    context: ToolContext,
    input: { readonly title: string; readonly content: string; readonly publish: boolean },
  ): Promise<ArtifactOutcome> {
    return this.#alone(context.session, async () => {
      const tooLarge = titleError(input.title) ?? sizeError(input.content);
      if (tooLarge !== undefined) return { ok: false, error: tooLarge };
      const bytes = Buffer.from(input.content, "utf8");
      const sha256 = hash(bytes);
      const existing = Object.values(await this.#all(context.session)).at(-1);
      if (existing !== undefined) {
        const head = headOf(existing);
        if (head.sha256 !== sha256) {
          const error: ToolError = {
            code: "exists",
            class: "cas_conflict",
            message: `this session has artifact ${existing.id} at revision ${head.revision} already; a second one is not made and nothing needs to be deleted`,
            next: `manage_artifact with action "edit", base ${head.revision} and the edits`,
          };
          return { ok: false, error, artifact: snapshot(existing) };
        }
        return this.#gate(context, existing.id, input.publish, input.content, head.call !== context.callId);
      }
      const id = artifactId(context);
      await this.#revise(context, {
        id,
        title: input.title,
        revision: 1,
        parent: 0,
        bytes,
        sha256,
        text: input.content,
      });
      return this.#gate(context, id, input.publish, input.content, false);
    });
  }

  edit(
    context: ToolContext,
    input: {
      readonly artifact?: string;
      readonly base: number;
      readonly edits: readonly Edit[];
      readonly publish: boolean;
    },
  ): Promise<ArtifactOutcome> {
    return this.#alone(context.session, async () => {
      const found = await this.#find(context.session, input.artifact);
      if (!found.ok) return found;
      const { artifact } = found;
      const head = headOf(artifact);
      if (head.call === context.callId)
        return this.#gate(context, artifact.id, input.publish, await this.#text(head), false); // this very call, before a crash
      if (head.revision !== input.base)
        return { ok: false, error: await this.#stale(artifact, input.base), artifact: snapshot(artifact) };
      const edited = applyEdits(await this.#text(head), input.edits);
      if (!edited.ok) return { ...edited, artifact: snapshot(artifact) };
      const tooLarge = sizeError(edited.text);
      if (tooLarge !== undefined) return { ok: false, error: tooLarge, artifact: snapshot(artifact) };
      const bytes = Buffer.from(edited.text, "utf8");
      const sha256 = hash(bytes);
      if (sha256 === head.sha256) return this.#gate(context, artifact.id, input.publish, edited.text, true);
      await this.#revise(context, {
        id: artifact.id,
        title: artifact.title,
        revision: head.revision + 1,
        parent: head.revision,
        bytes,
        sha256,
        text: edited.text,
      });
      return this.#gate(context, artifact.id, input.publish, edited.text, false);
    });
  }

  async read(
    context: ToolContext,
    input: { readonly artifact?: string; readonly fromLine?: number; readonly toLine?: number },
  ): ReturnType<ArtifactOps["read"]> {
    const found = await this.#find(context.session, input.artifact);
    if (!found.ok) return found;
    const lines = (await this.#text(headOf(found.artifact))).split("\n");
    const text = lines.slice((input.fromLine ?? 1) - 1, input.toLine ?? lines.length).join("\n");
    return { ok: true, text, artifact: snapshot(found.artifact) };
  }

  async status(context: ToolContext, input: { readonly artifact?: string }): Promise<ArtifactOutcome> {
    const found = await this.#find(context.session, input.artifact);
    return found.ok ? { ok: true, artifact: snapshot(found.artifact) } : found;
  }

  publish(
    context: ToolContext,
    input: { readonly artifact?: string; readonly base?: number },
  ): Promise<ArtifactOutcome> {
    return this.#alone(context.session, async () => {
      const found = await this.#find(context.session, input.artifact);
      if (!found.ok) return found;
      const head = headOf(found.artifact);
      if (input.base !== undefined && input.base !== head.revision)
        return { ok: false, error: await this.#stale(found.artifact, input.base), artifact: snapshot(found.artifact) };
      return this.#gate(context, found.artifact.id, true, await this.#text(head), false);
    });
  }

  async list(session: string): Promise<readonly ArtifactSnapshot[]> {
    return Object.values(await this.#all(session)).map((a) => snapshot(a));
  }

  async rows(o: { readonly after?: string; readonly limit: number }): Promise<Page<ArtifactRow>> {
    const page = await this.#o.journal.index(ARTIFACTS_INDEX, {
      limit: o.limit,
      ...(o.after === undefined ? {} : { after: o.after }),
    });
    const items: ArtifactRow[] = [];
    for (const { value } of page) {
      const { session, artifact } = value as { session: string; artifact: string };
      const found = (await this.#all(session))[artifact];
      if (found !== undefined) items.push(row(session, found));
    }
    return { items, next: page.length === o.limit ? page.at(-1)!.key : null };
  }

  async detail(id: string): Promise<ArtifactDetail | undefined> {
    const owned = await this.#owned(id);
    if (owned === undefined) return undefined;
    const { session, artifact } = owned;
    const head = headOf(artifact);
    return {
      ...row(session, artifact),
      parts: head.parts,
      revisions: artifact.revisions.map((r) => ({
        revision: r.revision,
        sha256: r.sha256,
        bytes: r.body.bytes,
        at: r.at,
        report: r.report,
      })),
      report: head.report,
      provenance: artifact.provenance,
      stills: newestStills(artifact).map((s) => ({
        timeMs: s.timeMs,
        width: s.width,
        height: s.height,
        blob: s.image.blob,
      })),
    };
  }

  async content(id: string, revision?: number): Promise<Uint8Array | undefined> {
    const owned = await this.#owned(id);
    const wanted = owned?.artifact.revisions.find((r) => r.revision === (revision ?? headOf(owned.artifact).revision));
    return wanted === undefined ? undefined : this.#o.journal.readBlob(wanted.body.blob);
  }

  async #owned(id: string): Promise<{ session: string; artifact: Artifact } | undefined> {
    const [entry] = await this.#o.journal.index(OWNERS_INDEX, { prefix: id, limit: 1 });
    if (entry?.key !== id) return undefined;
    const session = entry.value as string;
    const artifact = (await this.#all(session))[id];
    return artifact === undefined ? undefined : { session, artifact };
  }

  async #all(session: string): Promise<ArtifactsState> {
    return (await this.#o.journal.project<ArtifactsState>("artifacts", session)) ?? {};
  }

  async #find(
    session: string,
    id: string | undefined,
  ): Promise<{ ok: true; artifact: Artifact } | { ok: false; error: ToolError }> {
    const all = Object.values(await this.#all(session));
    const artifact = id === undefined ? all.at(-1) : all.find((a) => a.id === id);
    if (artifact !== undefined) return { ok: true, artifact };
    const message =
      all.length === 0
        ? "this session has no artifact yet"
        : `there is no artifact ${id} in this session; it has ${all.map((a) => a.id).join(", ")}`;
    return {
      ok: false,
      error: {
        code: "not_found",
        class: "not_found",
        message,
        next: all.length === 0 ? 'manage_artifact with action "create"' : "the same call without artifact",
      },
    };
  }

  async #revise(
    context: ToolContext,
    r: { id: string; title: string; revision: number; parent: number; bytes: Uint8Array; sha256: string; text: string },
  ): Promise<void> {
    const body = this.#o.journal.blob(r.bytes);
    await this.#o.journal.apply({
      session: context.session,
      actor: ACTOR,
      epoch: context.epoch,
      key: `${context.run}/${context.step}/${context.callId}/revised`,
      kind: "artifact.revised",
      payload: {
        artifact: r.id as ArtifactId,
        revision: r.revision,
        parent: r.parent,
        title: r.title,
        sha256: r.sha256,
        body: body.ref,
        parts: findParts(r.text),
        call: context.callId,
        run: context.run as RunId,
      },
      blobs: [body],
    });
  }

  /** Checks the head where it has no report yet, and publishes it when it passed. Each step is done once, also over a crash. */
  async #gate(
    context: ToolContext,
    id: string,
    publish: boolean,
    html: string,
    replayed: boolean,
  ): Promise<ArtifactOutcome> {
    let artifact = (await this.#all(context.session))[id]!;
    let head = headOf(artifact);
    if (head.report === null) {
      const unavailable = await this.#check(context, id, head, html);
      if (unavailable !== undefined) return { ok: false, error: unavailable, artifact: snapshot(artifact, replayed) };
      artifact = (await this.#all(context.session))[id]!;
      head = headOf(artifact);
    }
    const report = head.report!;
    if (report.verdict === "rejected") {
      const error: ToolError = {
        code: "check_failed",
        class: "check_failed",
        message: report.summary,
        next: `manage_artifact with action "edit" and base ${head.revision}: change what is named`,
      };
      return { ok: false, error, artifact: snapshot(artifact, replayed) };
    }
    if (publish && artifact.provenance?.revision !== head.revision) {
      await this.#publish(context, artifact, head, report);
      artifact = (await this.#all(context.session))[id]!;
    }
    return { ok: true, artifact: snapshot(artifact, replayed) };
  }

  /** Answers an error when the gate itself could not run: nothing is kept then, so that it can be tried again. */
  async #check(context: ToolContext, id: string, head: Revision, html: string): Promise<ToolError | undefined> {
    const { journal, checker, policy } = this.#o;
    const result = await checker.check(
      { html, stages: policy.runtime ? ["static", "runtime"] : ["static"] },
      context.signal,
    );
    if (result.report.stages[0]?.verdict === "not_run")
      return {
        code: "gate_unavailable",
        class: "sandbox",
        message: result.report.summary,
        next: `manage_artifact with action "publish" and base ${head.revision}`,
      };
    const blobs: BlobWrite[] = [];
    const stills: Still[] = result.stills.map(({ timeMs, width, height, png }) => {
      const image = journal.blob(png);
      blobs.push(image);
      return { timeMs, width, height, image: image.ref };
    });
    await journal.apply({
      session: context.session,
      actor: ACTOR,
      epoch: context.epoch,
      key: `${id}/${head.revision}/checked/${context.epoch}`,
      kind: "artifact.checked",
      payload: {
        artifact: id as ArtifactId,
        revision: head.revision,
        report: { ...result.report, sha256: head.sha256 },
        stills,
      },
      blobs,
    });
    return undefined;
  }

  async #publish(context: ToolContext, artifact: Artifact, head: Revision, report: CheckReport): Promise<void> {
    const { verdict, passed, failed, notRun } = report;
    const provenance = this.#o.signProvenance({
      artifact: artifact.id,
      revision: head.revision,
      sha256: head.sha256,
      session: context.session,
      run: context.run,
      model: context.model,
      checks: { verdict, passed, failed, notRun },
      at: new Date(this.#o.clock.now()).toISOString(),
    });
    await this.#o.journal.apply({
      session: context.session,
      actor: ACTOR,
      epoch: context.epoch,
      key: `${artifact.id}/${head.revision}/published/${context.epoch}`,
      kind: "artifact.published",
      payload: { artifact: artifact.id as ArtifactId, revision: head.revision, provenance },
    });
  }

  async #stale(artifact: Artifact, base: number): Promise<ToolError> {
    const head = headOf(artifact);
    const known = artifact.revisions.find((r) => r.revision === base);
    const hint =
      known === undefined
        ? "that revision never was"
        : `since then ${changeHint(await this.#text(known), await this.#text(head))}`;
    return {
      code: "stale_base",
      class: "cas_conflict",
      message: `base ${base} is not the newest revision, which is ${head.revision}: ${hint}`,
      next: `manage_artifact with action "edit" and base ${head.revision}; read it first if you have not seen it`,
    };
  }

  async #text(revision: Revision): Promise<string> {
    const bytes = await this.#o.journal.readBlob(revision.body.blob);
    if (bytes === undefined) throw new Error(`the body of revision ${revision.revision} is missing`);
    return Buffer.from(bytes).toString("utf8");
  }

  async #alone<T>(session: string, work: () => Promise<T>): Promise<T> {
    const box = this.#boxes.get(session) ?? new Mailbox();
    this.#boxes.set(session, box);
    try {
      return await box.post(work);
    } finally {
      if (box.depth <= 1) this.#boxes.delete(session);
    }
  }
}

export function createArtifactService(options: ArtifactServiceOptions): ArtifactService {
  return new ArtifactService(options);
}

function snapshot(artifact: Artifact, replayed = false): ArtifactSnapshot {
  const head = headOf(artifact);
  return {
    artifact: artifact.id,
    title: artifact.title,
    revision: head.revision,
    sha256: head.sha256,
    bytes: head.body.bytes,
    parts: head.parts,
    state: artifact.state,
    report: head.report,
    replayed,
  };
}

function row(session: string, artifact: Artifact): ArtifactRow {
  const head = headOf(artifact);
  return {
    id: artifact.id,
    session,
    title: artifact.title,
    revision: head.revision,
    bytes: head.body.bytes,
    sha256: head.sha256,
    state: artifact.state,
    verdict: head.report?.verdict ?? null,
    still: newestStills(artifact)[0]?.image.blob ?? null,
    updatedAt: head.at,
  };
}

function newestStills(artifact: Artifact): readonly Still[] {
  return artifact.revisions.findLast((r) => r.stills.length > 0)?.stills ?? [];
}

function titleError(title: string): ToolError | undefined {
  if (title.length <= ARTIFACT_LIMITS.titleChars) return undefined;
  return {
    code: "limit",
    class: "limit",
    message: `the title has ${title.length} characters, the limit is ${ARTIFACT_LIMITS.titleChars}`,
    next: "the same call with a shorter title",
  };
}

function sizeError(text: string): ToolError | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes <= ARTIFACT_LIMITS.bodyBytes) return undefined;
  return {
    code: "limit",
    class: "limit",
    message: `the document has ${bytes} bytes, the limit is ${ARTIFACT_LIMITS.bodyBytes}`,
    next: "the same call with a smaller document",
  };
}

/** From the call that makes it: the same call is the same artifact, also after a crash. */
function artifactId(context: ToolContext): string {
  const digest = createHash("sha256").update(`${context.session}\0${context.run}\0${context.callId}`).digest();
  return `art_${Array.from(digest.subarray(0, 16), (b) => "0123456789abcdefghjkmnpqrstvwxyz"[b & 31]).join("")}`;
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
