import type { ArtifactDetail } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { bytes, clockTime, count, dateTime } from "../../model/format.ts";
import { resultLine, verdictWord } from "../../model/report.ts";
import { bindKeys } from "../../shell/keys.ts";
import { hrefOf } from "../../shell/router.ts";
import { Glyph, Icon } from "../../ui/parts.tsx";
import { LiveFrame, Still } from "../../ui/preview.tsx";
import { artifactGlyph } from "./page.tsx";
import { ProvenanceBlock } from "./provenance.tsx";
import { CheckList } from "./report.tsx";

/** The artifact, running or at an instant; what the gate found; who signed it. */
export function Viewer(props: { detail: ArtifactDetail }): JSX.Element {
  const d = () => props.detail;
  const [revision, setRevision] = createSignal<number | undefined>(undefined);
  createEffect(
    on(
      () => d().id,
      () => setRevision(undefined),
    ),
  );
  const shown = (): number => revision() ?? d().revision;
  const report = () =>
    d().revisions.find((r) => r.revision === shown())?.report ?? (shown() === d().revision ? d().report : null);
  bindKeys("Artifacts", [
    {
      keys: "v",
      label: "Next revision",
      run: () => {
        const list = d().revisions.map((r) => r.revision);
        setRevision(list[(list.indexOf(shown()) + 1) % list.length]);
      },
    },
  ]);
  return (
    <section class="pane op" aria-label={d().title}>
      <div class="oh">
        <a class="b ic s back" aria-label="Back to all artifacts" href="#/artifacts">
          <Icon name="left" />
        </a>
        <Glyph state={artifactGlyph(d())} />
        <h2>{d().title}</h2>
        <span class="mut hide-s">{bytes(d().bytes)}</span>
        <span class="sp" />
        <span class="revs hide-s">
          <For each={d().revisions}>
            {(r, i) => (
              <>
                <Show when={i() > 0}>
                  <i />
                </Show>
                <button
                  class="rv"
                  classList={{ on: r.revision === shown(), no: r.report?.verdict === "rejected" }}
                  aria-pressed={r.revision === shown()}
                  onClick={() => setRevision(r.revision)}
                >
                  <Icon name={r.report?.verdict === "rejected" ? "x" : "check"} />r{r.revision}
                </button>
              </>
            )}
          </For>
        </span>
        <a class="b s line" href={hrefOf({ page: "session", id: d().session })}>
          Session <Icon name="arrow" />
        </a>
      </div>
      <Stage detail={d()} revision={shown()} />
      <div class="cols">
        <div>
          <h3>
            Check report
            <Show when={report()} fallback={<span class="st">not checked</span>}>
              {(r) => (
                <span
                  class="st"
                  classList={{
                    ok: r().verdict === "verified",
                    bad: r().verdict === "rejected",
                    you: r().verdict === "static_only",
                  }}
                >
                  <Icon name={r().verdict === "rejected" ? "x" : r().verdict === "verified" ? "check" : "info"} />
                  {verdictWord(r().verdict)}: {resultLine(r())}
                </span>
              )}
            </Show>
          </h3>
          <Show when={report()}>{(r) => <CheckList report={r()} />}</Show>
        </div>
        <div>
          <Show
            when={d().provenance}
            fallback={
              <>
                <h3>Provenance</h3>
                <p class="sec small">Not signed: only a published revision is.</p>
              </>
            }
          >
            {(p) => <ProvenanceBlock provenance={p()} />}
          </Show>
          <h3 class="gap">Revisions</h3>
          <ul class="rl">
            <For each={d().revisions.toReversed()}>
              {(r) => (
                <li>
                  <b>r{r.revision}</b>
                  <span class="ell" classList={{ bad: r.report?.verdict === "rejected" }}>
                    {r.report ? resultLine(r.report) : "not checked"}
                  </span>
                  <span class="mut" title={dateTime(r.at)}>
                    {clockTime(r.at)}
                  </span>
                </li>
              )}
            </For>
          </ul>
        </div>
      </div>
    </section>
  );
}

/** Running, or held at one of the gate's instants: the scrubber goes over the pictures that the gate took by `seek`. */
function Stage(props: { detail: ArtifactDetail; revision: number }): JSX.Element {
  const stills = createMemo(() =>
    props.revision === props.detail.revision ? [...props.detail.stills].sort((a, b) => a.timeMs - b.timeMs) : [],
  );
  const [at, setAt] = createSignal<number | undefined>(undefined);
  createEffect(on([() => props.detail.id, () => props.revision], () => setAt(undefined)));
  const end = (): number => Math.max(1, stills().at(-1)?.timeMs ?? 1);
  const still = () => {
    const ms = at();
    if (ms === undefined) return undefined;
    return stills().reduce<(typeof props.detail.stills)[number] | undefined>(
      (best, s) => (best === undefined || Math.abs(s.timeMs - ms) < Math.abs(best.timeMs - ms) ? s : best),
      undefined,
    );
  };
  const step = (by: number): void => {
    const list = stills();
    const now = list.findIndex((s) => s === still());
    const next = list[now < 0 ? 0 : Math.min(list.length - 1, Math.max(0, now + by))];
    if (next) setAt(next.timeMs);
  };
  bindKeys("Artifacts", [
    { keys: " ", label: "Run or hold", run: () => setAt(at() === undefined ? stills()[0]?.timeMs : undefined) },
    { keys: "ArrowRight", label: "Next instant", run: () => step(1) },
    { keys: "ArrowLeft", label: "Instant before", run: () => step(-1) },
  ]);
  let bar: HTMLDivElement | undefined;
  const seek = (event: PointerEvent): void => {
    const rect = bar?.getBoundingClientRect();
    if (rect) setAt(Math.round(Math.min(1, Math.max(0, (event.clientX - rect.left) / rect.width)) * end()));
  };
  return (
    <>
      <div class="stage">
        <div class="pv">
          <Show
            when={still()}
            fallback={
              <LiveFrame
                artifact={props.detail.id}
                revision={props.revision}
                title={`${props.detail.title}, running`}
                pinned
              />
            }
          >
            {(s) => <Still hash={s().blob} />}
          </Show>
        </div>
      </div>
      <div class="tp">
        <button
          class="b ic"
          aria-label={at() === undefined ? "Hold at the first instant" : "Run"}
          disabled={stills().length === 0}
          onClick={() => setAt(at() === undefined ? stills()[0]?.timeMs : undefined)}
        >
          <Icon name={at() === undefined ? "pause" : "play"} />
        </button>
        <button class="b ic" aria-label="Instant before" disabled={stills().length === 0} onClick={() => step(-1)}>
          <Icon name="left" />
        </button>
        <button class="b ic" aria-label="Next instant" disabled={stills().length === 0} onClick={() => step(1)}>
          <Icon name="right" />
        </button>
        <Show
          when={still()}
          fallback={
            <span class="mono tc">
              {stills().length === 0 ? "No stills: the runtime check was not run" : "running"}
            </span>
          }
        >
          {(s) => (
            <>
              <span class="mono tc">
                <b>{count(s().timeMs)}</b> / {count(end())} ms
              </span>
              <span class="mut hide-s">
                the gate's picture, by seek, {s().width} × {s().height}
              </span>
            </>
          )}
        </Show>
      </div>
      <Show when={stills().length > 1}>
        <div
          ref={(element) => (bar = element)}
          class="scrub"
          role="slider"
          tabindex="0"
          aria-label="Instant"
          aria-valuemin="0"
          aria-valuemax={end()}
          aria-valuenow={still()?.timeMs ?? 0}
          aria-valuetext={still() ? `${still()?.timeMs} ms` : "running"}
          onPointerDown={(event) => {
            bar?.setPointerCapture(event.pointerId);
            seek(event);
          }}
          onPointerMove={(event) => bar?.hasPointerCapture(event.pointerId) === true && seek(event)}
        >
          <span class="mk">
            <For each={stills()}>{(s) => <i style={{ left: `${Math.min(99.9, (s.timeMs / end()) * 100)}%` }} />}</For>
          </span>
          <Show when={still()}>{(s) => <span class="hd" style={{ left: `${(s().timeMs / end()) * 100}%` }} />}</Show>
        </div>
        <div class="ths">
          <For each={stills()}>
            {(s) => (
              <button
                class="th"
                classList={{ on: s === still() }}
                aria-pressed={s === still()}
                onClick={() => setAt(s.timeMs)}
              >
                <span class="pv">
                  <Still hash={s.blob} />
                </span>
                <span>{(s.timeMs / 1000).toFixed(2)} s</span>
              </button>
            )}
          </For>
        </div>
      </Show>
    </>
  );
}
