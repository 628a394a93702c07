import type { ArtifactDetail, ArtifactRow, SessionSummary } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createEffect, createMemo, createResource, createSignal, For, on, Show } from "solid-js";
import { useDaemon } from "../../data/daemon.ts";
import { count, plural } from "../../model/format.ts";
import { verdictWord } from "../../model/report.ts";
import type { StateName } from "../../model/state.ts";
import { bindKeys } from "../../shell/keys.ts";
import { go, hrefOf } from "../../shell/router.ts";
import { Empty, Glyph, NoData } from "../../ui/parts.tsx";
import { LazyStill } from "../../ui/preview.tsx";
import { Viewer } from "./viewer.tsx";

type WallRow = Pick<ArtifactRow, "id" | "title" | "revision" | "state" | "verdict" | "still" | "session">;

/** Reads every page of the list. */
async function allArtifacts(
  next: (after: string | undefined) => Promise<{ items: readonly ArtifactRow[]; next: string | null }>,
): Promise<readonly ArtifactRow[]> {
  const out: ArtifactRow[] = [];
  let after: string | undefined;
  do {
    const page = await next(after);
    out.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return out;
}

/** What sessions say of their newest artifact is newer than a list that was asked for once. */
export function mergeRows(listed: readonly ArtifactRow[], sessions: readonly SessionSummary[]): readonly WallRow[] {
  const rows = new Map<string, WallRow>(listed.map((row) => [row.id, row]));
  for (const { artifact, id } of sessions) {
    if (artifact === undefined) continue;
    const { title, revision, state, verdict, still } = artifact;
    rows.set(artifact.id, {
      id: artifact.id,
      session: id,
      title,
      revision,
      state,
      verdict: verdict ?? null,
      still: still ?? rows.get(artifact.id)?.still ?? null,
    });
  }
  return [...rows.values()];
}

export function artifactGlyph(row: Pick<WallRow, "verdict" | "state">): StateName {
  if (row.verdict === "rejected") return "failed";
  if (row.verdict === null) return "wait_tool";
  return row.state === "published" ? "delivered" : "leased";
}

export function ArtifactsPage(props: { id: string | undefined }): JSX.Element {
  const daemon = useDaemon();
  const [listed] = createResource(() =>
    allArtifacts((after) => daemon.api.artifacts({ limit: 200, ...(after === undefined ? {} : { after }) })).catch(
      (): readonly ArtifactRow[] => [],
    ),
  );
  const rows = createMemo(() => mergeRows(listed() ?? [], daemon.sessions()));
  const current = (): string | undefined => props.id ?? rows()[0]?.id;
  const [detail, setDetail] = createSignal<ArtifactDetail | undefined>(undefined);
  const [missing, setMissing] = createSignal("");
  const version = createMemo(() => {
    const row = rows().find((r) => r.id === current());
    return current() === undefined ? undefined : `${current()} ${row?.revision} ${row?.state} ${row?.verdict}`;
  });
  createEffect(
    on(version, () => {
      const id = current();
      if (id === undefined) return;
      setMissing("");
      daemon.api.artifact(id).then(
        (got) => id === current() && setDetail(got),
        (error: unknown) => setMissing(error instanceof Error ? error.message : String(error)),
      );
    }),
  );
  const move = (by: number): void => {
    const next = rows()[rows().findIndex((r) => r.id === current()) + by];
    if (next) go({ page: "artifacts", id: next.id });
  };
  bindKeys("Artifacts", [
    { keys: "j", label: "Next artifact", run: () => move(1) },
    { keys: "k", label: "Artifact before", run: () => move(-1) },
  ]);
  const of = (test: (row: WallRow) => boolean): number => rows().filter(test).length;

  return (
    <>
      <header class="top">
        <h1>Artifacts</h1>
        <div class="sums">
          <Show when={daemon.staleSince() === undefined} fallback={<NoData />}>
            <span>
              <b>{count(rows().length)}</b> {rows().length === 1 ? "artifact" : "artifacts"}
            </span>
            <span>
              <b>{count(of((r) => r.state === "published"))}</b> published
            </span>
            <span>
              <b>{count(of((r) => r.verdict === "static_only"))}</b> static only
            </span>
            <span>
              <b>{count(of((r) => r.verdict === "rejected"))}</b> rejected
            </span>
          </Show>
        </div>
      </header>
      <main class="main" id="main">
        <Show
          when={rows().length > 0}
          fallback={
            <Show when={daemon.loaded() && !listed.loading}>
              <div class="empties">
                <Empty icon="artifacts" title="No artifacts yet.">
                  An agent publishes one with its first delivery. It appears here with its check report and its
                  signature.
                </Empty>
              </div>
            </Show>
          }
        >
          <div class="panes arts" classList={{ picked: props.id !== undefined }}>
            <section class="pane wl" aria-label="All artifacts">
              <ul class="aw" aria-label={plural(rows().length, "artifact")}>
                <For each={rows().map((r) => r.id)}>
                  {(id) => (
                    <Show when={rows().find((r) => r.id === id)}>
                      {(row) => <WallCard row={row()} current={row().id === current()} />}
                    </Show>
                  )}
                </For>
              </ul>
            </section>
            <Show
              when={detail()?.id === current() ? detail() : undefined}
              fallback={
                <section class="pane op" aria-label="Artifact">
                  <p class="loading">{missing()}</p>
                </section>
              }
            >
              {(got) => <Viewer detail={got()} />}
            </Show>
          </div>
        </Show>
      </main>
    </>
  );
}

function WallCard(props: { row: WallRow; current: boolean }): JSX.Element {
  return (
    <li>
      <a
        class="ac"
        classList={{ cur: props.current }}
        href={hrefOf({ page: "artifacts", id: props.row.id })}
        aria-current={props.current ? "true" : undefined}
      >
        <span
          class="pv"
          classList={{ none: props.row.still === null, dim: props.row.verdict === "rejected" }}
          aria-hidden="true"
        >
          <Show when={props.row.still} fallback={<span class="note">No still.</span>}>
            {(hash) => <LazyStill hash={hash()} />}
          </Show>
          <span class="rev">
            r{props.row.revision} {verdictWord(props.row.verdict)}
          </span>
        </span>
        <span class="am">
          <span class="ell">{props.row.title}</span>
          <Glyph state={artifactGlyph(props.row)} />
        </span>
      </a>
    </li>
  );
}
